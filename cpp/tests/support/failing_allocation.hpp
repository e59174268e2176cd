// Memory that runs out when a test wants it to.
#pragma once

#include <cstddef>

namespace treekernels::tests {

// While it lives, on this thread: the allocation after `good` others throws std::bad_alloc, and those after it do not.
class FailingAllocation {
public:
    explicit FailingAllocation(std::size_t good);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace treekernels::tests
