// Numbers that never overflow.
//
// Kernel values grow exponentially with the size of a tree when the decay is near 1. The algorithms are
// therefore templates over the number type: `double` where the norms of all trees fit into it, `Wide`
// elsewhere. Scaling by powers of two is exact, so both give the same bits wherever `double` suffices.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/assert.hpp"

namespace treekernels {

// mantissa * 2^(256 * exponent), with 1 <= mantissa < 2^256, or mantissa == 0. There are no negative ones.
class Wide {
public:
    constexpr Wide() = default;
    Wide(double value) : Wide(canonical(value, 0)) {}

    static Wide from_parts(double mantissa, std::int64_t exponent) { return canonical(mantissa, exponent); }

    double mantissa() const { return mantissa_; }
    std::int64_t exponent() const { return exponent_; }

    friend Wide operator+(Wide a, Wide b) {
        if (a.exponent_ == b.exponent_) return carried(a.mantissa_ + b.mantissa_, a.exponent_);
        if (a.exponent_ < b.exponent_) return b + a;
        if (a.exponent_ - b.exponent_ > 1) return a;
        return carried(a.mantissa_ + b.mantissa_ * kDown, a.exponent_);
    }
    // Requires a >= b.
    friend Wide operator-(Wide a, Wide b) {
        TREEKERNELS_ASSERT(!(a < b));
        if (a.exponent_ == b.exponent_) return canonical(a.mantissa_ - b.mantissa_, a.exponent_);
        if (a.exponent_ - b.exponent_ > 1) return a;
        return canonical(a.mantissa_ - b.mantissa_ * kDown, a.exponent_);
    }
    friend Wide operator*(Wide a, Wide b) {
        if (a.mantissa_ == 0.0 || b.mantissa_ == 0.0) return Wide();
        return carried(a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_);
    }
    Wide& operator+=(Wide other) { return *this = *this + other; }
    Wide& operator*=(Wide other) { return *this = *this * other; }
    friend bool operator==(Wide a, Wide b) { return a.mantissa_ == b.mantissa_ && a.exponent_ == b.exponent_; }
    friend bool operator<(Wide a, Wide b) {
        return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
    }

private:
    static constexpr double kUp = 0x1p256;
    static constexpr double kDown = 0x1p-256;
    // The exponent of zero lies below any other, and far enough from the end not to wrap around.
    static constexpr std::int64_t kZeroExponent = std::numeric_limits<std::int64_t>::min() / 4;

    static Wide carried(double mantissa, std::int64_t exponent) {
        Wide result;
        const bool carry = mantissa >= kUp;
        result.mantissa_ = carry ? mantissa * kDown : mantissa;
        result.exponent_ = exponent + carry;
        return result;
    }
    static Wide canonical(double mantissa, std::int64_t exponent) {
        TREEKERNELS_ASSERT(mantissa >= 0.0 && mantissa <= std::numeric_limits<double>::max());
        // Should it be negative all the same, it is zero but for rounding; infinity stays what it is. No loop is
        // endless.
        if (mantissa <= 0.0) return Wide();
        while (mantissa < 1.0) {
            mantissa *= kUp;
            --exponent;
        }
        while (mantissa >= kUp && mantissa <= std::numeric_limits<double>::max()) {
            mantissa *= kDown;
            ++exponent;
        }
        return carried(mantissa, exponent);
    }

    double mantissa_ = 0.0;
    std::int64_t exponent_ = kZeroExponent;
};

// By the Cauchy-Schwarz inequality no kernel value exceeds the largest norm; what is left above this one is room for
// intermediate results. Not-a-number counts as too large.
inline bool fits_double(double norm) { return norm < 0x1p900; }

inline double to_double(double value) { return value; }

// Infinity where the value exceeds a double, zero where it vanishes.
inline double to_double(Wide value) {
    if (value.mantissa() == 0.0 || value.exponent() < -8) return 0.0;
    if (value.exponent() > 8) return std::numeric_limits<double>::infinity();
    return std::ldexp(value.mantissa(), static_cast<int>(value.exponent()) * 256);
}

// 1 / sqrt(value), and 0 for 0: a tree without fragments has kernel 0 with every tree.
inline double inverse_root(double value) { return value > 0.0 ? 1.0 / std::sqrt(value) : 0.0; }
inline Wide inverse_root(Wide value) {
    if (value.mantissa() == 0.0) return Wide();
    const double root = 1.0 / std::sqrt(value.mantissa());
    const bool odd = value.exponent() % 2 != 0;
    // sqrt(2^(256 k)) = 2^(128 k): an odd k leaves a factor 2^128 of its own.
    const std::int64_t half = (value.exponent() - (odd ? 1 : 0)) / 2;
    return Wide::from_parts(odd ? root * 0x1p-128 : root, -half);
}

// base^exponent by repeated squaring of doubles: the same bits on every machine, unlike std::pow.
inline double integer_power(double base, std::uint64_t exponent) {
    double result = 1.0;
    for (; exponent != 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

}  // namespace treekernels
