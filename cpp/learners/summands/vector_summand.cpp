#include <algorithm>
#include <cmath>

#include "learners/summand.hpp"

namespace treekernels {

namespace {

class LinearSummand final : public Summand {
public:
    LinearSummand(std::span<double> weights, std::size_t outputs, double weight, SparseRows rows)
        : weights_(weights), outputs_(outputs), weight_(weight), rows_(rows) {}

    double norm(std::size_t i, const Task&) override {
        double sum = 0.0;
        for (auto at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) sum += rows_.values[at] * rows_.values[at];
        return weight_ * sum;
    }
    void score(std::size_t i, double* scores, const Task&) override {
        for (auto at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) {
            const double* from = weights_.data() + rows_.features[at] * outputs_;
            for (std::size_t k = 0; k < outputs_; ++k) scores[k] += weight_ * rows_.values[at] * from[k];
        }
    }
    void add_prepared(std::size_t i, const double* alpha) override {
        for (auto at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) {
            double* to = weights_.data() + rows_.features[at] * outputs_;
            for (std::size_t k = 0; k < outputs_; ++k) to[k] += rows_.values[at] * alpha[k];
        }
    }

private:
    std::span<double> weights_;
    std::size_t outputs_;
    double weight_;
    SparseRows rows_;
};

// Adding an example finds its dot products with all others through an index by feature.
class PolynomialSummand final : public Summand {
public:
    PolynomialSummand(Polynomial kernel, std::size_t outputs, std::size_t features, SparseRows rows)
        : kernel_(kernel),
          outputs_(outputs),
          rows_(rows),
          begin_(features + 1, 0),
          scores_(rows.size() * outputs, 0.0) {
        for (std::int32_t feature : rows.features) ++begin_[feature + 1];
        for (std::size_t f = 0; f < features; ++f) begin_[f + 1] += begin_[f];
        entries_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::uint32_t i = 0; i < rows.size(); ++i)
            for (auto at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at)
                entries_[next[rows.features[at]]++] = {i, rows.values[at]};
        dots_.resize(rows.size());
    }

    double norm(std::size_t i, const Task&) override {
        double sum = 0.0;
        for (auto at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) sum += rows_.values[at] * rows_.values[at];
        return value(sum);
    }
    void score(std::size_t i, double* scores, const Task&) override {
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] += scores_[i * outputs_ + k];
    }
    void add_prepared(std::size_t i, const double* alpha) override {
        std::ranges::fill(dots_, 0.0);
        for (auto at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at)
            for (std::size_t e = begin_[rows_.features[at]]; e < begin_[rows_.features[at] + 1]; ++e)
                dots_[entries_[e].row] += entries_[e].value * rows_.values[at];
        for (std::size_t j = 0; j < dots_.size(); ++j) {
            const double kernel = value(dots_[j]);
            for (std::size_t k = 0; k < outputs_; ++k) scores_[j * outputs_ + k] += kernel * alpha[k];
        }
    }

private:
    struct Entry {
        std::uint32_t row;
        double value;
    };

    double value(double dot) const {
        return kernel_.weight * std::pow(kernel_.gamma * dot + kernel_.coef0, kernel_.degree);
    }

    Polynomial kernel_;
    std::size_t outputs_;
    SparseRows rows_;
    std::vector<std::size_t> begin_;  // by feature
    std::vector<Entry> entries_;
    std::vector<double> scores_;
    std::vector<double> dots_;
};

}  // namespace

std::unique_ptr<Summand> linear_summand(std::span<double> weights, std::size_t outputs, double weight,
                                        SparseRows rows) {
    return std::make_unique<LinearSummand>(weights, outputs, weight, rows);
}
std::unique_ptr<Summand> polynomial_summand(Polynomial kernel, std::size_t outputs, std::size_t features,
                                            SparseRows rows) {
    return std::make_unique<PolynomialSummand>(kernel, outputs, features, rows);
}

}  // namespace treekernels
