#include "learners/summand.hpp"

namespace treekernels {

namespace {

class KnownScores final : public Summand {
public:
    KnownScores(std::span<const double> scores, std::size_t outputs, double constant)
        : scores_(scores), constant_(constant), sum_(outputs, 0.0) {}

    double norm(std::size_t, const Task&) override { return constant_; }
    void score(std::size_t i, double* scores, const Task&) override {
        for (std::size_t k = 0; k < sum_.size(); ++k) scores[k] += scores_[i * sum_.size() + k] + constant_ * sum_[k];
    }
    void add_prepared(std::size_t, const double* alpha) override {
        for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += alpha[k];
    }

private:
    std::span<const double> scores_;
    double constant_;
    std::vector<double> sum_;  // of what was added, by output
};

}  // namespace

std::unique_ptr<Summand> known_scores(std::span<const double> scores, std::size_t outputs, double constant) {
    return std::make_unique<KnownScores>(scores, outputs, constant);
}

}  // namespace treekernels
