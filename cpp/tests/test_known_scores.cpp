// Scores that are known beforehand, and a constant kernel for what is added to them.
#include "learners/summand.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

TEST(known_scores_stay_but_for_the_constant_kernel) {
    Random random(5);
    const Task task(0);
    for (std::size_t round = 0; round < 20; ++round) {
        const std::size_t examples = 1 + round % 5, outputs = 1 + round % 3;
        const double constant = round % 4 ? 0.25 * static_cast<double>(round) : 0.0;
        std::vector<double> known(examples * outputs);
        for (double& score : known) score = static_cast<double>(random.below(16)) / 8.0 - 1.0;
        const auto summand = treekernels::known_scores(known, outputs, constant);
        std::vector<double> sums(outputs, 0.0);  // of all alphas, which is all that a constant kernel knows
        for (std::size_t step = 0; step < 8; ++step) {
            const std::size_t i = step % examples;
            CHECK(summand->norm(i, task) == constant);
            std::vector<double> found(outputs, 0.5);  // to which it is added
            summand->score(i, found.data(), task);
            for (std::size_t k = 0; k < outputs; ++k)
                CHECK(found[k] == 0.5 + (known[i * outputs + k] + constant * sums[k]));
            std::vector<double> alpha(outputs);
            for (std::size_t k = 0; k < outputs; ++k) {
                alpha[k] = static_cast<double>(random.below(8)) / 4.0 - 1.0;
                sums[k] += alpha[k];
            }
            summand->add(i, alpha.data(), task);
        }
    }
}

}  // namespace treekernels::tests
