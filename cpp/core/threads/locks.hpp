// Locks on what several threads may use: readers share, a writer is alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/threads/forks.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// Like std::shared_mutex, but a thread that waits hears that its task was stopped, and a writer who waits goes before
// readers who come later: a steady stream of them cannot keep it out. So a thread that reads must not ask to read once
// more.
//
// A forked process has none of the threads that held the lock: it is free there. If one of them was writing, what it
// guards is in pieces, and to lock it throws Abandoned.
class SharedMutex {
public:
    SharedMutex() = default;
    SharedMutex(const SharedMutex&) = delete;
    SharedMutex& operator=(const SharedMutex&) = delete;

    bool try_lock() {
        renew();
        const std::lock_guard guard(mutex_);
        return enter_alone();
    }
    bool try_lock_shared() {
        renew();
        const std::lock_guard guard(mutex_);
        return enter_shared();
    }
    // Throw Stopped, without the lock, if the task is stopped in the meantime.
    void lock(const Task& task) {
        renew();
        std::unique_lock guard(mutex_);
        ++writers_waiting_;
        try {
            wait(guard, task, [this] { return enter_alone(); });
        } catch (...) {
            --writers_waiting_;
            changed_.notify_all();
            throw;
        }
        --writers_waiting_;
    }
    void lock_shared(const Task& task) {
        renew();
        std::unique_lock guard(mutex_);
        wait(guard, task, [this] { return enter_shared(); });
    }
    void unlock() {
        renew();
        const std::lock_guard guard(mutex_);
        writing_ = abandoned_ = false;  // in a forked process: it was this thread that was writing
        changed_.notify_all();
    }
    void unlock_shared() {
        renew();
        const std::lock_guard guard(mutex_);
        if (readers_ > 0 && --readers_ == 0) changed_.notify_all();
    }

private:
    // Forgets the threads of the process that this one was forked from.
    void renew() {
        if (forks_.load(std::memory_order_acquire) == Forks::count()) return;
        const std::lock_guard guard(Forks::mutex());
        if (forks_.load(std::memory_order_relaxed) == Forks::count()) return;
        // Somebody who is not here may hold them, so that they can neither be locked nor destroyed.
        new (&mutex_) std::mutex;
        new (&changed_) std::condition_variable;
        abandoned_ = abandoned_ || writing_;
        readers_ = writers_waiting_ = 0;
        writing_ = false;
        forks_.store(Forks::count(), std::memory_order_release);
    }
    void check_whole() const {
        if (abandoned_)
            throw Abandoned(
                "another thread was changing this when the process was forked: make it anew here, or fork before");
    }
    bool enter_alone() {
        check_whole();
        if (writing_ || readers_ > 0) return false;
        return writing_ = true;
    }
    bool enter_shared() {
        check_whole();
        if (writing_ || writers_waiting_ > 0) return false;
        ++readers_;
        return true;
    }
    template <class Enter>
    void wait(std::unique_lock<std::mutex>& guard, const Task& task, Enter enter) {
        while (!changed_.wait_for(guard, std::chrono::milliseconds(50), enter)) task.check();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t readers_ = 0, writers_waiting_ = 0;
    bool writing_ = false, abandoned_ = false;
    std::atomic<std::uint64_t> forks_{Forks::count()};
};

// All that a piece of work reads and changes. It is locked in the order of the addresses, so that no two threads wait
// for each other. The same list may serve several threads, each of which holds the locks for itself.
class Locks {
    struct Wanted {
        SharedMutex* mutex;
        bool alone;
    };

public:
    // Lets go of the locks in the end.
    class Held {
    public:
        Held() = default;
        Held(Held&& other) noexcept : wanted_(std::exchange(other.wanted_, nullptr)), count_(other.count_) {}
        Held& operator=(Held&&) = delete;
        ~Held() {
            while (wanted_ && count_ > 0) {
                const Wanted& last = (*wanted_)[--count_];
                last.alone ? last.mutex->unlock() : last.mutex->unlock_shared();
            }
        }

    private:
        friend class Locks;
        explicit Held(const Locks& locks) : wanted_(&locks.wanted_) {}

        const std::vector<Wanted>* wanted_ = nullptr;
        std::size_t count_ = 0;  // of the list, from its beginning
    };

    Locks& read(SharedMutex& mutex) { return add(mutex, false); }
    Locks& write(SharedMutex& mutex) { return add(mutex, true); }

    // All of them at once, or none.
    std::optional<Held> try_lock() const {
        Held held(*this);
        for (const Wanted& wanted : wanted_) {
            if (!(wanted.alone ? wanted.mutex->try_lock() : wanted.mutex->try_lock_shared())) return std::nullopt;
            ++held.count_;
        }
        return held;
    }
    // Throws Stopped if the task is stopped before it has all of them.
    [[nodiscard]] Held lock(const Task& task) const {
        Held held(*this);
        for (const Wanted& wanted : wanted_) {
            wanted.alone ? wanted.mutex->lock(task) : wanted.mutex->lock_shared(task);
            ++held.count_;
        }
        return held;
    }

private:
    // What is both read and changed is locked once.
    Locks& add(SharedMutex& mutex, bool alone) {
        const auto place = std::ranges::lower_bound(wanted_, &mutex, std::less<>(), &Wanted::mutex);
        if (place != wanted_.end() && place->mutex == &mutex)
            place->alone = place->alone || alone;
        else
            wanted_.insert(place, {&mutex, alone});
        return *this;
    }

    std::vector<Wanted> wanted_;
};

}  // namespace treekernels
