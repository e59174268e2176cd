// Kernels of features that can be counted, as the table of kernels (tree_kernel.hpp) knows them: parameters, and what
// is made of them.
#pragma once

#include "kernels/features/feature_gram.hpp"
#include "kernels/features/weighted_forest.hpp"

namespace treekernels {

struct FeatureKernel {
    FeatureParameters parameters;

    void resolve(const Dag& dag) { parameters.resolve(dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned, const Task& task) const {
        return feature_rows<Real>(corpus, columns, parameters, task);
    }
    template <class Real>
    Norms<Real> norms(const Corpus& corpus, const Task& task) const {
        return feature_norms<Real>(corpus, parameters, task);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_feature_forest(parameters, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t) const {
        return make_feature_responder(parameters, outputs, dag);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_feature_norm(parameters, dag); }
};

}  // namespace treekernels
