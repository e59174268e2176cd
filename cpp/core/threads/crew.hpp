// Threads that are kept for pieces of work that come one after the other, each too brief to start threads for.
//
// Like `run_parts`, but the threads wait for the next call. They end with the crew, which belongs to one computation:
// nothing of it is left when a process is forked.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "core/assert.hpp"

namespace treekernels {

class Crew {
public:
    // The caller is one of them. The others are started when there is work for them.
    explicit Crew(std::size_t threads) : threads_(threads) {}
    ~Crew() {
        leaving_ = true;
        call();
    }

    std::size_t size() const { return threads_; }

    // Calls part(0) ... part(count - 1) at the same time, the first one here. All have ended when one fails. Not to be
    // called by two threads at a time.
    void run(std::size_t count, const std::function<void(std::size_t)>& part) {
        TREEKERNELS_ASSERT(count <= threads_);
        if (count <= 1) {
            if (count == 1) part(0);
            return;
        }
        while (others_.size() + 1 < threads_) {
            others_.emplace_back([this, number = others_.size() + 1, seen = round_.load()] { serve(number, seen); });
        }
        part_ = &part;
        count_ = count;
        failures_.assign(threads_, nullptr);
        busy_ = others_.size();
        call();
        do_part(0);
        for (std::size_t busy; (busy = busy_) > 0;) busy_.wait(busy);
        for (const std::exception_ptr& failure : failures_)
            if (failure) std::rethrow_exception(failure);
    }

private:
    void call() {
        ++round_;
        round_.notify_all();
    }

    void do_part(std::size_t number) {
        try {
            (*part_)(number);
        } catch (...) {
            failures_[number] = std::current_exception();
        }
    }

    // What one of the others does, round after round.
    void serve(std::size_t number, std::uint64_t seen) {
        for (;;) {
            round_.wait(seen);
            seen = round_;
            if (leaving_) return;
            if (number < count_) do_part(number);
            if (--busy_ == 0) busy_.notify_all();
        }
    }

    const std::size_t threads_;
    const std::function<void(std::size_t)>* part_ = nullptr;
    std::size_t count_ = 0;
    std::vector<std::exception_ptr> failures_;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<std::size_t> busy_{0};
    std::atomic<bool> leaving_{false};
    std::vector<std::jthread> others_;  // last, so that they end before the rest
};

}  // namespace treekernels
