// Sums of weighted vectors.
#pragma once

#include <cstddef>

#include "core/memory/simd.hpp"

namespace treekernels {

template <class T>
TREEKERNELS_INLINE void add_all_scaled(const T* __restrict from, T weight, std::size_t size, T* __restrict to) {
    for (std::size_t i = 0; i < size; ++i) to[i] += weight * from[i];
}
template <class T>
void add_scaled(const T* from, T weight, std::size_t size, T* to) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all_scaled(from, weight, size, to); });
}

}  // namespace treekernels
