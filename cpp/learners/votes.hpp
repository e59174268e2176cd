// Counting the votes of all models that a learner has gone through. Each is the one before and one weighted example
// more, and votes for as long as it lasted.
#pragma once

#include <cstdint>
#include <span>

#include "core/threads/tasks.hpp"

namespace treekernels {

struct VotingModels {
    std::span<const std::uint32_t> columns;  // of the kernel matrix: the example that each update added
    std::span<const double> alphas;          // with which coefficients, `outputs` for each update
    std::span<const double> lasted;          // for how long the model stayed so
    std::size_t outputs;                     // 1 for two classes, or one for each class
};

// Counts the votes on examples, whose kernel with all that were added is in the rows of `kernel`, each `width` long.
// With one output, votes for the second class count positive and those for the first negative; else each class has its
// own, and of equal scores the first wins. Votes are written example by example.
void count_votes(const VotingModels& models, std::span<const double> kernel, std::size_t width, std::span<double> votes,
                 const Execution& execution);

}  // namespace treekernels
