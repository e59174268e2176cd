#include "learners/summands/batch_summand.hpp"

#include <numeric>
#include <optional>

#include "core/trees/dag_copier.hpp"
#include "learners/summands/tree_scales.hpp"

namespace treekernels {

namespace {

// Trees against a forest that scores in batches: as it is when the first one is scored, and through a responder for all
// that is added from then on. So every score is that of the forest as it stands.
class BatchSummand final : public Summand {
public:
    BatchSummand(WeightedForest& forest, const TreeTerm& term, const Dag& source, std::span<const Node> roots)
        : forest_(forest),
          term_(term),
          source_(source),
          roots_(roots),
          view_(source, count_damping(term.kernel)),
          own_view_(forest.dag(), count_damping(term.kernel)),
          scales_(term, source, roots),
          copier_(source, forest.dag(), uninterrupted_),
          scores_(forest.outputs()),
          alpha_(forest.outputs()),
          all_outputs_(forest.outputs()) {
        std::iota(all_outputs_.begin(), all_outputs_.end(), 0U);
    }

    double norm(std::size_t i, const Task& task) override { return scales_.weighted_norm(roots_[i], task); }
    double factor(std::size_t i, const Task& task) override { return scales_.scale(roots_[i], task); }
    void look_at(std::span<const std::uint32_t> examples, bool needs_norms, const Task& task) override {
        for (std::uint32_t i : examples) needs_norms ? norm(i, task) : factor(i, task);
    }

    void score(std::size_t i, double* scores, const Task& task) override {
        prepare(task);
        const TreeNodes tree = view_(roots_[i]);
        const double factor = term_.weight * scales_.scale(roots_[i], task);
        std::copy_n(before_.data() + i * scores_.size(), scores_.size(), scores_.begin());
        responder_->score(tree, all_outputs_, scores_.data());
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void prepare_to_add(std::size_t i, const double* alpha, const Task& task) override {
        prepare(task);
        const TreeNodes tree = view_(roots_[i]);
        const double scale = scales_.scale(roots_[i], task);
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale * alpha[k];
        added_ = own_view_(copier_.copy(roots_[i]));
        forest_.make_room(added_->nodes());
        responder_->add(tree, alpha_.data(), uninterrupted_);
    }
    void add_prepared(std::size_t, const double*) override { forest_.add(*added_, alpha_.data()); }

private:
    static constexpr std::size_t kBytes = std::size_t{256} << 20;

    void prepare(const Task& task) {
        if (responder_) return;
        before_.resize(roots_.size() * forest_.outputs());
        forest_.frozen(source_, roots_, task)->scorer(source_)->score(roots_, before_.data(), task);
        auto responder = make_responder(term_.kernel, forest_.outputs(), source_, kBytes);
        for (Node root : roots_) responder->insert(view_(root));
        responder->finish(task);
        responder_ = std::move(responder);
    }

    WeightedForest& forest_;
    const TreeTerm& term_;
    const Dag& source_;
    std::span<const Node> roots_;
    TreeView view_, own_view_;
    TreeScales scales_;
    const Task uninterrupted_{0};  // a tree is added whole
    Copier copier_;
    std::vector<double> before_;  // by example and output: what it scored before anything was added
    std::unique_ptr<Responder> responder_;
    std::vector<double> scores_, alpha_;
    std::vector<std::uint32_t> all_outputs_;
    std::optional<TreeNodes> added_;  // in the forest's DAG, next
};

}  // namespace

std::unique_ptr<Summand> batch_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                       std::span<const Node> roots) {
    return std::make_unique<BatchSummand>(forest, term, source, roots);
}

}  // namespace treekernels
