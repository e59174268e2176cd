// Wide numbers against doubles with an exponent beside them, which are exact wherever a double would be.
#include <cmath>
#include <limits>

#include "core/assert.hpp"
#include "core/wide.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// fraction * 2^exponent with 0.5 <= fraction < 1, or zero.
struct Scaled {
    double fraction = 0.0;
    std::int64_t exponent = 0;

    static Scaled of(double fraction, std::int64_t exponent) {
        int more = 0;
        fraction = std::frexp(fraction, &more);
        return fraction == 0.0 ? Scaled{} : Scaled{fraction, exponent + more};
    }
    static Scaled of(Wide value) {
        return value.mantissa() == 0.0 ? Scaled{} : of(value.mantissa(), 256 * value.exponent());
    }
    friend Scaled operator+(Scaled a, Scaled b) { return sum(a, b, 1.0); }
    friend Scaled operator-(Scaled a, Scaled b) { return sum(a, b, -1.0); }
    friend Scaled operator*(Scaled a, Scaled b) { return of(a.fraction * b.fraction, a.exponent + b.exponent); }
    friend bool operator<(Scaled a, Scaled b) {
        if (a.fraction == 0.0 || b.fraction == 0.0) return a.fraction < b.fraction;
        return a.exponent != b.exponent ? a.exponent < b.exponent : a.fraction < b.fraction;
    }
    bool operator==(const Scaled&) const = default;

private:
    static Scaled sum(Scaled a, Scaled b, double sign) {
        if (a.fraction == 0.0) return of(sign * b.fraction, b.exponent);
        if (b.fraction == 0.0) return a;
        const std::int64_t higher = std::max(a.exponent, b.exponent);
        const auto at = [&](Scaled x) {
            return std::ldexp(x.fraction, static_cast<int>(std::max<std::int64_t>(x.exponent - higher, -1000)));
        };
        return of(at(a) + sign * at(b), higher);
    }
};

bool is_canonical(Wide value) {
    return value == Wide() ||
           (value.mantissa() >= 1.0 && value.mantissa() < 0x1p256 && value.exponent() > -(1LL << 60));
}

// Of any size: within the doubles, at their ends, far beyond them, or zero.
Wide random_wide(Random& random) {
    const double fraction = 1.0 + random.unit();
    switch (random.below(8)) {
        case 0:
            return Wide();
        case 1:
            return Wide(fraction);
        case 2:
            return Wide(std::ldexp(fraction, static_cast<int>(random.below(2000)) - 1000));
        case 3:
            return Wide(static_cast<double>(random.below(10)));
        case 4:
            return Wide(std::numeric_limits<double>::denorm_min() * static_cast<double>(1 + random.below(1000)));
        case 5:
            return Wide(std::numeric_limits<double>::max() * (1.0 - 0.5 * random.unit()));
        case 6:
            return Wide::from_parts(std::ldexp(fraction, static_cast<int>(random.below(256))),
                                    static_cast<std::int64_t>(random.below(5)) - 2);
        default:
            return Wide::from_parts(fraction, static_cast<std::int64_t>(random.below(2000000)) - 1000000);
    }
}

}  // namespace

TEST(wide_numbers_add_and_multiply_like_doubles_without_limits) {
    Random random(1);
    for (int i = 0; i < 200000; ++i) {
        const Wide a = random_wide(random), b = random_wide(random);
        const Scaled x = Scaled::of(a), y = Scaled::of(b);
        CHECK(is_canonical(a) && is_canonical(a + b) && is_canonical(a * b));
        CHECK(Scaled::of(a + b) == x + y);
        CHECK(Scaled::of(a * b) == x * y);
        CHECK(a + b == b + a && a * b == b * a);
    }
}

TEST(wide_numbers_subtract_like_doubles_without_limits) {
    Random random(2);
    for (int i = 0; i < 200000; ++i) {
        Wide a = random_wide(random), b = random_wide(random);
        if (i % 3 == 0) b = a * Wide(1.0 - random.unit() * 0x1p-30);  // close to each other
        if (a < b) std::swap(a, b);
        CHECK(Scaled::of(a - b) == Scaled::of(a) - Scaled::of(b));
        CHECK(is_canonical(a - b));
    }
    CHECK(Wide(3.0) - Wide(3.0) == Wide());
    CHECK(Wide() - Wide() == Wide());
}

TEST(wide_numbers_are_ordered) {
    Random random(3);
    for (int i = 0; i < 200000; ++i) {
        const Wide a = random_wide(random), b = random.below(4) == 0 ? a : random_wide(random);
        CHECK((a < b) == (Scaled::of(a) < Scaled::of(b)));
        CHECK((a == b) == (Scaled::of(a) == Scaled::of(b)));
    }
    CHECK(Wide() < Wide(std::numeric_limits<double>::denorm_min()));
    CHECK(!(Wide() < Wide()));
    CHECK(Wide(0x1p255) < Wide(0x1p256));
    CHECK(Wide(0x1p256) == Wide(0x1p255) + Wide(0x1p255));
}

TEST(wide_numbers_sum_like_doubles) {
    Random random(4);
    for (int round = 0; round < 1000; ++round) {
        double plain = 0.0;
        Wide wide, product(1.0);
        double plain_product = 1.0;
        for (int i = 0; i < 100; ++i) {
            const double value = std::ldexp(random.unit(), static_cast<int>(random.below(600)) - 300);
            plain += value;
            wide += Wide(value);
            plain_product *= 0.9 + 0.2 * random.unit();
            product *= Wide(plain_product);
        }
        CHECK(to_double(wide) == plain);
    }
}

TEST(doubles_survive_being_wide) {
    Random random(5);
    for (int i = 0; i < 100000; ++i) {
        const double value = std::ldexp(random.unit(), static_cast<int>(random.below(2098)) - 1074);
        CHECK(to_double(Wide(value)) == value);
    }
    using Limits = std::numeric_limits<double>;
    for (double value : {0.0, 1.0, Limits::max(), Limits::min(), Limits::denorm_min(), 0x1p256, 0x1p-256, 0x1p255})
        CHECK(to_double(Wide(value)) == value);
    CHECK(to_double(Wide(Limits::max()) + Wide(Limits::max())) == Limits::infinity());
    CHECK(to_double(Wide::from_parts(1.0, 1000000)) == Limits::infinity());
    CHECK(to_double(Wide::from_parts(1.0, -1000000)) == 0.0);
    CHECK(to_double(Wide(Limits::min()) * Wide(Limits::min())) == 0.0);
}

TEST(inverse_roots_of_wide_numbers) {
    Random random(6);
    for (int i = 0; i < 100000; ++i) {
        const Wide value = random_wide(random);
        if (value == Wide()) continue;
        const Wide root = inverse_root(value);
        CHECK(is_canonical(root));
        // value / root^2 is 1, but for rounding.
        CHECK(std::abs(to_double(value * root * root) - 1.0) < 0x1p-50);
    }
    CHECK(inverse_root(Wide()) == Wide());
    CHECK(inverse_root(0.0) == 0.0);
    for (double value : {1.0, 4.0, 0.25, 0x1p512, 0x1p-512, 0x1p-514, 0x1p900}) {
        CHECK(to_double(inverse_root(Wide(value))) == 1.0 / std::sqrt(value));
        CHECK(inverse_root(value) == 1.0 / std::sqrt(value));
    }
}

TEST(integer_powers) {
    CHECK(integer_power(0.0, 0) == 1.0);
    CHECK(integer_power(2.0, 1000) == 0x1p1000);
    CHECK(integer_power(3.0, 13) == 1594323.0);
    CHECK(integer_power(0.5, 1074) == std::numeric_limits<double>::denorm_min());
}

TEST(large_norms_do_not_fit_a_double) {
    CHECK(fits_double(0.0) && fits_double(0x1p899));
    CHECK(!fits_double(0x1p900) && !fits_double(std::numeric_limits<double>::infinity()));
    CHECK(!fits_double(std::numeric_limits<double>::quiet_NaN()));
}

TEST(wide_numbers_are_finite_and_not_negative) {
    const double infinity = std::numeric_limits<double>::infinity();
#ifdef TREEKERNELS_ASSERTIONS
    CHECK_THROWS(AssertionFailure, Wide{-1.0});
    CHECK_THROWS(AssertionFailure, Wide{-infinity});
    CHECK_THROWS(AssertionFailure, Wide{infinity});
    CHECK_THROWS(AssertionFailure, Wide{std::numeric_limits<double>::quiet_NaN()});
    CHECK_THROWS(AssertionFailure, Wide(1.0) - Wide(2.0));
#else
    // Whatever went wrong before, there is an end to it.
    CHECK(Wide(-1.0) == Wide());
    CHECK(Wide(1.0) - Wide(2.0) == Wide());
    CHECK(to_double(Wide(infinity)) == infinity);
    CHECK(std::isnan(to_double(Wide(std::numeric_limits<double>::quiet_NaN()))));
#endif
}

}  // namespace treekernels::tests
