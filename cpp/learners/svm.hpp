// Support vector machines by dual coordinate descent, several at once: they share the examples and their kernel.
//
// Each column k is a problem of its own, in coefficients beta that may be of either sign:
//   minimise  beta' K beta / 2 - target' beta + epsilon |beta|,  lower <= beta <= upper,
// for classification with target and bounds of the class's sign, for regression with the wanted values. The bias, which
// asks for the coefficients to sum to zero, is found by the method of multipliers: a constant is added to the kernel,
// which punishes the sum, and the bias takes over what that holds back.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "learners/summand.hpp"

namespace treekernels {

struct SvmProblem {
    std::size_t examples, outputs;
    std::span<const double> target;  // of each example, a column after the other
    std::span<const double> bound;   // of the same shape: the largest coefficient
    bool regression;
    double epsilon;
    bool bias;
};

class Svm {
public:
    Svm(std::vector<std::unique_ptr<Summand>> summands, SvmProblem problem, std::uint64_t seed, const Task& task);

    // Starts from coefficients found before.
    void resume(std::span<const double> beta, std::span<const double> bias, std::uint64_t epoch, const Task& task);

    // Starts from coefficients that the summands know of: their scores are those of these already.
    void start_at(std::span<const double> beta) { beta_.assign(beta.begin(), beta.end()); }

    // Goes once through all examples that may still change.
    void epoch(Task& task);

    // Lets all examples take part again: something else than their coefficients has changed what they score.
    void wake_all();

    struct Gap {
        double primal, dual;  // objectives; their difference bounds how far either is from the best
        double imbalance;     // how much of it the sum of the coefficients leaves open
        double bias;          // that makes the primal objective smallest
    };
    // Of each column. Looks at all examples, and lets those take part again that are likely to change; or at those that
    // take part, and takes the others to be as they were, which is much faster.
    std::vector<Gap> gaps(bool all, const Task& task);

    const std::vector<double>& beta() const { return beta_; }
    // The multipliers, which approach the bias.
    const std::vector<double>& multipliers() const { return bias_; }
    // The largest step of the last epoch, in terms of the gradient.
    double violation() const { return violation_; }
    std::size_t active() const { return active_.size(); }
    std::uint64_t epochs() const { return epochs_; }

private:
    // What is best for one coefficient while all others stay.
    struct Move {
        double next;   // its value
        double step;   // the change, in terms of the gradient
        bool is_idle;  // it is at a bound, and would have to come back by more than the largest step of the last epoch
    };
    Move best_move(std::size_t i, std::size_t k, double score) const;
    double gradient(std::size_t i, std::size_t k, double score) const;

    double lower(std::size_t i, std::size_t k) const;
    double upper(std::size_t i, std::size_t k) const;
    void score(std::size_t i, std::span<const std::uint32_t> outputs, const Task& task);
    void expect(std::size_t at) const;
    void shuffle();
    void focus(const Task& task);
    double primal_bias(std::size_t k) const;
    double reach(std::size_t k) const;  // half of what lies between the targets

    std::vector<std::unique_ptr<Summand>> summands_;
    SvmProblem problem_;
    std::vector<double> target_, bound_;
    std::mt19937_64 random_;
    std::vector<double> norm_;
    std::vector<double> beta_;        // by example and column
    std::vector<double> sum_, bias_;  // of the coefficients; by column
    std::vector<double> scores_, delta_;
    std::vector<std::uint32_t> wanted_;  // outputs
    std::vector<std::uint32_t> active_;
    std::vector<char> in_focus_;  // of the summands, by example
    std::size_t focus_size_;
    std::vector<double> latest_;  // scores by example and output, as they were when they were last looked at
    std::vector<char> idle_;      // by example and output: at a bound, and likely to stay there
    double constant_ = 0.0;       // added to the kernel
    double violation_ = 0.0;
    std::vector<double> violations_;  // by column
    double last_violation_ = std::numeric_limits<double>::infinity();
    std::uint64_t epochs_ = 0;
};

}  // namespace treekernels
