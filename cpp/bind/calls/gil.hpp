// The GIL, let go and taken back so that a daemon thread can be in the core while Python ends.
//
// A thread that asks for the GIL when Python has begun to end is ended by Python, in the middle of C++ that cannot be
// left like that: the process would abort. So a thread that asks by then waits for ever instead, as those of later
// versions of Python do, and Python does not begin to end while a thread is asking.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

namespace treekernels {

class Ending {
public:
    // Calls `ask`, which asks for the GIL.
    template <class Ask>
    static void wait_for_gil(Ask ask) {
        asking_.fetch_add(1);
        if (begun_.load() && !is_ender()) {
            asking_.fetch_sub(1);
            wait_for_end();
        }
        ask();
        asking_.fetch_sub(1);
    }
    // Calls code of Python, which is switched away from now and then and asks for the GIL by itself. Where it may not
    // come back, Python unwinds the stack: as far as here.
    template <class Call>
    static void call_python(Call call) {
        struct Guard {
            bool returned = false;
            ~Guard() {
                if (!returned) wait_for_end();
            }
        } guard;
        try {
            call();
        } catch (const std::exception&) {  // which unwinding is not
            guard.returned = true;
            throw;
        }
        guard.returned = true;
    }
    // To be called by the thread that ends Python, with the GIL.
    static void begin() {
        ender_ = std::this_thread::get_id();
        begun_.store(true);
        otherwise_ = std::set_terminate(&Ending::terminate);
        const nanobind::gil_scoped_release released;
        // On a busy machine it may take them seconds to get what they ask for.
        for (int tries = 0; asking_.load() > 0 && tries < 60'000; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    static bool is_ender() { return std::this_thread::get_id() == ender_; }
    [[noreturn]] static void wait_for_end() {
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    // Code of Python also runs where nobody calls it: when objects are freed, or made of others. Unwinding ends here,
    // at a function that must not throw.
    [[noreturn]] static void terminate() {
        if (!is_ender() && !std::current_exception()) wait_for_end();
        if (otherwise_) otherwise_();
        std::abort();
    }

    static inline std::atomic<int> asking_{0};
    static inline std::atomic<bool> begun_{false};
    static inline std::thread::id ender_;
    static inline std::terminate_handler otherwise_ = nullptr;
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
