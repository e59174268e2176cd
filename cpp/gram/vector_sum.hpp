// Sums of vectors of kernel values.
#pragma once

#include <cstddef>
#include <span>

#include "core/wide.hpp"

namespace treekernels {

// target = base + the sum of the columns, of which there is at least one.
void sum_columns(float* target, const float* base, std::span<const float* const> columns, std::size_t size);
void sum_columns(double* target, const double* base, std::span<const double* const> columns, std::size_t size);
void sum_columns(Wide* target, const Wide* base, std::span<const Wide* const> columns, std::size_t size);

}  // namespace treekernels
