// What scores trees: a forest as it stands, and the threads' own scorers of it.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/tree_lists.hpp"
#include "core/trees/tree_nodes.hpp"

namespace treekernels {

// Scores trees of one DAG on one thread. It remembers what their subtrees score, so that neighbours that share some are
// best given to the same one.
class TreeScorer {
public:
    virtual ~TreeScorer() = default;
    // Writes what each of the trees scores: one number for each output, tree after tree.
    virtual void score(std::span<const Node> roots, double* scores, const Task& task) = 0;
};

// One that gains nothing from many trees.
class EachTreeScorer : public TreeScorer {
public:
    EachTreeScorer(const Dag& source, CountDamping damping, std::size_t outputs)
        : view_(source, damping), outputs_(outputs) {}

    void score(std::span<const Node> roots, double* scores, const Task& task) final {
        std::fill_n(scores, roots.size() * outputs_, 0.0);
        for (std::size_t i = 0; i < roots.size(); ++i) add_score(view_(roots[i]), scores + i * outputs_, task);
    }

private:
    virtual void add_score(const TreeNodes& tree, double* scores, const Task& task) = 0;

    TreeView view_;
    std::size_t outputs_;
};

// A weighted forest that does not change. Shared by threads, each of which has a scorer.
class FrozenForest {
public:
    virtual ~FrozenForest() = default;
    // Of trees of a DAG that must outlive it and stay as it is, as must the forest. Trees that are scored again and
    // again come with lists of what this looks at, which must outlive it, too.
    virtual std::unique_ptr<TreeScorer> scorer(const Dag& source, const TreeLists* lists = nullptr) const = 0;
    // Which nodes it looks at.
    virtual TreeLists::Of looks_at() const { return TreeLists::Of::all; }
};

// Some weighted trees of a DAG that scores others of the same DAG, and is made of other trees again and again. Scorers
// notice.
class WeightedTrees : public FrozenForest {
public:
    // Each has a coefficient for each output, tree after tree.
    virtual void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) = 0;
};

}  // namespace treekernels
