// The quadratic algorithm "qtk" as published (Collins and Duffy, 2002; Moschitti, EACL 2006): one matrix of C over all
// pairs of nodes of two trees, filled from the leaves up. It is slow, and here for comparison only.
//
// Unlike everywhere else in this library, a subtree that occurs twice in a tree is looked at twice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "gram/interfaces.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

// The nodes of each tree, one by one, children before parents.
class WrittenOutTrees {
public:
    // keys[node] is kNone for nodes that never match. Leaves are children of their parents only if `link_leaves`.
    // Throws TooLarge where a matrix of all pairs of nodes would not fit.
    WrittenOutTrees(const Corpus& corpus, std::span<const std::uint32_t> keys, bool link_leaves, const Task& task);

    struct Tree {
        std::span<const Node> nodes;
        std::span<const std::uint32_t> keys;
        std::span<const double> weights;       // how much each counts: 1, or less if it is one of many
        std::span<const std::uint64_t> edges;  // where the children of each begin; one more than nodes
    };
    Tree operator[](std::size_t tree) const {
        const std::size_t begin = tree_offset_[tree], size = tree_offset_[tree + 1] - begin;
        const auto part = [&](const auto& all) { return std::span(all).subspan(begin, size); };
        return {part(node_), part(key_), part(weight_), std::span(edge_).subspan(begin + tree, size + 1)};
    }
    // The places of a node's children among those of its tree, kNone where a child is not linked.
    std::span<const std::uint32_t> children(const Tree& tree, std::size_t node) const {
        return {child_.data() + tree.edges[node], child_.data() + tree.edges[node + 1]};
    }

private:
    void append(const Corpus& corpus, std::size_t tree, std::span<const std::uint32_t> keys, bool link_leaves);

    std::vector<std::uint64_t> tree_offset_{0};
    std::vector<Node> node_;
    std::vector<std::uint32_t> key_;
    std::vector<double> weight_;
    std::vector<std::uint64_t> edge_;
    std::vector<std::uint32_t> child_;
};

// Evaluates K of one pair of trees after another; `Local` is that of PairEvaluator.
template <class Real, class Local>
class AllPairsWorker final : public PairWorker<Real> {
public:
    AllPairsWorker(const WrittenOutTrees& trees, Local local) : trees_(trees), local_(std::move(local)) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        const auto one = trees_[a], two = trees_[b];
        const std::size_t columns = two.nodes.size();
        if (matrix_.size() < one.nodes.size() * columns) matrix_.resize(one.nodes.size() * columns);
        const auto lookup = [&](std::uint32_t u, std::uint32_t v) {
            return u == kNone || v == kNone ? Real(0.0) : matrix_[u * columns + v];
        };
        Real total(0.0);
        for (std::size_t u = 0; u < one.nodes.size(); ++u) {
            task.check();
            Real part(0.0);
            for (std::size_t v = 0; v < columns; ++v) {
                Real c(0.0);
                if (one.keys[u] == two.keys[v] && one.keys[u] != kNone)
                    c = local_(one.nodes[u], two.nodes[v], trees_.children(one, u), trees_.children(two, v), lookup,
                               task);
                matrix_[u * columns + v] = c;
                part += c * Real(two.weights[v]);
            }
            total += part * Real(one.weights[u]);
        }
        return total;
    }

private:
    const WrittenOutTrees& trees_;
    Local local_;
    std::vector<Real> matrix_;
};

template <class Real, class Local>
class AllPairs final : public PairValues<Real> {
public:
    AllPairs(WrittenOutTrees trees, Local local) : trees_(std::move(trees)), local_(std::move(local)) {}

    std::unique_ptr<PairWorker<Real>> worker() const override {
        return std::make_unique<AllPairsWorker<Real, Local>>(trees_, local_);
    }
    double self_memory(std::size_t tree) const override {
        const auto size = static_cast<double>(trees_[tree].nodes.size());
        return size * size;
    }

private:
    WrittenOutTrees trees_;
    Local local_;
};

// Values of a kernel whose nodes match where their keys are equal, by either algorithm.
template <class Real, class Local>
std::unique_ptr<PairValues<Real>> make_pairs(const Corpus& corpus, std::span<const std::uint32_t> keys,
                                             bool link_leaves, PairAlgorithm algorithm, Local local, const Task& task) {
    if (algorithm == PairAlgorithm::merged)
        return std::make_unique<KeyedPairs<Real, Local>>(KeyedTrees(corpus, keys, link_leaves, task), std::move(local));
    return std::make_unique<AllPairs<Real, Local>>(WrittenOutTrees(corpus, keys, link_leaves, task), std::move(local));
}

}  // namespace treekernels
