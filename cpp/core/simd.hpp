// Marks a function to be compiled for several instruction sets; the best one is chosen when the module is loaded.
// Only loops over independent elements belong in such a function: then every variant gives the same bits.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define TREEKERNELS_SIMD __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TREEKERNELS_SIMD
#endif
