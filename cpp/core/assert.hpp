// Preconditions that are checked in builds for tests and sanitizers, and cost nothing in others.
//
// What users can get wrong is refused by exceptions in every build. This is for what only we can get wrong.
#pragma once

#ifdef TREEKERNELS_ASSERTIONS

#include <stdexcept>
#include <string>

namespace treekernels {

// Thrown, so that a test can say which test it was, and that a worker's failure reaches the caller.
class AssertionFailure : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_assertion(const char* condition, const char* file, int line) {
    throw AssertionFailure(std::string(file) + ":" + std::to_string(line) + ": it does not hold that " + condition);
}

}  // namespace treekernels

#define TREEKERNELS_ASSERT(condition) \
    (static_cast<bool>(condition) ? void() : ::treekernels::fail_assertion(#condition, __FILE__, __LINE__))

#else

#define TREEKERNELS_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))

#endif
