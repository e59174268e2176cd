// Kernel values as numbers of the result: K(a, b) / sqrt(K(a, a) K(b, b)), or as they are.
#pragma once

#include <cstddef>
#include <limits>

#include "core/errors.hpp"
#include "core/wide.hpp"

namespace treekernels {

// Of one example and `count` others; `root` and `roots` are their inverse roots of norms. No value is larger than 1.
void normalize(const double* from, double root, const double* roots, std::size_t count, double* to);
void normalize(const double* from, double root, const double* roots, std::size_t count, float* to);
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, double* to);
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, float* to);

template <class T>
T narrowed(double value) {
    if (!(value <= static_cast<double>(std::numeric_limits<T>::max())))
        throw Overflow("a kernel value is too large for the result");
    return static_cast<T>(value);
}

}  // namespace treekernels
