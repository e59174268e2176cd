// Memory that is free, but that the C library keeps for later, goes back to the system.
#pragma once

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace treekernels {

// Takes some milliseconds. Elsewhere than with the GNU library, it does nothing.
inline void give_back_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace treekernels
