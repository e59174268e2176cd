// The weighted forest of kernels of features: one weight for each feature and output, beside those of the subtrees.
#pragma once

#include "kernels/features/feature_table.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

std::unique_ptr<WeightedForest> make_feature_forest(const FeatureParameters& parameters, std::size_t outputs);
std::unique_ptr<Responder> make_feature_responder(const FeatureParameters& parameters, std::size_t outputs,
                                                  const Dag& dag);
std::unique_ptr<TreeNorm> make_feature_norm(const FeatureParameters& parameters, const Dag& dag);

}  // namespace treekernels
