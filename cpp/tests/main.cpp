// Runs the tests, or those whose name contains the one argument.
#include <exception>
#include <string_view>

#include "tests/support/check.hpp"

int main(int argument_count, char** arguments) {
    using namespace treekernels::tests;
    const std::string_view wanted = argument_count > 1 ? arguments[1] : "";
    std::size_t run = 0, failed = 0;
    for (const Test& test : all_tests()) {
        if (std::string_view(test.name).find(wanted) == std::string_view::npos) continue;
        ++run;
        const std::size_t before = failures;
        try {
            test.run();
        } catch (const std::exception& error) {
            fail(test.name, 0, std::string("ended by an exception: ") + error.what());
        }
        if (failures == before) continue;
        ++failed;
        std::cerr << "FAILED: " << test.name << "\n";
    }
    std::cout << run << " C++ tests with " << checks << " checks, " << failed << " failed\n";
    return failed == 0 && run > 0 ? 0 : 1;
}
