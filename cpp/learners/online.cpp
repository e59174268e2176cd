#include "learners/online.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/memory/room.hpp"

namespace treekernels {

namespace {

// By how much the true class is ahead of the strongest other one, and which that is.
struct Margin {
    double value;
    std::uint32_t rival;
};

Margin margin_of(std::span<const double> scores, std::uint32_t truth) {
    if (scores.size() == 1) return {truth == 1 ? scores[0] : -scores[0], kNone};
    std::uint32_t rival = truth == 0 ? 1 : 0;
    for (std::uint32_t k = 0; k < scores.size(); ++k)
        if (k != truth && scores[k] > scores[rival]) rival = k;
    return {scores[truth] - scores[rival], rival};
}

// How large a step the rule takes for an example of this weight; 0 for none. `square` is the squared length of the
// step's direction. Where there is a C, the weight is a factor of it, so that no step goes beyond what is needed.
double step(OnlineParameters parameters, double margin, double square, double weight) {
    if (parameters.rule == Rule::perceptron) return margin <= 0.0 ? weight : 0.0;
    const double loss = 1.0 - margin;
    if (loss <= 0.0 || square <= 0.0) return 0.0;
    if (parameters.rule == Rule::passive_aggressive) return std::min(parameters.C * weight, loss / square);
    return weight == 0.0 ? 0.0 : loss / (square + 0.5 / (parameters.C * weight));
}

}  // namespace

void learn_online(std::span<const std::unique_ptr<Summand>> summands, OnlineParameters parameters,
                  std::span<const std::uint32_t> classes, std::span<const double> weights,
                  std::span<const std::uint32_t> order, std::uint64_t& time, double& loss, std::vector<Update>& updates,
                  Task& task) {
    const std::size_t outputs = output_count(parameters.classes);
    std::vector<double> scores(outputs * (parameters.mean ? 2 : 1));
    std::vector<double> alpha(scores.size());
    for (const auto& summand : summands) summand->begin(order, outputs, task);
    for (const std::uint32_t example : order) {
        task.check();
        std::ranges::fill(scores, 0.0);
        for (const auto& summand : summands) summand->score(example, scores.data(), task);
        const std::uint32_t truth = classes[example];
        const Margin margin = margin_of(std::span(scores).first(outputs), truth);
        const bool perceptron = parameters.rule == Rule::perceptron;
        const double lost = perceptron ? (margin.value <= 0.0 ? 1.0 : 0.0) : std::max(0.0, 1.0 - margin.value);
        double square = 0.0;
        if (!perceptron)
            for (const auto& summand : summands) square += summand->norm(example, task);
        if (margin.rival != kNone) square *= 2.0;
        if (!std::isfinite(margin.value) || !std::isfinite(square)) throw Overflow("a score is too large");
        const double weight = weights.empty() ? 1.0 : weights[example];
        if (const double size = step(parameters, margin.value, square, weight); size != 0.0) {
            Update update{time, example, truth, margin.rival, size};
            std::ranges::fill(alpha, 0.0);
            if (margin.rival == kNone) {
                update.to = 0;
                update.amount = truth == 1 ? size : -size;
                alpha[0] = update.amount;
            } else {
                alpha[truth] = size;
                alpha[margin.rival] = -size;
            }
            // The mean of the models over time is the last one less this sum, divided by the time.
            if (parameters.mean)
                for (std::size_t k = 0; k < outputs; ++k) alpha[outputs + k] = alpha[k] * static_cast<double>(time);
            make_room(updates, 1);
            for (const auto& summand : summands) summand->prepare_to_add(example, alpha.data(), task);
            // Nothing can fail from here on.
            for (const auto& summand : summands) summand->add_prepared(example, alpha.data());
            updates.push_back(update);
        }
        loss += lost;
        ++time;
        task.advance(1);
    }
}

}  // namespace treekernels
