#include "learners/svm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treekernels {

namespace {

// What is added to the kernel for the sake of the bias, as a part of the mean of its diagonal. The more it is, the
// faster the bias is found, and the slower the coefficients, which it ties together.
constexpr double kConstant = 0.1;

// Steps that are smaller than this part of the last epoch's largest are left for later.
constexpr double kWorthwhile = 0.3;

// What part of the examples in focus takes part, when the focus is made smaller.
constexpr double kFewer = 0.8;

// Visits between two of the steps in which summands get ready for an example.
constexpr std::size_t kAhead = 4;

// How precise the coefficients must be, in terms of their imbalance, for the bias to follow it.
constexpr double kTrust = 1.0;

}  // namespace

Svm::Svm(std::vector<std::unique_ptr<Summand>> summands, SvmProblem problem, std::uint64_t seed, const Task& task)
    : summands_(std::move(summands)),
      problem_(problem),
      target_(problem.target.begin(), problem.target.end()),
      bound_(problem.bound.begin(), problem.bound.end()),
      random_(seed),
      norm_(problem.examples, 0.0),
      beta_(problem.examples * problem.outputs, 0.0),
      sum_(problem.outputs, 0.0),
      bias_(problem.outputs, 0.0),
      scores_(problem.outputs),
      delta_(problem.outputs),
      active_(problem.examples),
      in_focus_(problem.examples, true),
      focus_size_(problem.examples),
      idle_(problem.examples * problem.outputs, false) {
    std::iota(active_.begin(), active_.end(), 0U);
    for (std::size_t i = 0; i < problem.examples; ++i)
        for (const auto& summand : summands_) norm_[i] += summand->norm(i, task);
    if (!problem.bias) return;
    const double mean =
        std::accumulate(norm_.begin(), norm_.end(), 0.0) / static_cast<double>(std::max<std::size_t>(1, norm_.size()));
    constant_ = mean > 0.0 ? kConstant * mean : 1.0;
    for (double& norm : norm_) norm += constant_;
}

void Svm::resume(std::span<const double> beta, std::span<const double> bias, std::uint64_t epoch, const Task& task) {
    beta_.assign(beta.begin(), beta.end());
    bias_.assign(bias.begin(), bias.end());
    for (std::size_t i = 0; i < problem_.examples; ++i) {
        const double* own = beta_.data() + i * problem_.outputs;
        if (std::all_of(own, own + problem_.outputs, [](double value) { return value == 0.0; })) continue;
        for (const auto& summand : summands_) summand->add(i, own, task);
        for (std::size_t k = 0; k < problem_.outputs; ++k) sum_[k] += own[k];
    }
    epochs_ = epoch;
    random_.discard(epoch);
}

double Svm::lower(std::size_t i, std::size_t k) const {
    return problem_.regression || target_[i * problem_.outputs + k] < 0.0 ? -bound_[i * problem_.outputs + k] : 0.0;
}
double Svm::upper(std::size_t i, std::size_t k) const {
    return problem_.regression || target_[i * problem_.outputs + k] > 0.0 ? bound_[i * problem_.outputs + k] : 0.0;
}

// What example i scores in each column, without the bias.
void Svm::score(std::size_t i, std::span<const std::uint32_t> outputs, const Task& task) {
    std::ranges::fill(scores_, 0.0);
    for (const auto& summand : summands_) summand->score(i, outputs, scores_.data(), task);
}

// Says which examples come after the one that is visited at this time.
void Svm::expect(std::size_t at) const {
    for (unsigned steps = 0; steps < 3; ++steps)
        if (const std::size_t then = at + kAhead * (steps + 1); then < active_.size())
            for (const auto& summand : summands_) summand->expect(active_[then], steps);
}

// The same order on every machine, which std::shuffle does not promise. One number of the generator an epoch, so that a
// later epoch can be started with.
void Svm::shuffle() {
    std::uint64_t state = random_();
    for (std::size_t i = active_.size(); i > 1; --i) {
        state = mix(state, i);
        std::swap(active_[i - 1], active_[state % i]);
    }
}

// When far fewer examples take part than the summands have in mind, or others.
void Svm::focus(const Task& task) {
    const bool known = std::ranges::all_of(active_, [&](std::uint32_t i) { return in_focus_[i]; });
    if (known && static_cast<double>(active_.size()) > kFewer * static_cast<double>(focus_size_)) return;
    for (const auto& summand : summands_) summand->focus(active_, task);
    std::ranges::fill(in_focus_, false);
    for (std::uint32_t i : active_) in_focus_[i] = true;
    focus_size_ = active_.size();
}

double Svm::gradient(std::size_t i, std::size_t k, double score) const {
    return score + bias_[k] + constant_ * sum_[k] - target_[i * problem_.outputs + k];
}

Svm::Move Svm::best_move(std::size_t i, std::size_t k, double score) const {
    const double slope = gradient(i, k, score), old = beta_[i * problem_.outputs + k];
    if (norm_[i] == 0.0) {  // it shares nothing with any tree, so that its score stays: the best is at a bound
        const bool content = std::abs(slope) <= problem_.epsilon;
        const double next = content ? 0.0 : slope > 0.0 ? lower(i, k) : upper(i, k);
        return {next, next == old ? 0.0 : std::abs(slope), next == old};
    }
    double wanted = old - slope / norm_[i];
    if (problem_.epsilon > 0.0) {
        const double less = std::abs(wanted) - problem_.epsilon / norm_[i];
        wanted = less <= 0.0 ? 0.0 : std::copysign(less, wanted);
    }
    const double next = std::clamp(wanted, lower(i, k), upper(i, k));
    const double step = std::abs(next - old) * norm_[i], beyond = std::abs(wanted - next) * norm_[i];
    const bool at_rest =
        next == 0.0 && problem_.epsilon > 0.0 && wanted == 0.0 && problem_.epsilon - std::abs(slope) > last_violation_;
    return {next, step, step == 0.0 && (beyond > last_violation_ || at_rest)};
}

void Svm::epoch(Task& task) {
    const std::size_t outputs = problem_.outputs;
    std::ranges::sort(active_);
    focus(task);
    shuffle();
    violations_.assign(outputs, 0.0);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < active_.size(); ++at) {
        const std::uint32_t i = active_[at];
        try {
            task.check();
        } catch (...) {  // those not visited stay active
            active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(kept),
                          active_.begin() + static_cast<std::ptrdiff_t>(at));
            throw;
        }
        task.advance(1);
        expect(at);
        bool changed = false, busy = false;
        std::ranges::fill(delta_, 0.0);
        wanted_.clear();
        for (std::uint32_t k = 0; k < outputs; ++k)
            if (!idle_[i * outputs + k]) wanted_.push_back(k);
        score(i, wanted_, task);
        for (const std::uint32_t k : wanted_) {
            const std::size_t place = i * outputs + k;
            const Move move = best_move(i, k, scores_[k]);
            violations_[k] = std::max(violations_[k], move.step);
            // To look is cheap, to change is not: small steps wait until there are no large ones.
            if (move.step > 0.0 && epochs_ > 0 && move.step < kWorthwhile * last_violation_) {
                busy = true;
                continue;
            }
            if (move.step == 0.0) idle_[place] = move.is_idle;
            busy = busy || !idle_[place];
            if (move.next == beta_[place]) continue;
            changed = true;
            delta_[k] = move.next - beta_[place];
        }
        if (changed) {
            for (std::size_t k = 0; k < outputs; ++k) {
                beta_[i * outputs + k] += delta_[k];
                sum_[k] += delta_[k];
            }
            for (const auto& summand : summands_) summand->add(i, delta_.data(), task);
        }
        if (busy) active_[kept++] = i;
    }
    active_.resize(kept);
    violation_ = *std::ranges::max_element(violations_);
    if (violation_ > 0.0) last_violation_ = violation_;  // or else nothing is left that could be compared with it
    ++epochs_;
    // The bias moves when the sum of the coefficients is farther from what it should be than they are.
    if (problem_.bias)
        for (std::size_t k = 0; k < outputs; ++k)
            if (violations_[k] <= kTrust * constant_ * std::abs(sum_[k])) bias_[k] += constant_ * sum_[k];
}

namespace {

// The bias that minimises the summed loss of examples whose scores are given: the point where as much pulls up as down.
// A kink at `place` adds `weight` to the slope of the loss as the bias passes it.
struct Kink {
    double place, weight;
};

double best_bias(std::vector<Kink>& kinks, double slope) {
    std::ranges::sort(kinks, {}, [](const Kink& kink) { return std::pair(kink.place, kink.weight); });
    // Weights that add up to nothing leave some rounding.
    double weight = 0.0;
    for (const Kink& kink : kinks) weight += kink.weight;
    const double flat = 1e-12 * weight;
    for (std::size_t i = 0; i < kinks.size(); ++i) {
        slope += kinks[i].weight;
        if (slope < -flat) continue;
        // Where the loss is flat, its middle.
        std::size_t end = slope <= flat ? i + 1 : i;
        while (end < kinks.size() && end > i && kinks[end].weight == 0.0) ++end;
        return (kinks[i].place + kinks[std::min(end, kinks.size() - 1)].place) / 2;
    }
    return kinks.empty() ? 0.0 : kinks.back().place;
}

}  // namespace

double Svm::primal_bias(std::size_t k) const {
    std::vector<Kink> kinks;
    double slope = 0.0;  // far to the left
    for (std::size_t i = 0; i < problem_.examples; ++i) {
        const std::size_t place = i * problem_.outputs + k;
        const double target = target_[place], open = target - latest_[place];
        if (problem_.regression) {
            kinks.push_back({open - problem_.epsilon, bound_[place]});
            kinks.push_back({open + problem_.epsilon, bound_[place]});
            slope -= bound_[place];
        } else {
            kinks.push_back({open, bound_[place]});
            if (target > 0.0) slope -= bound_[place];
        }
    }
    return best_bias(kinks, slope);
}

double Svm::reach(std::size_t k) const {
    double least = target_[k], most = target_[k];
    for (std::size_t place = k; place < target_.size(); place += problem_.outputs) {
        least = std::min(least, target_[place]);
        most = std::max(most, target_[place]);
    }
    return (most - least) / 2;
}

void Svm::wake_all() {
    active_.resize(problem_.examples);
    std::iota(active_.begin(), active_.end(), 0U);
    std::ranges::fill(idle_, false);
}

std::vector<Svm::Gap> Svm::gaps(bool all, const Task& task) {
    const std::size_t outputs = problem_.outputs;
    all = all || latest_.empty();
    if (all) {
        latest_.resize(beta_.size());
        wake_all();
    }
    wanted_.resize(outputs);
    std::iota(wanted_.begin(), wanted_.end(), 0U);
    std::vector<std::uint32_t> busy;
    for (std::size_t at = 0; at < active_.size(); ++at) {
        const std::uint32_t i = active_[at];
        task.check();
        expect(at);
        score(i, wanted_, task);
        std::ranges::copy(scores_, latest_.begin() + static_cast<std::ptrdiff_t>(i * outputs));
        if (!all) continue;
        bool moves = false;
        for (std::size_t k = 0; k < outputs; ++k) {
            idle_[i * outputs + k] = best_move(i, k, scores_[k]).is_idle;
            moves = moves || !idle_[i * outputs + k];
        }
        if (moves) busy.push_back(i);
    }
    if (all) active_ = std::move(busy);
    const std::vector<double>& scores = latest_;
    std::vector<Gap> result(outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
        const double bias = problem_.bias ? primal_bias(k) : 0.0;
        double square = 0.0, loss = 0.0, linear = 0.0;
        for (std::size_t i = 0; i < problem_.examples; ++i) {
            const std::size_t place = i * outputs + k;
            const double target = target_[place], score = scores[place] + bias;
            square += beta_[place] * scores[place];
            linear += target * beta_[place] - problem_.epsilon * std::abs(beta_[place]);
            loss += bound_[place] * std::max(0.0, problem_.regression ? std::abs(target - score) - problem_.epsilon
                                                                      : 1.0 - target * score);
        }
        // The dual objective bounds the primal one for a given bias only once the sum, times that bias, is taken off;
        // the best bias is at most about as far away as the targets reach.
        const double open = problem_.bias ? std::abs(sum_[k]) * (std::abs(bias) + reach(k)) : 0.0;
        result[k] = {square / 2 + loss, linear - square / 2, open, bias};
    }
    return result;
}

}  // namespace treekernels
