#include "gram/vector_sum.hpp"

#include "core/assert.hpp"
#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

template <class Real>
TREEKERNELS_INLINE void sum_vectors(Real* target, const Real* base, std::span<const Real* const> columns,
                                    std::size_t size) {
    TREEKERNELS_ASSERT(!columns.empty());
    if (columns.size() == 1) {
        for (std::size_t i = 0; i < size; ++i) target[i] = base[i] + columns[0][i];
        return;
    }
    for (std::size_t i = 0; i < size; ++i) target[i] = base[i] + columns[0][i] + columns[1][i];
    for (std::size_t j = 2; j < columns.size(); ++j)
        for (std::size_t i = 0; i < size; ++i) target[i] += columns[j][i];
}

}  // namespace

void sum_columns(float* target, const float* base, std::span<const float* const> columns, std::size_t size) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { sum_vectors(target, base, columns, size); });
}
void sum_columns(double* target, const double* base, std::span<const double* const> columns, std::size_t size) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { sum_vectors(target, base, columns, size); });
}
void sum_columns(Wide* target, const Wide* base, std::span<const Wide* const> columns, std::size_t size) {
    sum_vectors(target, base, columns, size);
}

}  // namespace treekernels
