// The subset-tree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
//
// To read on: rule.hpp has the formula, and all else sums it up over pairs of nodes. norms.cpp and gradient.cpp do so
// as their names say, and subset.cpp for the pairwise algorithms. subset.cpp for Gram matrices, weighted_forest.cpp for
// models and responder.cpp for support vector machines look at many pairs at once, by rows of C: they are made in
// rows/raise.hpp from the subtrees that rows/layout.hpp finds, and kept by rows/row.hpp.
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
