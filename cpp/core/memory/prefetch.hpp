// Asks for memory that is about to be read, so that it is there by then. Never more than a hint.
#pragma once

namespace treekernels {

inline void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory);
#endif
}

}  // namespace treekernels
