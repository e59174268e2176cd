// The subtree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "kernels/subtree/subtree.hpp"
#include "kernels/subtree/weighted_forest.hpp"

namespace treekernels {

struct SubtreeKernel {
    SubtreeParameters parameters;

    CountDamping damping() const { return parameters.damping; }
    // Looks the productions up in the DAG of the trees.
    void resolve(const Dag& dag) { parameters.resolve(dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned threads,
                                     const Task& task) const {
        return subtree_rows<Real>(corpus, columns, parameters, threads, task);
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm, const Task& task) const {
        return subtree_pairs<Real>(corpus, parameters, algorithm, task);
    }
    template <class Real>
    Norms<Real> norms(const Corpus& corpus, const Task&) const {
        return subtree_norms<Real>(corpus, parameters);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_subtree_forest(parameters, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t) const {
        return make_subtree_responder(parameters, outputs, dag);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_subtree_norm(parameters, dag); }
};

}  // namespace treekernels
