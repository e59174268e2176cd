// Trees against a weighted forest that scores one tree after the other.
#include <optional>

#include "core/trees/dag_copier.hpp"
#include "learners/summands/batch_summand.hpp"
#include "learners/summands/tree_scales.hpp"
#include "learners/visits.hpp"

namespace treekernels {

namespace {

// Null for kernels that do without.
std::unique_ptr<Visits> make_visits(const TreeKernel& kernel, std::size_t outputs, const Dag& dag, unsigned threads) {
    auto large = make_weighted_trees(kernel, outputs, dag);
    if (!large) return nullptr;
    return std::make_unique<Visits>(std::move(large), make_weighted_trees(kernel, outputs, dag), dag, outputs, threads);
}

class ForestSummand final : public Summand {
public:
    ForestSummand(WeightedForest& forest, const TreeTerm& term, const Dag& source, std::span<const Node> roots,
                  unsigned threads)
        : forest_(forest),
          term_(term),
          source_(source),
          threads_(threads),
          roots_(roots),
          own_view_(forest.dag(), count_damping(term.kernel)),
          scales_(term, source, roots),
          scorer_(forest.scorer(source)),
          copier_(source, forest.dag(), uninterrupted_),
          scores_(forest.outputs()),
          alpha_(forest.outputs()) {}

    double norm(std::size_t i, const Task& task) override { return scales_.weighted_norm(roots_[i], task); }

    double factor(std::size_t i, const Task& task) override { return scales_.scale(roots_[i], task); }
    void look_at(std::span<const std::uint32_t> examples, bool needs_norms, const Task& task) override {
        if (!needs_norms && !term_.normalize) return;
        std::vector<Node> trees;
        for (std::uint32_t i : examples) trees.push_back(roots_[i]);
        scales_.measure(term_, source_, std::move(trees), threads_, task);
    }

    void begin(std::span<const std::uint32_t> order, std::size_t outputs, const Task& task) override {
        visits_.reset();
        if (order.size() < kMany) return;
        visits_ = make_visits(term_.kernel, outputs, source_, threads_);
        if (!visits_) return;
        visited_outputs_ = outputs;
        std::vector<Node> trees;
        for (std::uint32_t i : order) trees.push_back(roots_[i]);
        auto scores = known_scores(trees, [&] { visits_->expect(trees, task); }, task);
        visits_->begin(std::move(trees), std::move(scores));
    }

    void score(std::size_t i, double* scores, const Task& task) override {
        const double factor = term_.weight * scales_.scale(roots_[i], task);
        if (visits_) {
            const double* own = visits_->next(task);
            for (std::size_t k = 0; k < visited_outputs_; ++k) scores[k] += factor * own[k];
            return;
        }
        scorer_->score({&roots_[i], 1}, scores_.data(), task);
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void prepare_to_add(std::size_t i, const double* alpha, const Task& task) override {
        const double scale = scales_.scale(roots_[i], task);
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale * alpha[k];
        added_ = own_view_(copier_.copy(roots_[i]));
        forest_.make_room(added_->nodes());
        if (visits_) visits_->add(alpha_.data());
    }
    void add_prepared(std::size_t, const double*) override { forest_.add(*added_, alpha_.data()); }

private:
    // Fewer are scored one by one: what serves many would take longer to be made.
    static constexpr std::size_t kMany = 256;

    // What trees score against the forest as it stands, in the outputs that are looked at. Does something else
    // meanwhile.
    std::vector<double> known_scores(const std::vector<Node>& trees, const std::function<void()>& meanwhile,
                                     const Task& task) const {
        std::vector<double> scores(trees.size() * visited_outputs_, 0.0);
        if (forest_.dag().size() == 0) {
            meanwhile();
            return scores;
        }
        const std::size_t outputs = forest_.outputs();
        std::vector<double> all(trees.size() * outputs, 0.0);
        const auto frozen = forest_.frozen(source_, trees, task);
        ParallelScorer(*frozen, source_, outputs, threads_).add_scores(trees, all.data(), task, meanwhile);
        for (std::size_t at = 0; at < scores.size(); ++at)
            scores[at] = all[at / visited_outputs_ * outputs + at % visited_outputs_];
        return scores;
    }

    WeightedForest& forest_;
    TreeTerm term_;
    const Dag& source_;
    unsigned threads_;
    std::span<const Node> roots_;
    TreeView own_view_;
    TreeScales scales_;
    std::unique_ptr<TreeScorer> scorer_;
    std::unique_ptr<Visits> visits_;
    std::size_t visited_outputs_ = 0;
    const Task uninterrupted_{0};  // a tree is added whole
    Copier copier_;
    std::vector<double> scores_, alpha_;
    std::optional<TreeNodes> added_;  // in the forest's DAG, next
};

}  // namespace

std::unique_ptr<Summand> forest_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                        std::span<const Node> roots, unsigned threads) {
    if (forest.in_batches()) return batch_summand(forest, term, source, roots);
    return std::make_unique<ForestSummand>(forest, term, source, roots, threads);
}

}  // namespace treekernels
