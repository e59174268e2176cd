// Unit tests in plain C++: TEST(name) { CHECK(condition); }.
//
// A check that fails prints where it stands and what it says, and the test goes on.
#pragma once

#include <atomic>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

namespace treekernels::tests {

struct Test {
    const char* name;
    void (*run)();
};

inline std::vector<Test>& all_tests() {
    static std::vector<Test> tests;
    return tests;
}

struct Registration {
    Registration(const char* name, void (*run)()) { all_tests().push_back({name, run}); }
};

inline std::atomic<std::size_t> checks = 0;
inline std::atomic<std::size_t> failures = 0;

// Prints the first failures of a run, and counts them all.
inline void fail(const char* file, int line, const std::string& what) {
    constexpr std::size_t kMostPrinted = 50;
    if (++failures <= kMostPrinted) std::cerr << file << ":" << line << ": " << what << "\n";
}

inline void check(bool holds, const char* expression, const char* file, int line) {
    ++checks;
    if (!holds) fail(file, line, std::string("it does not hold that ") + expression);
}

template <class Exception, class Function>
void check_throws(Function function, const char* expression, const char* exception, const char* file, int line) {
    ++checks;
    try {
        function();
    } catch (const Exception&) {
        return;
    }
    fail(file, line, std::string(expression) + " does not throw " + exception);
}

}  // namespace treekernels::tests

#define CHECK(...) ::treekernels::tests::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_THROWS(Exception, ...) \
    ::treekernels::tests::check_throws<Exception>([&] { __VA_ARGS__; }, #__VA_ARGS__, #Exception, __FILE__, __LINE__)

#define TEST(name)                                                                     \
    static void name();                                                                \
    static const ::treekernels::tests::Registration register_test_##name(#name, name); \
    static void name()
