// Derivatives of the subset-tree kernel, and its values where fragments that are cut off weigh less.
#pragma once

#include <memory>

#include "gram/gradients/gradients.hpp"
#include "kernels/subset/subset.hpp"

namespace treekernels {

// Of the first `columns` trees.
template <class Real>
std::unique_ptr<Gradients<Real>> subset_gradients(const Corpus& corpus, std::size_t columns,
                                                  const SubsetParameters& parameters, const LabelPlaces& places);

}  // namespace treekernels
