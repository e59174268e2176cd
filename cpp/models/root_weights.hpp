// From coefficients of trees to weights of their subtrees: each gets what the trees have that it occurs in, as often as
// it does.
#pragma once

#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/tasks.hpp"

namespace treekernels {

class RootWeights {
public:
    RootWeights(const Dag& dag, std::size_t outputs) : dag_(dag), outputs_(outputs), reach_(dag) {}

    // Coefficients are given for each output, tree after tree. Trees may be listed twice.
    void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) {
        TREEKERNELS_ASSERT(alphas.size() == roots.size() * outputs_);
        reach_.clear();
        for (Node root : roots) {
            task.check();
            reach_.add(root);
        }
        values_.assign(nodes().size() * outputs_, 0.0);
        for (std::size_t i = 0; i < roots.size(); ++i) add(roots[i], alphas.data() + i * outputs_);
        // Parents before children: what a node has is complete before it is handed on.
        for (std::size_t place = nodes().size(); place-- > 0;) {
            task.check();
            for (Node child : dag_.children(nodes()[place])) add(child, values_.data() + place * outputs_);
        }
    }

    // All subtrees of the trees, children before parents, and their weights.
    const std::vector<Node>& nodes() const { return reach_.nodes(); }
    const std::vector<double>& values() const { return values_; }

private:
    void add(Node node, const double* weights) {
        double* to = values_.data() + reach_.place(node) * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += weights[k];
    }

    const Dag& dag_;
    std::size_t outputs_;
    Reach reach_;
    std::vector<double> values_;  // by place
};

}  // namespace treekernels
