// Derivatives of the subtree kernel.
#pragma once

#include <memory>

#include "gram/gradients/gradients.hpp"
#include "kernels/subtree/subtree.hpp"

namespace treekernels {

template <class Real>
std::unique_ptr<Gradients<Real>> subtree_gradients(const Corpus& corpus, const SubtreeParameters& parameters,
                                                   const LabelPlaces& places);

}  // namespace treekernels
