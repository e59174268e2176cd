#include "features.hpp"

#include "simd.hpp"

namespace treekernels {

TREEKERNELS_SIMD void add_scaled(double* target, std::size_t size, std::span<const ScaledCounts> terms) {
    constexpr std::size_t kTile = 512;  // stays in the nearest cache while all terms are added
    for (std::size_t begin = 0; begin < size; begin += kTile) {
        const std::size_t end = std::min(size, begin + kTile);
        for (const ScaledCounts& term : terms) {
            const double weight = term.weight;
            const float* counts = term.counts;
            for (std::size_t i = begin; i < end; ++i) target[i] += weight * static_cast<double>(counts[i]);
        }
    }
}

}  // namespace treekernels
