// Memory that is taken before anything is changed, so that what comes after it cannot fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace treekernels {

// After this, `count` more elements can be appended without fail. Grows as an append would.
template <class T>
void make_room(std::vector<T>& vector, std::size_t count) {
    const std::size_t size = vector.size() + count;
    if (size > vector.capacity()) vector.reserve(std::max(size, 2 * vector.capacity()));
}

}  // namespace treekernels
