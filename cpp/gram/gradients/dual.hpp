// Numbers with derivatives: the value first, and after it one derivative for each place.
//
// All derivatives here are with respect to the logarithm of a parameter. Kernel values are polynomials in their
// parameters without negative coefficients, and so are these derivatives: they never cancel out, and `Wide` has room
// for them.
#pragma once

#include <cstddef>

namespace treekernels {

// to *= by
template <class Real>
void dual_multiply(Real* to, const Real* by, std::size_t width) {
    for (std::size_t k = 1; k < width; ++k) to[k] = to[k] * by[0] + to[0] * by[k];
    to[0] *= by[0];
}

// to += by
template <class Real>
void dual_add(Real* to, const Real* by, std::size_t width) {
    for (std::size_t k = 0; k < width; ++k) to[k] += by[k];
}

// to += by * factor, where the factor is constant
template <class Real>
void dual_add_scaled(Real* to, const Real* by, Real factor, std::size_t width) {
    for (std::size_t k = 0; k < width; ++k) to[k] += by[k] * factor;
}

// to += a * b
template <class Real>
void dual_add_product(Real* to, const Real* a, const Real* b, std::size_t width) {
    to[0] += a[0] * b[0];
    for (std::size_t k = 1; k < width; ++k) to[k] += a[k] * b[0] + a[0] * b[k];
}

template <class Real>
void dual_set(Real* to, Real value, std::size_t width) {
    to[0] = value;
    for (std::size_t k = 1; k < width; ++k) to[k] = Real(0.0);
}

}  // namespace treekernels
