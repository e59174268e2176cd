// Numbers with derivatives: the value first, and after it one derivative for each place.
//
// All derivatives here are with respect to the logarithm of a parameter. Kernel values are polynomials in their
// parameters without negative coefficients, and so are these derivatives: they never cancel out, and `Wide` has room
// for them.
#pragma once

#include <cstddef>

namespace treekernels {

// One that stands somewhere, and the sum of two, which is made number by number as it is read.
template <class Real>
struct Dual {
    const Real* values;
    Real operator[](std::size_t k) const { return values[k]; }
};
template <class Real>
struct DualSum {
    Dual<Real> a, b;
    Real operator[](std::size_t k) const { return a[k] + b[k]; }
};
template <class Real>
DualSum<Real> operator+(Dual<Real> a, Dual<Real> b) {
    return {a, b};
}

// to *= by, which has a number at each place
template <class Real, class Numbers>
void dual_multiply(Real* to, const Numbers& by, std::size_t width) {
    const Real value = by[0];
    for (std::size_t k = 1; k < width; ++k) to[k] = to[k] * value + to[0] * by[k];
    to[0] *= value;
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
