// Derivatives of the partial-tree kernel.
#pragma once

#include <memory>

#include "gram/gradients/gradients.hpp"
#include "kernels/partial/partial.hpp"

namespace treekernels {

// Of the first `columns` trees.
template <class Real>
std::unique_ptr<Gradients<Real>> partial_gradients(const Corpus& corpus, std::size_t columns,
                                                   const PartialParameters& parameters, const LabelPlaces& places,
                                                   const Task& task);

}  // namespace treekernels
