#include "learners/votes.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace treekernels {

namespace {

// Rows side by side: their sums do not wait for each other.
constexpr std::size_t kTogether = 8;

template <std::size_t kRows>
void count_signs(const VotingModels& models, const double* kernel, std::size_t width, double* votes) {
    std::array<double, kRows> sums{}, counted{};
    for (std::size_t j = 0; j < models.lasted.size(); ++j) {
        const double alpha = models.alphas[j], lasted = models.lasted[j];
        const double* value = kernel + models.columns[j];
        for (std::size_t row = 0; row < kRows; ++row) {
            sums[row] += value[row * width] * alpha;
            counted[row] += sums[row] > 0.0 ? lasted : 0.0;
            counted[row] -= sums[row] < 0.0 ? lasted : 0.0;
        }
    }
    std::ranges::copy(counted, votes);
}

// One output's share of an update; few outputs have one.
struct Change {
    std::uint32_t output;
    double alpha;
};

struct Changes {
    explicit Changes(const VotingModels& models) : begin{0} {
        for (std::size_t j = 0; j < models.lasted.size(); ++j) {
            for (std::uint32_t k = 0; k < models.outputs; ++k)
                if (const double alpha = models.alphas[j * models.outputs + k]; alpha != 0.0) all.push_back({k, alpha});
            begin.push_back(all.size());
        }
    }
    std::span<const Change> of(std::size_t j) const {
        return std::span(all).subspan(begin[j], begin[j + 1] - begin[j]);
    }
    std::vector<Change> all;
    std::vector<std::size_t> begin;
};

void count_winners(const VotingModels& models, const Changes& changes, const double* kernel,
                   std::vector<double>& scores, double* votes) {
    std::ranges::fill(scores, 0.0);
    std::fill(votes, votes + models.outputs, 0.0);
    std::size_t winner = 0;
    for (std::size_t j = 0; j < models.lasted.size(); ++j) {
        const double value = kernel[models.columns[j]];
        const double before = scores[winner];
        for (const auto& [output, alpha] : changes.of(j)) scores[output] += value * alpha;
        if (scores[winner] < before) {
            winner = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
        } else {
            for (const auto& [output, alpha] : changes.of(j))
                if (scores[output] > scores[winner] || (scores[output] == scores[winner] && output < winner))
                    winner = output;
        }
        votes[winner] += models.lasted[j];
    }
}

}  // namespace

void count_votes(const VotingModels& models, std::span<const double> kernel, std::size_t width, std::span<double> votes,
                 const Execution& execution) {
    const std::size_t outputs = models.outputs, rows = votes.size() / outputs;
    const Changes changes(models);
    const std::size_t count = (rows + kTogether - 1) / kTogether;
    Counter blocks(count);
    Task all(count);
    const auto work = [&](Task& task) {
        std::vector<double> scores(outputs);
        std::size_t block;
        while (blocks.take(block)) {
            task.check();
            std::size_t row = block * kTogether;
            const std::size_t end = std::min(rows, row + kTogether);
            if (outputs == 1 && end - row == kTogether) {
                count_signs<kTogether>(models, kernel.data() + row * width, width, &votes[row]);
                continue;
            }
            for (; row < end; ++row) {
                const double* own = kernel.data() + row * width;
                if (outputs == 1)
                    count_signs<1>(models, own, width, &votes[row]);
                else
                    count_winners(models, changes, own, scores, &votes[row * outputs]);
            }
        }
    };
    run_watched(all, execution.threads, work, execution.watch);
}

}  // namespace treekernels
