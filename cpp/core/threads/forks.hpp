// Which process this is, counted in forks from the first one.
//
// A forked process has one thread, and memory in which the others may have been in the middle of something.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>

namespace treekernels {

// Something cannot be used in a forked process.
class Abandoned : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Forks {
public:
    static std::uint64_t count() { return count_.load(std::memory_order_acquire); }
    // For what has to be done once in a new process.
    static std::mutex& mutex() { return mutex_; }
    // To be called in a new process before anything else.
    static void begin_child() {
        new (&mutex_) std::mutex;
        count_.fetch_add(1, std::memory_order_acq_rel);
    }

private:
    static inline std::atomic<std::uint64_t> count_{0};
    static inline std::mutex mutex_;
};

}  // namespace treekernels
