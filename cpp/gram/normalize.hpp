// K(a, b) / sqrt(K(a, a) K(b, b)).
#pragma once

#include <cstddef>

#include "core/wide.hpp"

namespace treekernels {

// Of one example and `count` others; `root` and `roots` are their inverse roots of norms. No value is larger than 1.
void normalize(const double* from, double root, const double* roots, std::size_t count, double* to);
void normalize(const double* from, double root, const double* roots, std::size_t count, float* to);
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, double* to);
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, float* to);

}  // namespace treekernels
