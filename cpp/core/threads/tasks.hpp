// Work on several threads that can be watched and stopped.
//
// The workers only ever take numbered blocks of work whose results do not depend on who takes them, so the
// outcome has the same bits for any number of threads. No thread outlives the call: safe after fork.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace treekernels {

// Thrown inside a worker whose task was stopped; the watcher knows why.
class Stopped : public std::exception {};

class Task {
public:
    explicit Task(std::uint64_t total) : total_(total) {}

    void advance(std::uint64_t units) { done_.fetch_add(units, std::memory_order_relaxed); }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    // To be called often enough by every long loop: some thousand operations apart.
    void check() const {
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
    }
    std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
    std::uint64_t total() const { return total_; }

private:
    std::uint64_t total_;
    std::atomic<std::uint64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

// Runs `work` on `threads` threads and, from the calling thread, `watch` about ten times a second. An
// exception from either stops all workers and is thrown again once they have ended. What is so brief that there is
// nothing to watch needs no threads either: without a `watch` it is done at once.
void run_watched(Task& task, unsigned threads, const std::function<void(Task&)>& work,
                 const std::function<void(Task&)>& watch);

// How a call uses the machine, and who is to be told of its progress.
struct Execution {
    unsigned threads;
    std::function<void(Task&)> watch;
};

// Calls part(0) ... part(count - 1) at the same time, each but the first on a thread of its own. All have ended when
// one fails.
template <class Part>
void run_parts(std::size_t count, Part part) {
    if (count <= 1) {
        if (count == 1) part(std::size_t{0});
        return;
    }
    std::vector<std::exception_ptr> failures(count);
    const auto run = [&](std::size_t number) {
        try {
            part(number);
        } catch (...) {
            failures[number] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(count - 1);
        for (std::size_t number = 1; number < count; ++number) others.emplace_back(run, number);
        run(0);
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

// Runs two brief pieces of work, at the same time if there are threads for it.
template <class First, class Second>
void run_both(unsigned threads, First first, Second second) {
    const auto both = [&](std::size_t number) { number == 0 ? first() : second(); };
    if (threads >= 2) return run_parts(2, both);
    first();
    second();
}

// Things that are done one after the other by one thread, while others wait for each.
class Milestones {
public:
    void pass(std::size_t number) { set(number + 1); }
    // No more will be passed.
    void give_up() { set(kNever); }
    // Waits until it is passed. False if it never will be.
    bool await(std::size_t number) const {
        std::size_t passed;
        while ((passed = passed_) <= number) passed_.wait(passed);
        return passed != kNever;
    }

private:
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

    void set(std::size_t passed) {
        passed_ = passed;
        passed_.notify_all();
    }

    std::atomic<std::size_t> passed_{0};
};

// Takes the numbers 0 .. count-1 in turn, shared by all workers of a task.
class Counter {
public:
    explicit Counter(std::size_t count) : count_(count) {}
    bool take(std::size_t& number) {
        number = next_.fetch_add(1, std::memory_order_relaxed);
        return number < count_;
    }

private:
    std::size_t count_;
    std::atomic<std::size_t> next_{0};
};

}  // namespace treekernels
