// A weighted forest that does not change, laid out to score many trees at a time.
#pragma once

#include <memory>
#include <span>

#include "core/dag.hpp"
#include "core/tasks.hpp"
#include "core/tree_lists.hpp"

namespace treekernels {

// Scores trees of one DAG on one thread. It remembers what their subtrees score, so that neighbours that share some are
// best given to the same one.
class BatchScorer {
public:
    virtual ~BatchScorer() = default;
    // Writes what each of the trees scores: one number for each output, tree after tree.
    virtual void score(std::span<const Node> roots, double* scores, const Task& task) = 0;
};

// Shared by threads, each of which has a scorer.
class FrozenForest {
public:
    virtual ~FrozenForest() = default;
    // Of trees of a DAG that must outlive it and stay as it is, as must the forest. Trees that are scored again and
    // again come with lists of what this looks at, which must outlive it, too.
    virtual std::unique_ptr<BatchScorer> scorer(const Dag& source, const TreeLists* lists = nullptr) const = 0;
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
