#include "learners/visits.hpp"

#include <algorithm>
#include <numeric>

#include "core/assert.hpp"

namespace treekernels {

namespace {

// Fewer trees than this are not worth a thread.
constexpr std::size_t kWorthThread = 256;

}  // namespace

void ParallelScorer::add_scores(std::span<const Node> roots, double* scores, const Task& task) {
    // Trees from one place of a corpus share subtrees, and their nodes have numbers close to each other.
    order_.resize(roots.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, {}, [&](std::uint32_t i) { return std::pair(roots[i], i); });
    sorted_.clear();
    for (std::uint32_t i : order_)
        if (sorted_.empty() || sorted_.back() != roots[i]) sorted_.push_back(roots[i]);
    results_.resize(sorted_.size() * outputs_);
    const std::size_t threads = std::clamp<std::size_t>(sorted_.size() / kWorthThread, 1, scorers_.size());
    run_parts(threads, [&](std::size_t thread) {
        const std::size_t begin = sorted_.size() * thread / threads, end = sorted_.size() * (thread + 1) / threads;
        score_part(thread, std::span(sorted_).subspan(begin, end - begin), results_.data() + begin * outputs_, task);
    });
    std::size_t place = 0;
    for (std::uint32_t i : order_) {
        while (sorted_[place] != roots[i]) ++place;
        for (std::size_t k = 0; k < outputs_; ++k) scores[i * outputs_ + k] += results_[place * outputs_ + k];
    }
}

void ParallelScorer::score_part(std::size_t thread, std::span<const Node> roots, double* scores, const Task& task) {
    if (!scorers_[thread]) scorers_[thread] = forest_.scorer(dag_);
    scorers_[thread]->score(roots, scores, task);
}

Visits::Visits(std::unique_ptr<WeightedTrees> large, std::unique_ptr<WeightedTrees> small, const Dag& dag,
               std::size_t outputs, unsigned threads)
    : outputs_(outputs),
      large_(std::move(large)),
      small_(std::move(small)),
      large_scorer_(*large_, dag, outputs, threads),
      small_scorer_(*small_, dag, outputs, 1) {}

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
    if (next_ > 0 && next_ % kSmallest == 0) {
        const std::size_t blocks = next_ / kSmallest;
        const std::size_t size = (blocks & (~blocks + 1)) * kSmallest;  // the largest power of two that divides it
        spread(next_ - size, next_, std::min(roots_.size(), next_ + size), task);
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
    const std::size_t end = std::min(roots_.size(), visit / kSmallest * kSmallest + kSmallest);
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
