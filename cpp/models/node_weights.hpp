// A weight for each subtree and output, of the subtrees in order of first use: what every weighted forest can be made
// again from.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/memory/room.hpp"
#include "core/trees/tree_nodes.hpp"
#include "models/class_weights.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

class NodeWeights {
public:
    explicit NodeWeights(std::size_t outputs) : outputs_(outputs), weights_(outputs) {}

    // After this, to add to the node and to those before it cannot fail.
    void make_room(Node node) {
        if (node >= inserted_.size()) inserted_.resize(node + std::size_t{1}, false);
        treekernels::make_room(order_, inserted_.size() - order_.size());
        weights_.make_room(node);
    }
    void make_room(std::span<const Node> nodes) {
        if (!nodes.empty()) make_room(std::ranges::max(nodes));
    }
    bool has_room(Node node) const { return node < inserted_.size() && weights_.find(node); }
    void add(const TreeNodes& tree, const double* alpha) {
        for (std::size_t i = 0; i < tree.nodes().size(); ++i) add(tree.nodes()[i], tree.counts()[i], alpha);
    }
    void add(Node node, double count, const double* alpha) {
        if (node >= inserted_.size()) make_room(node);
        if (!inserted_[node]) order_.push_back(node);
        inserted_[node] = true;
        weights_.add(node, count, alpha);
    }
    void add_to(double* scores, Node node, double factor) const { weights_.add_to(scores, node, factor); }

    std::size_t size() const { return order_.size(); }
    const std::vector<Node>& order() const { return order_; }
    // One after the other, in that order.
    std::vector<double> values() const {
        std::vector<double> values;
        values.reserve(order_.size() * outputs_);
        for (Node node : order_) values.insert(values.end(), weights_.find(node), weights_.find(node) + outputs_);
        return values;
    }

    // Of an empty one, from a state that has nothing else.
    void restore(const ForestState& state) {
        if (state.weights.size() != state.nodes.size() * outputs_ || !state.productions.empty() ||
            !state.labels.empty())
            throw std::invalid_argument("not a weighted forest: its parts do not fit together");
        for (std::size_t i = 0; i < state.nodes.size(); ++i)
            add(state.nodes[i], 1.0, state.weights.data() + i * outputs_);
    }

private:
    std::size_t outputs_;
    ClassWeights weights_;  // by node
    std::vector<bool> inserted_;
    std::vector<Node> order_;
};

}  // namespace treekernels
