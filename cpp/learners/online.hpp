// Learning from one example after the other: the perceptron and passive-aggressive rules, for two or more classes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "learners/summand.hpp"

namespace treekernels {

enum class Rule { perceptron, passive_aggressive, passive_aggressive_squared };

struct OnlineParameters {
    Rule rule;
    double C;             // how much one example may change, for the passive-aggressive rules
    std::size_t classes;  // 2 have one column, the score of the second class
    bool mean;            // as many outputs more for the sum over time
};

inline std::size_t output_count(std::size_t classes) { return classes == 2 ? 1 : classes; }

// One change of the model: `amount` for one class, and the same taken from the other if there are more than two.
struct Update {
    std::uint64_t time;  // examples seen before this one
    std::uint32_t example;
    std::uint32_t to, from;  // from is kNone for two classes, of which the first takes negative amounts
    double amount;
};

// Learns from examples in the given order and appends what it does to `updates`. `weights` has one for each example, or
// is empty if all weigh 1. `time` counts the examples. When
// stopped it has learned from a whole number of them. `loss` grows by mistakes, or by margins that were missed.
void learn_online(std::span<const std::unique_ptr<Summand>> summands, OnlineParameters parameters,
                  std::span<const std::uint32_t> classes, std::span<const double> weights,
                  std::span<const std::uint32_t> order, std::uint64_t& time, double& loss, std::vector<Update>& updates,
                  Task& task);

}  // namespace treekernels
