// The subpath kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "kernels/subpath/subpath.hpp"
#include "kernels/subpath/weighted_forest.hpp"

namespace treekernels {

struct SubpathKernel {
    SubpathParameters parameters;

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned, const Task& task) const {
        return subpath_rows<Real>(corpus, columns, parameters, task);
    }
    template <class Real>
    std::unique_ptr<Norms<Real>> norms(const Corpus& corpus, const Task& task) const {
        return subpath_norms<Real>(corpus, parameters, task);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_subpath_forest(parameters, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t) const {
        return make_subpath_responder(parameters, outputs, dag);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_subpath_norm(parameters, dag); }
};

}  // namespace treekernels
