// Loaded before everything else (LD_PRELOAD), this counts what C++ allocates, and lets one allocation fail.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left{-1};  // good allocations until one fails; less than 0 for never
std::atomic<long> alive{0};  // allocations that were not freed yet
std::atomic<long> failed{0};

void* allocate(std::size_t size, std::size_t alignment) {
    if (left.load(std::memory_order_relaxed) >= 0 && left.fetch_sub(1) == 0) {
        ++failed;
        throw std::bad_alloc();
    }
    if (size == 0) size = 1;
    void* memory = alignment == 0 ? std::malloc(size)
                                  : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!memory) throw std::bad_alloc();
    ++alive;
    return memory;
}

void* allocate_or_null(std::size_t size, std::size_t alignment) noexcept {
    try {
        return allocate(size, alignment);
    } catch (...) {
        return nullptr;
    }
}

void release(void* memory) noexcept {
    if (memory) --alive;
    std::free(memory);
}

}  // namespace

extern "C" {
void fail_after(long good) { left = good; }
long failed_allocations() { return failed; }
long alive_allocations() { return alive; }
}

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new[](std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t to) { return allocate(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return allocate(size, static_cast<std::size_t>(to)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size, 0); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
