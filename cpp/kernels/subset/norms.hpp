// Norms of the subset-tree kernel: the sum of C over all pairs of nodes of one tree that have the same production.
#pragma once

#include <memory>

#include "kernels/subset/subset.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

template <class Real>
Norms<Real> subset_norms(const Corpus& corpus, SubsetParameters parameters);

// The same for trees of a DAG, one after the other.
std::unique_ptr<TreeNorm> make_subset_norm(SubsetParameters parameters, const Dag& dag);

}  // namespace treekernels
