#include "gram.hpp"

namespace treekernels {

TREEKERNELS_COMPILE_GRAM(TreeSource)

}  // namespace treekernels
