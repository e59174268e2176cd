// The weighted forest of the subset-tree kernel.
//
// Where productions agree but no child does, C(u, v) is the decay. For that part, a sum of weights for each production
// is enough. Only subtrees that agree in the production of a child as well are compared one by one.
#pragma once

#include "kernels/subset/subset.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

std::unique_ptr<WeightedForest> make_subset_forest(SubsetParameters parameters, std::size_t outputs);
std::unique_ptr<Responder> make_subset_responder(SubsetParameters parameters, std::size_t outputs, const Dag& dag,
                                                 std::size_t bytes);
// Trees of a DAG with coefficients, as a model that scores others of the same DAG.
std::unique_ptr<WeightedTrees> make_subset_trees(SubsetParameters parameters, std::size_t outputs, const Dag& dag);

}  // namespace treekernels
