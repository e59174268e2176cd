// The weights of things, one for each output of a model.
#pragma once

#include <vector>

namespace treekernels {

// A number for each of some things and each column.
class ClassWeights {
public:
    explicit ClassWeights(std::size_t outputs) : outputs_(outputs) {}
    double* operator[](std::size_t thing) {
        make_room(thing);
        return values_.data() + thing * outputs_;
    }
    // After this, to add to the thing and to those before it cannot fail.
    void make_room(std::size_t thing) {
        if (values_.size() < (thing + 1) * outputs_) values_.resize((thing + 1) * outputs_, 0.0);
    }
    // Null for what was never written.
    const double* find(std::size_t thing) const {
        return (thing + 1) * outputs_ <= values_.size() ? values_.data() + thing * outputs_ : nullptr;
    }
    void add(std::size_t thing, double factor, const double* alpha) {
        double* to = (*this)[thing];
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += factor * alpha[k];
    }
    void add_to(double* scores, std::size_t thing, double factor) const {
        if (const double* from = find(thing))
            for (std::size_t k = 0; k < outputs_; ++k) scores[k] += factor * from[k];
    }

private:
    std::size_t outputs_;
    std::vector<double> values_;
};

}  // namespace treekernels
