#include "tests/support/failing_allocation.hpp"

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kNever = static_cast<std::size_t>(-1);
thread_local std::size_t left = kNever;

}  // namespace

namespace treekernels::tests {

FailingAllocation::FailingAllocation(std::size_t good) { left = good; }
FailingAllocation::~FailingAllocation() { left = kNever; }

}  // namespace treekernels::tests

// Instead of the library's own, for all of the program. Those for arrays call these.
void* operator new(std::size_t size) {
    if (left != kNever && left-- == 0) throw std::bad_alloc();
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (!memory) throw std::bad_alloc();
    return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (...) {
        return nullptr;
    }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
