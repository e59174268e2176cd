// The GIL, let go and taken back so that a daemon thread can be in the core while Python ends.
//
// A thread that asks for the GIL when Python has begun to end is ended by Python, in the middle of C++ that cannot be
// left like that: the process would abort. So whoever asks by then waits for ever instead, as the threads of later
// versions of Python do, and Python does not begin to end while somebody is asking.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace treekernels {

class Ending {
public:
    // Calls `ask`, which asks for the GIL.
    template <class Ask>
    static void wait_for_gil(Ask ask) {
        asking_.fetch_add(1);
        if (begun_.load() && std::this_thread::get_id() != ender_) {
            asking_.fetch_sub(1);
            while (true) std::this_thread::sleep_for(std::chrono::hours(1));
        }
        ask();
        asking_.fetch_sub(1);
    }
    // To be called by the thread that ends Python, with the GIL.
    static void begin() {
        ender_ = std::this_thread::get_id();
        begun_.store(true);
        const nanobind::gil_scoped_release released;
        // On a busy machine it may take them seconds to get what they ask for.
        for (int tries = 0; asking_.load() > 0 && tries < 60'000; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    static inline std::atomic<int> asking_{0};
    static inline std::atomic<bool> begun_{false};
    static inline std::thread::id ender_;
};

class GilReleased {
public:
    GilReleased() : state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        Ending::wait_for_gil([this] { PyEval_RestoreThread(state_); });
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

private:
    PyThreadState* state_;
};

// Of a thread that has let go of it.
class GilTaken {
public:
    GilTaken() {
        Ending::wait_for_gil([this] { state_ = PyGILState_Ensure(); });
    }
    ~GilTaken() { PyGILState_Release(state_); }
    GilTaken(const GilTaken&) = delete;
    GilTaken& operator=(const GilTaken&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace treekernels
