// What can go wrong in a computation, told apart for the layer above.
#pragma once

#include <stdexcept>

namespace treekernels {

// A kernel value does not fit the numbers of the result.
class Overflow : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// More memory would be needed than it is sensible to ask for.
class TooLarge : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace treekernels
