#include "gram/features.hpp"

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

template <class Sum>
TREEKERNELS_INLINE void add_all(Sum* target, std::size_t size, std::span<const ScaledCounts<Sum>> terms) {
    constexpr std::size_t kTile = 4096 / sizeof(Sum);  // stays in the nearest cache while all terms are added
    for (std::size_t begin = 0; begin < size; begin += kTile) {
        const std::size_t end = std::min(size, begin + kTile);
        for (const ScaledCounts<Sum>& term : terms) {
            const Sum weight = term.weight;
            const std::uint8_t* counts = term.counts;
            for (std::size_t i = begin; i < end; ++i)
                target[i] = static_cast<Sum>(target[i] + weight * static_cast<Sum>(counts[i]));
        }
    }
}

}  // namespace

void add_scaled(double* target, std::size_t size, std::span<const ScaledCounts<double>> terms) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(target, size, terms); });
}
void add_scaled(std::uint16_t* target, std::size_t size, std::span<const ScaledCounts<std::uint16_t>> terms) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(target, size, terms); });
}
void add_scaled(std::uint32_t* target, std::size_t size, std::span<const ScaledCounts<std::uint32_t>> terms) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(target, size, terms); });
}

}  // namespace treekernels
