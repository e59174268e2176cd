// The subset-tree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "kernels/subset/norms.hpp"
#include "kernels/subset/subset.hpp"
#include "kernels/subset/weighted_forest.hpp"
#include "kernels/subset/weighted_trees.hpp"

namespace treekernels {

struct SubsetKernel {
    SubsetParameters parameters;

    CountDamping damping() const { return parameters.damping; }
    // Looks the productions up in the DAG of the trees.
    void resolve(const Dag& dag) { parameters.resolve(dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned threads,
                                     const Task& task) const {
        return subset_rows<Real>(corpus, columns, parameters, threads, task);
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm, const Task& task) const {
        return subset_pairs<Real>(corpus, parameters, algorithm, task);
    }
    template <class Real>
    std::unique_ptr<Norms<Real>> norms(const Corpus& corpus, const Task&) const {
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
};

}  // namespace treekernels
