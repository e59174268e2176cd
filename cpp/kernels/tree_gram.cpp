#include "kernels/tree_gram.hpp"

namespace treekernels {

TREEKERNELS_COMPILE_GRAM(TreeSource)

}  // namespace treekernels
