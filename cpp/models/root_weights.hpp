// From coefficients of trees to weights of their subtrees: each gets what the trees have that it occurs in, as often as
// it does, or as much as that counts.
#pragma once

#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/count_damping.hpp"
#include "core/trees/tree_nodes.hpp"

namespace treekernels {

class RootWeights {
public:
    RootWeights(const Dag& dag, std::size_t outputs, CountDamping damping)
        : dag_(dag), outputs_(outputs), damping_(damping), reach_(dag), view_(dag, damping) {}

    // Coefficients are given for each output, tree after tree. Trees may be listed twice.
    void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) {
        TREEKERNELS_ASSERT(alphas.size() == roots.size() * outputs_);
        reach_.clear();
        for (Node root : roots) {
            task.check();
            reach_.add(root);
        }
        values_.assign(nodes().size() * outputs_, 0.0);
        // Damped counts of trees do not add up: each tree is gone through.
        if (damping_ != CountDamping::linear) return add_trees(roots, alphas, task);
        for (std::size_t i = 0; i < roots.size(); ++i) add(roots[i], 1.0, alphas.data() + i * outputs_);
        // Parents before children: what a node has is complete before it is handed on.
        for (std::size_t place = nodes().size(); place-- > 0;) {
            task.check();
            for (Node child : dag_.children(nodes()[place])) add(child, 1.0, values_.data() + place * outputs_);
        }
    }

    // All subtrees of the trees, children before parents, and their weights.
    const std::vector<Node>& nodes() const { return reach_.nodes(); }
    const std::vector<double>& values() const { return values_; }

private:
    void add_trees(std::span<const Node> roots, std::span<const double> alphas, const Task& task) {
        for (std::size_t i = 0; i < roots.size(); ++i) {
            task.check();
            const TreeNodes tree = view_(roots[i]);
            for (std::size_t at = 0; at < tree.nodes().size(); ++at)
                add(tree.nodes()[at], tree.counts()[at], alphas.data() + i * outputs_);
        }
    }
    void add(Node node, double count, const double* weights) {
        double* to = values_.data() + reach_.place(node) * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += count * weights[k];
    }

    const Dag& dag_;
    std::size_t outputs_;
    CountDamping damping_;
    Reach reach_;
    TreeView view_;
    std::vector<double> values_;  // by place
};

}  // namespace treekernels
