// Weights in several columns, one for each class.
#pragma once

#include <vector>

namespace treekernels {

// A number for each of some things and each column.
class ClassWeights {
public:
    explicit ClassWeights(std::size_t columns) : columns_(columns) {}
    double* operator[](std::size_t thing) {
        if (values_.size() < (thing + 1) * columns_) values_.resize((thing + 1) * columns_, 0.0);
        return values_.data() + thing * columns_;
    }
    // Null for what was never written.
    const double* find(std::size_t thing) const {
        return (thing + 1) * columns_ <= values_.size() ? values_.data() + thing * columns_ : nullptr;
    }
    void add(std::size_t thing, double factor, const double* alpha) {
        double* to = (*this)[thing];
        for (std::size_t k = 0; k < columns_; ++k) to[k] += factor * alpha[k];
    }
    void add_to(double* scores, std::size_t thing, double factor) const {
        if (const double* from = find(thing))
            for (std::size_t k = 0; k < columns_; ++k) scores[k] += factor * from[k];
    }

private:
    std::size_t columns_;
    std::vector<double> values_;
};

}  // namespace treekernels
