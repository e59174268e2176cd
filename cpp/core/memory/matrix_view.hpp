// Writing to large matrices.
//
// A processor that stores to memory first reads what is there. Streaming stores do without, and leave the cache to
// those who need it: half the traffic, for a matrix that no cache would hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "core/assert.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace treekernels {

template <class T>
struct MatrixView {
    T* data;
    std::size_t stride;  // elements from one row to the next

    T* row(std::size_t number) const { return data + number * stride; }
};

inline constexpr std::size_t kCacheLine = 64;  // bytes

// Copies to other memory, that nobody will read soon. For other threads to see it, settle() first.
template <class T>
void stream(T* to, const T* from, std::size_t count) {
    if (count == 0) return;  // there may be no memory at all
    TREEKERNELS_ASSERT(std::less_equal<>{}(to + count, from) || std::less_equal<>{}(from + count, to));
    std::size_t done = 0;
#if defined(__SSE2__)
    const std::size_t beyond_line = reinterpret_cast<std::uintptr_t>(to) % kCacheLine;
    if (beyond_line % sizeof(T) == 0) {
        constexpr std::size_t kPart = sizeof(__m128i) / sizeof(T), kLine = kCacheLine / sizeof(T);
        done = std::min(count, (kLine - beyond_line / sizeof(T)) % kLine);
        std::memcpy(to, from, done * sizeof(T));
        for (; done + kLine <= count; done += kLine)
            for (std::size_t part = done; part < done + kLine; part += kPart)
                _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                                 _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + part)));
    }
#endif
    std::memcpy(to + done, from + done, (count - done) * sizeof(T));
}
inline void settle() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace treekernels
