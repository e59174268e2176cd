// Eight numbers that are moved and computed as one: the unit of permutations that SIMD can do.
#pragma once

#include <cstddef>

#include "core/memory/simd.hpp"

namespace treekernels {

inline constexpr std::size_t kLineLanes = 8;

// The two permutations within a line. Composed in any order up to eight times, they give 510 different ones.
#define TREEKERNELS_LANES_1 3, 6, 1, 5, 7, 0, 4, 2
#define TREEKERNELS_LANES_2 1, 2, 3, 4, 5, 6, 7, 0

// Without it, as with MSVC or when TREEKERNELS_NO_SHUFFLE asks for that, plain loops give the same bits.
#if defined(__has_builtin) && !defined(TREEKERNELS_NO_SHUFFLE)
#if __has_builtin(__builtin_shufflevector)
#define TREEKERNELS_HAS_SHUFFLE
#endif
#endif

#ifdef TREEKERNELS_HAS_SHUFFLE

template <class T>
struct LineOf {
    typedef T Type __attribute__((vector_size(kLineLanes * sizeof(T)), may_alias));
};
template <class T>
using Line = typename LineOf<T>::Type;

#define TREEKERNELS_SHUFFLE(line, ...) __builtin_shufflevector(line, line, __VA_ARGS__)

#else

template <class T>
struct Line {
    T lane[kLineLanes];
    friend TREEKERNELS_INLINE Line operator+(const Line& a, const Line& b) {
        Line result;
        for (std::size_t i = 0; i < kLineLanes; ++i) result.lane[i] = a.lane[i] + b.lane[i];
        return result;
    }
    friend TREEKERNELS_INLINE Line operator*(const Line& a, const Line& b) {
        Line result;
        for (std::size_t i = 0; i < kLineLanes; ++i) result.lane[i] = a.lane[i] * b.lane[i];
        return result;
    }
    friend TREEKERNELS_INLINE Line operator*(T factor, const Line& a) {
        Line result;
        for (std::size_t i = 0; i < kLineLanes; ++i) result.lane[i] = factor * a.lane[i];
        return result;
    }
};

template <class T>
TREEKERNELS_INLINE Line<T> shuffled(const Line<T>& line, const int (&from)[kLineLanes]) {
    Line<T> result;
    for (std::size_t i = 0; i < kLineLanes; ++i) result.lane[i] = line.lane[from[i]];
    return result;
}
#define TREEKERNELS_SHUFFLE(line, ...) shuffled(line, {__VA_ARGS__})

#endif

}  // namespace treekernels
