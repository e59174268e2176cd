// Norms of the subset-tree kernel: C of all pairs of a tree's nodes that have the same production.
#pragma once

#include <memory>

#include "subset.hpp"

namespace treekernels {

template <class Real>
std::unique_ptr<Norms<Real>> subset_norms(const Corpus& corpus, SubsetParameters parameters);

}  // namespace treekernels
