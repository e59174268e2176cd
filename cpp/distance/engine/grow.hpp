// Vectors for all pairs of nodes, which may take gigabytes.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/threads/tasks.hpp"

namespace treekernels {

// Gives a vector so many elements; new ones are zeros. To write them may take seconds, in which Ctrl-C is listened to.
template <class Vector>
void grow_to(Vector& vector, std::size_t size, const Task& task) {
    constexpr std::size_t kAtOnce = std::size_t(1) << 24;
    vector.reserve(size);
    while (vector.size() != size) {
        vector.resize(std::min(size, vector.size() + kAtOnce));
        task.check();
    }
}

}  // namespace treekernels
