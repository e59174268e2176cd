// Upper bounds of kernel values from how much of each tree lies in each feature.
//
// K is a sum of kernels K_p, one for the fragments of feature p. With a_p(x) = sqrt(K_p(x, x) / K(x, x)),
// which makes a vector of length 1 for each tree,
//
//   K(x, y) / sqrt(K(x, x) K(y, y)) = sum over p of K_p(x, y) / ... <= sum over p of a_p(x) a_p(y)
//
// by the Cauchy-Schwarz inequality. Where only some features were looked at, the rest is at most the product of the
// lengths of what is left of the two vectors. All roundings go upwards, so that no tree is ever lost.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace treekernels {

// a_p as it is kept: rounded up, and never so small that its square vanishes.
inline float part_weight(double feature_norm, double norm) {
    const double weight = std::sqrt(std::min(1.0, feature_norm / norm)) * (1.0 + 1e-12);
    return std::max(1e-18F, std::nextafter(static_cast<float>(weight), std::numeric_limits<float>::infinity()));
}

// What was found of a tree: the products and the squares of weights, summed over the features that were looked at.
struct PartialBound {
    float products = 0.0F;
    float squares = 0.0F;

    // Looks at one more feature, by its weight in the query and in the tree.
    void add(float query_weight, float weight) {
        products += query_weight * weight;
        squares += weight * weight;
    }
    // `rest` is the length of the part of the query that was not looked at; `slack` is more than the relative error of
    // sums of so many terms.
    double value(double rest, double slack) const {
        const double left = std::max(0.0, 1.0 - static_cast<double>(squares) * (1.0 - slack)) + slack;
        return static_cast<double>(products) * (1.0 + slack) + rest * std::sqrt(left) + 1e-7;
    }
    static double slack(std::size_t terms) { return 3e-7 * (static_cast<double>(terms) + 8.0); }
};

// Whether a bound reaches a threshold: the same as comparing its value, without the root.
class BoundTest {
public:
    // `rest_square` is the square of the rest.
    BoundTest(double threshold, double rest_square, double slack)
        : threshold_(threshold - 1e-7), rest_square_(rest_square), slack_(slack) {}

    bool operator()(const PartialBound& bound) const {
        const double missing = threshold_ - static_cast<double>(bound.products) * (1.0 + slack_);
        const double left = std::max(0.0, 1.0 - static_cast<double>(bound.squares) * (1.0 - slack_)) + slack_;
        return (missing <= 0.0) | (rest_square_ * left * (1.0 + 1e-9) >= missing * missing);
    }

private:
    double threshold_, rest_square_, slack_;
};

}  // namespace treekernels
