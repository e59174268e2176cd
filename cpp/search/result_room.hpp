// How many results a search may have: who finds some says so before they are kept.
#pragma once

#include <atomic>
#include <cstddef>

#include "core/errors.hpp"

namespace treekernels {

class ResultRoom {
public:
    explicit ResultRoom(std::size_t most) : most_(most) {}

    // May be called by several threads.
    void take(std::size_t count) {
        const std::size_t before = taken_.fetch_add(count, std::memory_order_relaxed);
        if (before > most_ || count > most_ - before)
            throw TooLarge(
                "more trees are that similar than there is memory for: use a larger threshold, or allow more with "
                "tk.set_limits(matrix_bytes=...)");
    }

private:
    const std::size_t most_;
    std::atomic<std::size_t> taken_{0};
};

}  // namespace treekernels
