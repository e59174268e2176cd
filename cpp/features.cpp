#include "features.hpp"

#include "simd.hpp"

namespace treekernels {

TREEKERNELS_SIMD void add_scaled(double* target, double weight, const double* source, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) target[i] += weight * source[i];
}

}  // namespace treekernels
