#include "core/threads/tasks.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace treekernels {

void run_watched(Task& task, unsigned threads, const std::function<void(Task&)>& work,
                 const std::function<void(Task&)>& watch) {
    if (!watch) return work(task);
    std::mutex mutex;
    std::condition_variable finished;
    unsigned running = threads;
    std::exception_ptr failure;
    const auto body = [&] {
        try {
            work(task);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            task.stop();
        }
        const std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_all();
    };
    std::vector<std::jthread> workers;
    workers.reserve(threads);
    std::exception_ptr interruption;
    {
        std::unique_lock lock(mutex);
        for (unsigned started = 0; started < threads; ++started) {
            try {
                workers.emplace_back(body);
            } catch (...) {  // the system gives no more threads
                failure = std::current_exception();
                running -= threads - started;
                task.stop();
                break;
            }
        }
        while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
            if (interruption) continue;
            lock.unlock();
            try {
                watch(task);
            } catch (...) {
                interruption = std::current_exception();
                task.stop();
            }
            lock.lock();
        }
    }
    workers.clear();
    if (interruption) std::rethrow_exception(interruption);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace treekernels
