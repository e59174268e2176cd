// A lock for objects of Python whose methods are more than one call of the core.
#include <map>
#include <mutex>
#include <thread>

#include "bind/bind.hpp"

namespace treekernels {

namespace {

// Readers share, a writer is alone. A thread that holds it may ask for it once more, but not to write if it only reads.
// It is here and not in Python so that Ctrl-C comes before or after, but never while it is taken or let go.
class ReaderWriterLock {
public:
    void enter(bool alone) {
        const auto self = std::this_thread::get_id();
        if (hold_once_more(self, alone)) return;
        // Made before: once the lock is held, nothing may fail.
        std::map<std::thread::id, Holder> entry;
        entry.emplace(self, Holder{1, alone});
        if (!(alone ? mutex_.try_lock() : mutex_.try_lock_shared())) wait(alone);
        const std::lock_guard guard(holders_mutex_);
        holders_.merge(entry);
    }
    void leave() {
        const std::lock_guard guard(holders_mutex_);
        const auto holder = holders_.find(std::this_thread::get_id());
        if (holder == holders_.end()) throw std::logic_error("this thread does not hold the lock");
        if (--holder->second.depth > 0) return;
        holder->second.alone ? mutex_.unlock() : mutex_.unlock_shared();
        holders_.erase(holder);
    }
    // Whether this thread is changing what the lock guards.
    bool is_changing() {
        const std::lock_guard guard(holders_mutex_);
        const auto holder = holders_.find(std::this_thread::get_id());
        return holder != holders_.end() && holder->second.alone;
    }

private:
    struct Holder {
        std::size_t depth;
        bool alone;
    };

    bool hold_once_more(std::thread::id self, bool alone) {
        const std::lock_guard guard(holders_mutex_);
        const auto holder = holders_.find(self);
        if (holder == holders_.end()) return false;
        if (alone && !holder->second.alone) throw std::logic_error("a thread cannot change what it is reading");
        ++holder->second.depth;
        return true;
    }
    // On a thread of its own, while this one listens for Ctrl-C.
    void wait(bool alone) {
        bool entered = false;
        const auto execution = execution_of(1, nb::none());
        const GilReleased released;
        Task task(1);
        const auto enter = [&](Task& shared) {
            alone ? mutex_.lock(shared) : mutex_.lock_shared(shared);
            entered = true;
        };
        try {
            run_watched(task, 1, enter, execution.watch);
        } catch (...) {  // Ctrl-C may have come just too late
            if (entered) alone ? mutex_.unlock() : mutex_.unlock_shared();
            throw;
        }
    }

    SharedMutex mutex_;
    std::mutex holders_mutex_;
    std::map<std::thread::id, Holder> holders_;
};

// What `with` takes.
struct Entry {
    ReaderWriterLock& lock;
    bool alone;
};

}  // namespace

void bind_reader_writer_lock(nb::module_& m) {
    nb::class_<Entry>(m, "LockEntry")
        .def("__enter__", [](Entry& entry) { entry.lock.enter(entry.alone); })
        .def(
            "__exit__",
            [](Entry& entry, const nb::object&, const nb::object&, const nb::object&) { entry.lock.leave(); },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none());
    nb::class_<ReaderWriterLock>(m, "ReaderWriterLock", "Readers share, a writer is alone.")
        .def(nb::init<>())
        .def(
            "reading", [](ReaderWriterLock& lock) { return Entry{lock, false}; }, nb::keep_alive<0, 1>())
        .def_prop_ro("is_changing", &ReaderWriterLock::is_changing)
        .def("writing", [](ReaderWriterLock& lock) { return Entry{lock, true}; }, nb::keep_alive<0, 1>());
}

}  // namespace treekernels
