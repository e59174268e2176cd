// The weighted forest of the subpath kernel: one weight for each path and column, beside those of the subtrees.
#pragma once

#include "kernels/subpath/paths.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

std::unique_ptr<WeightedForest> make_subpath_forest(SubpathParameters parameters, std::size_t outputs);
std::unique_ptr<Responder> make_subpath_responder(SubpathParameters parameters, std::size_t outputs, const Dag& dag);
std::unique_ptr<TreeNorm> make_subpath_norm(SubpathParameters parameters, const Dag& dag);

}  // namespace treekernels
