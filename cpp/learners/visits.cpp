#include "learners/visits.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/assert.hpp"

namespace treekernels {

namespace {

// Fewer trees than this are not worth a thread.
constexpr std::size_t kWorthThread = 128;

// Trees that a thread takes at a time: enough of them to share subtrees, and several times as many parts as threads, so
// that none has to wait long for the others.
std::size_t trees_at_a_time(std::size_t count, std::size_t threads) {
    constexpr std::size_t kMost = 2048, kPartsEach = 8;
    return threads == 1 ? count : std::clamp<std::size_t>(count / (kPartsEach * threads), kWorthThread, kMost);
}

// How many visits the blocks have, the largest one last. Each size divides the next.
constexpr std::array<std::size_t, 6> kSizes{32, 256, 2048, 8192, 32768, 131072};

}  // namespace

void ParallelScorer::add_scores(std::span<const Node> roots, double* scores, const Task& task,
                                const std::function<void()>& meanwhile, Task* advances) {
    // Trees from one place of a corpus share subtrees, and their nodes have numbers close to each other.
    order_.resize(roots.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, {}, [&](std::uint32_t i) { return std::pair(roots[i], i); });
    sorted_.clear();
    for (std::uint32_t i : order_)
        if (sorted_.empty() || sorted_.back() != roots[i]) sorted_.push_back(roots[i]);
    results_.resize(sorted_.size() * outputs_);
    const std::size_t threads = std::clamp<std::size_t>(sorted_.size() / kWorthThread, 1, crew_.size());
    const std::size_t size = trees_at_a_time(sorted_.size(), threads);
    Counter parts(sorted_.empty() ? 0 : (sorted_.size() + size - 1) / size);
    crew_.run(threads, [&](std::size_t thread) {
        if (thread == 0 && meanwhile) meanwhile();
        for (std::size_t part; parts.take(part);) {
            const auto trees = std::span(sorted_).subspan(part * size, std::min(size, sorted_.size() - part * size));
            score_part(thread, trees, results_.data() + part * size * outputs_, task);
            if (advances) advances->advance(trees.size());
        }
    });
    if (advances) advances->advance(roots.size() - sorted_.size());  // those that occurred twice
    std::size_t place = 0;
    for (std::uint32_t i : order_) {
        while (sorted_[place] != roots[i]) ++place;
        for (std::size_t k = 0; k < outputs_; ++k) scores[i * outputs_ + k] += results_[place * outputs_ + k];
    }
}

void ParallelScorer::score_part(std::size_t thread, std::span<const Node> roots, double* scores, const Task& task) {
    if (!scorers_[thread]) scorers_[thread] = forest_.scorer(dag_, lists_);
    scorers_[thread]->score(roots, scores, task);
}

Visits::Visits(std::unique_ptr<WeightedTrees> large, std::unique_ptr<WeightedTrees> small, const Dag& dag,
               std::size_t outputs, unsigned threads)
    : outputs_(outputs),
      large_(std::move(large)),
      small_(std::move(small)),
      lists_(dag, large_->looks_at()),
      large_scorer_(*large_, dag, outputs, threads, &lists_),
      small_scorer_(*small_, dag, outputs, 1, &lists_) {}

void Visits::expect(std::span<const Node> roots, const Task& task) {
    std::vector<Node> sorted(roots.begin(), roots.end());  // neighbours share subtrees, which are at hand then
    std::ranges::sort(sorted);
    lists_.assign(sorted, task);
    large_scorer_.forget();
    small_scorer_.forget();
}

void Visits::begin(std::vector<Node> roots, std::vector<double> scores) {
    TREEKERNELS_ASSERT(scores.size() == roots.size() * outputs_);
    roots_ = std::move(roots);
    scores_ = std::move(scores);
    next_ = 0;
    when_.clear();
    added_.clear();
    alphas_.clear();
}

const double* Visits::next(const Task& task) {
    TREEKERNELS_ASSERT(next_ < roots_.size());
    if (next_ > 0 && next_ % kSizes[0] == 0) {
        // The largest block that begins here, and the one that it is a part of, or else all visits.
        std::size_t level = 0;
        while (level + 1 < kSizes.size() && next_ % kSizes[level + 1] == 0) ++level;
        const std::size_t begin = level + 1 < kSizes.size() ? next_ - next_ % kSizes[level + 1] : 0;
        spread(begin, next_, std::min(roots_.size(), next_ + kSizes[level]), task);
    }
    return scores_.data() + next_++ * outputs_;
}

void Visits::spread(std::size_t begin, std::size_t middle, std::size_t end, const Task& task) {
    const std::size_t first = static_cast<std::size_t>(std::ranges::lower_bound(when_, begin) - when_.begin());
    if (first == when_.size()) return;
    large_->assign(std::span(added_).subspan(first), std::span(alphas_).subspan(first * outputs_), task);
    large_scorer_.add_scores(std::span(roots_).subspan(middle, end - middle), scores_.data() + middle * outputs_, task);
}

void Visits::add(const double* alpha) {
    TREEKERNELS_ASSERT(next_ > 0);
    const std::size_t visit = next_ - 1;
    const Task uninterrupted(0);
    const std::size_t end = std::min(roots_.size(), visit - visit % kSizes[0] + kSizes[0]);
    if (next_ < end) {
        small_->assign({&roots_[visit], 1}, {alpha, outputs_}, uninterrupted);
        small_scorer_.add_scores(std::span(roots_).subspan(next_, end - next_), scores_.data() + next_ * outputs_,
                                 uninterrupted);
    }
    when_.push_back(visit);
    added_.push_back(roots_[visit]);
    alphas_.insert(alphas_.end(), alpha, alpha + outputs_);
}

}  // namespace treekernels
