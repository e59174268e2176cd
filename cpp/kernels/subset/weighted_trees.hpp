// Trees of a DAG with coefficients, as a subset-tree model that scores others of the same DAG.
#pragma once

#include <memory>

#include "kernels/subset/subset.hpp"
#include "models/frozen_forest.hpp"

namespace treekernels {

std::unique_ptr<WeightedTrees> make_subset_trees(SubsetParameters parameters, std::size_t outputs, const Dag& dag);

}  // namespace treekernels
