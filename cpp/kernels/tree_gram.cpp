#include "kernels/tree_gram.hpp"

#include "gram/gram_engine.hpp"

namespace treekernels {

TREEKERNELS_COMPILE_GRAM(TreeSource)

}  // namespace treekernels
