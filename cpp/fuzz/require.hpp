// What a fuzz target says when something does not hold: the sanitizer prints where, and keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace treekernels::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it does not hold that %s\n", what);
    std::abort();
}

}  // namespace treekernels::fuzz
