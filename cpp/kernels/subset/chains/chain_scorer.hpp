// Scores trees with long chains against a model that has long chains, too.
//
// Every node of a chain of equal nodes agrees with every node of another one, so that a scorer which looks at pairs
// takes the product of their lengths. A Gram matrix knows a shorter way (unary_paths.hpp): the model becomes a column
// of one for each output, with its weights as the counts of its subtrees.
#pragma once

#include <memory>
#include <vector>

#include "core/dag.hpp"
#include "kernels/subset/rows/table.hpp"
#include "kernels/subset/subset.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

// All of a model, if it has a long chain, and nothing otherwise.
class WeightedChains {
public:
    WeightedChains() = default;
    WeightedChains(const Dag& dag, const SubsetParameters& parameters, const ForestState& state, const Task& task);

    bool empty() const { return nodes.empty(); }

    std::vector<Node> nodes;
    std::vector<double> weights;
};

// How many nodes of one child follow each other in trees.
std::uint32_t longest_chain(const Dag& dag, std::span<const Node> roots, const Task& task);

class SubsetChainScorer final : public TreeScorer {
public:
    // `other` scores what has no long chains.
    SubsetChainScorer(const SubsetTable& table, const WeightedChains& chains, const Dag& source,
                      std::unique_ptr<TreeScorer> other)
        : table_(table), chains_(chains), source_(source), other_(std::move(other)) {}

    void score(std::span<const Node> roots, double* scores, const Task& task) override;

private:
    bool pays(std::span<const Node> roots, const Task& task) const;
    void add_leaves(Node root, double* scores, const Task& task) const;

    const SubsetTable& table_;
    const WeightedChains& chains_;
    const Dag& source_;
    std::unique_ptr<TreeScorer> other_;
};

}  // namespace treekernels
