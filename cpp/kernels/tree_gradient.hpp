// Derivatives of the Gram matrices of tree kernels.
#pragma once

#include "gram/gradients/gradient_matrix.hpp"
#include "kernels/tree_kernel.hpp"

namespace treekernels {

// Of a kernel whose labels are resolved, for the labels of the same DAG. Throws std::invalid_argument for a kernel
// without derivatives.
LabelPlaces label_places(const TreeKernel& kernel, GradientPlaces places, const Dag& dag);
void fill_tree_gradient(const Corpus& corpus, const TreeKernel& kernel, const LabelPlaces& places, bool normalize,
                        GradientView out, const Execution& execution);

}  // namespace treekernels
