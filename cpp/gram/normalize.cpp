#include "gram/normalize.hpp"

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

// Values are at most 1, but for rounding. Only a kernel that is none, as by similarities of labels that are not
// positive semi-definite, has larger ones; these stay what they are, since a model cannot change them either.
constexpr double kRounded = 1.0 + 1e-9;

template <class Real, class T>
TREEKERNELS_INLINE void normalize_all(const Real* from, Real root, const Real* roots, std::size_t count, T* to) {
    for (std::size_t i = 0; i < count; ++i) {
        const double value = to_double(from[i] * root * roots[i]);
        to[i] = static_cast<T>(value < 1.0 || value > kRounded ? value : 1.0);
    }
}

}  // namespace

void normalize(const double* from, double root, const double* roots, std::size_t count, double* to) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { normalize_all(from, root, roots, count, to); });
}
void normalize(const double* from, double root, const double* roots, std::size_t count, float* to) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { normalize_all(from, root, roots, count, to); });
}
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, double* to) {
    normalize_all(from, root, roots, count, to);
}
void normalize(const Wide* from, Wide root, const Wide* roots, std::size_t count, float* to) {
    normalize_all(from, root, roots, count, to);
}

}  // namespace treekernels
