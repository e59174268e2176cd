// Loops that are compiled for several instruction sets; the best that the machine has is run.
//
//     void scale(double* values, std::size_t size, double factor) {
//         with_simd([&]() TREEKERNELS_INLINE_LAMBDA { scale_all(values, size, factor); });
//     }
//
// where scale_all is TREEKERNELS_INLINE, as is all that it calls: what is not inlined is not compiled again. Only loops
// over independent elements belong there: then every variant gives the same bits.
//
// By functions with attributes and a test, not by `target_clones`, which clang has on some systems only. On ARM the
// vectors are part of what every machine has; compilers without these attributes do with the plain loop.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define TREEKERNELS_INLINE __forceinline
#define TREEKERNELS_INLINE_LAMBDA [[msvc::forceinline]]
#else
#define TREEKERNELS_INLINE inline __attribute__((always_inline))
#define TREEKERNELS_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace treekernels {

enum class SimdLevel { plain, avx2, avx512 };

#if defined(__x86_64__) && defined(__GNUC__)

inline SimdLevel best_simd_level() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return SimdLevel::plain;
    // What x86-64-v4 has beyond that. The rest of it is in every machine with these.
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("fma");
    return v4 ? SimdLevel::avx512 : SimdLevel::avx2;
}

template <class Loop>
__attribute__((target("avx2"))) void run_with_avx2(const Loop& loop) {
    loop();
}
template <class Loop>
__attribute__((target("arch=x86-64-v4"))) void run_with_avx512(const Loop& loop) {
    loop();
}

// Changed by tests only. Before it is set, as other files' globals are made, it is `plain`.
inline SimdLevel simd_level = best_simd_level();

template <class Loop>
TREEKERNELS_INLINE void with_simd(const Loop& loop) {
    switch (simd_level) {
        case SimdLevel::avx512:
            return run_with_avx512(loop);
        case SimdLevel::avx2:
            return run_with_avx2(loop);
        default:
            loop();
    }
}

#else

inline SimdLevel best_simd_level() { return SimdLevel::plain; }
inline SimdLevel simd_level = SimdLevel::plain;

template <class Loop>
TREEKERNELS_INLINE void with_simd(const Loop& loop) {
    loop();
}

#endif

}  // namespace treekernels
