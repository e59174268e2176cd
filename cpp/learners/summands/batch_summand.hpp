// Trees against a weighted forest that scores many trees at a time.
#pragma once

#include "learners/summand.hpp"

namespace treekernels {

// Of a forest that is `in_batches`.
std::unique_ptr<Summand> batch_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                       std::span<const Node> roots);

}  // namespace treekernels
