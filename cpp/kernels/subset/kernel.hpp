// The subset-tree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
//
// If you are new here, read the folder in this order.
//
// 1. rule.hpp has the formula: C(u, v) of two nodes, from C of their children. The value of two trees is the sum of C
//    over all pairs of their nodes, and everything else in this folder is a way to add that up.
// 2. One pair of nodes after the other: norms.cpp does so for a tree with itself, gradient.cpp with derivatives or with
//    a cut weight, and `SubsetLocal`, at the end of subset.cpp, for the pairwise algorithms.
// 3. Many pairs at once: a row has C of one subtree u with all subtrees v of the same production. rows/layout.hpp finds
//    these v, rows/raise.hpp computes the row, and rows/row.hpp keeps it until the parents of u have used it.
// 4. Three computations are sums over such rows. subset.cpp makes Gram matrices: base.hpp adds up the part that needs
//    no rows, and index.hpp is what a matrix knows of its trees. weighted_forest.cpp scores trees against a model,
//    whose subtrees are in rows/growing_table.hpp while it learns and in rows/table.hpp afterwards, by means of
//    rows/scorer.hpp. responder.cpp answers a support vector machine, which adds one tree after the other.
// 5. chains is for trees with long chains of single children, where pairs of nodes would be too many.
//
// An example of the words. Of the trees (S (A a) (B b)) and (S (A a) (B c)), both roots have the production S -> A B.
// They are a *group*, in which they have the *ranks* 0 and 1. The subtree (S (A a) (B b)) has two *joins*: its child at
// position 0 has the production A -> a, and the *bucket* of that child has both ranks; its child at position 1 has B ->
// b, and that bucket has rank 0 alone. The row of this subtree begins *at rest*, with the decay d at either rank. The
// first join multiplies both values by 1 + C of the children A, which is 1 + d; the second one multiplies the value at
// rank 0 by 1 + d again. A value that is larger than the decay is *raised*, and what it has risen by is what callers
// add up. A bucket whose ranks follow each other, as 0 and 1 do, is a *run*, through which one can go quickly.
#pragma once

#include "gram/gradients/gradients.hpp"
#include "gram/pairs/pair_norms.hpp"
#include "kernels/subset/gradient.hpp"
#include "kernels/subset/norms.hpp"
#include "kernels/subset/subset.hpp"
#include "kernels/subset/weighted_forest.hpp"

namespace treekernels {

struct SubsetKernel {
    SubsetParameters parameters;

    CountDamping damping() const { return parameters.damping; }
    // Looks the productions up in the DAG of the trees.
    void resolve(const Dag& dag) { parameters.resolve(dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned threads,
                                     const Task& task) const {
        if (parameters.cut_weight != 1.0) return cut_rows<Real>(corpus, columns, task);
        return subset_rows<Real>(corpus, columns, parameters, threads, task);
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm, const Task& task) const {
        return subset_pairs<Real>(corpus, parameters, algorithm, task);
    }
    template <class Real>
    Norms<Real> norms(const Corpus& corpus, const Task& task) const {
        if (parameters.cut_weight != 1.0) {
            const auto alone = [this](const Corpus& tree, const Task& shared) {
                return cut_rows<Real>(tree, 1, shared);
            };
            return pair_norms<Real>(corpus, pairs<Real>(corpus, PairAlgorithm::merged, task), alone);
        }
        return subset_norms<Real>(corpus, parameters);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_subset_forest(parameters, outputs);
    }
    // Keeps at most about `bytes` of C(u, v), and computes the rest when needed.
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t bytes) const {
        return make_subset_responder(parameters, outputs, dag, bytes);
    }
    std::unique_ptr<WeightedTrees> weighted_trees(std::size_t outputs, const Dag& dag) const {
        return make_subset_trees(parameters, outputs, dag);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_subset_norm(parameters, dag); }

private:
    template <class Real>
    std::unique_ptr<Rows<Real>> cut_rows(const Corpus& corpus, std::size_t columns, const Task& task) const {
        const LabelPlaces none{{}, std::vector<std::uint32_t>(corpus.label_count(), kNone)};
        return std::make_unique<SummedRows<Real>>(corpus, columns,
                                                  subset_gradients<Real>(corpus, columns, parameters, none), task);
    }
};

}  // namespace treekernels
