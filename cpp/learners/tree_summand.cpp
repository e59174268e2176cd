#include <cmath>
#include <numeric>

#include "core/dag_copier.hpp"
#include "core/errors.hpp"
#include "core/wide.hpp"
#include "learners/summand.hpp"

namespace treekernels {

namespace {

// 1 / sqrt(K(tree, tree)) where the kernel is normalised.
class Scales {
public:
    // The roots are those that will be asked for.
    Scales(const TreeTerm& term, const Dag& dag, std::span<const Node> roots)
        : normalize_(term.normalize), weight_(term.weight), norm_(make_tree_norm(term.kernel, dag)) {
        norm_->announce(roots);
    }

    // Of a root, measured once.
    double norm(const TreeNodes& tree, const Task& task) {
        const Node root = tree.root();
        if (root >= known_.size()) known_.resize(tree.dag().size(), -1.0);
        if (known_[root] < 0.0) {
            known_[root] = (*norm_)(tree, task);
            if (!fits_double(known_[root])) throw Overflow("the norm of a tree is too large for a weighted forest");
        }
        return known_[root];
    }
    double scale(const TreeNodes& tree, const Task& task) { return normalize_ ? inverse_root(norm(tree, task)) : 1.0; }
    // Of the normalised kernel, with the weight.
    double weighted_norm(const TreeNodes& tree, const Task& task) {
        const double norm = this->norm(tree, task);
        return weight_ * (normalize_ ? (norm > 0.0 ? 1.0 : 0.0) : norm);
    }

private:
    bool normalize_;
    double weight_;
    std::unique_ptr<TreeNorm> norm_;
    std::vector<double> known_;  // by root; -1 where not yet measured
};

class ForestSummand final : public Summand {
public:
    ForestSummand(WeightedForest& forest, const TreeTerm& term, const Dag& source, std::span<const Node> roots)
        : forest_(forest),
          weight_(term.weight),
          roots_(roots),
          view_(source),
          own_view_(forest.dag()),
          scales_(term, source, roots),
          scorer_(forest.scorer(source)),
          copier_(source, forest.dag(), uninterrupted_),
          scores_(forest.outputs()),
          alpha_(forest.outputs()) {}

    double norm(std::size_t i, const Task& task) override { return scales_.weighted_norm(view_(roots_[i]), task); }

    double factor(std::size_t i, const Task& task) override { return scales_.scale(view_(roots_[i]), task); }

    void score(std::size_t i, double* scores, const Task& task) override {
        const TreeNodes tree = view_(roots_[i]);
        const double factor = weight_ * scales_.scale(tree, task);
        std::ranges::fill(scores_, 0.0);
        scorer_->score(tree, scores_.data(), task);
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task& task) override {
        const TreeNodes tree = view_(roots_[i]);
        const double scale = scales_.scale(tree, task);
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale * alpha[k];
        forest_.add(own_view_(copier_.copy(roots_[i])), alpha_.data());
    }

private:
    WeightedForest& forest_;
    double weight_;
    std::span<const Node> roots_;
    TreeView view_, own_view_;
    Scales scales_;
    std::unique_ptr<TreeScorer> scorer_;
    const Task uninterrupted_{0};  // a tree is added whole
    Copier copier_;
    std::vector<double> scores_, alpha_;
};

// Trees against a forest that scores in batches: as it is when the first one is scored, and through a responder for all
// that is added from then on. So every score is that of the forest as it stands.
class BatchSummand final : public Summand {
public:
    BatchSummand(WeightedForest& forest, const TreeTerm& term, const Dag& source, std::span<const Node> roots)
        : forest_(forest),
          term_(term),
          source_(source),
          roots_(roots),
          view_(source),
          own_view_(forest.dag()),
          scales_(term, source, roots),
          copier_(source, forest.dag(), uninterrupted_),
          scores_(forest.outputs()),
          alpha_(forest.outputs()),
          all_outputs_(forest.outputs()) {
        std::iota(all_outputs_.begin(), all_outputs_.end(), 0U);
    }

    double norm(std::size_t i, const Task& task) override { return scales_.weighted_norm(view_(roots_[i]), task); }
    double factor(std::size_t i, const Task& task) override { return scales_.scale(view_(roots_[i]), task); }

    void score(std::size_t i, double* scores, const Task& task) override {
        prepare(task);
        const TreeNodes tree = view_(roots_[i]);
        const double factor = term_.weight * scales_.scale(tree, task);
        std::ranges::fill(scores_, 0.0);
        scorer_->score(tree, scores_.data(), task);
        responder_->score(tree, all_outputs_, scores_.data());
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task& task) override {
        prepare(task);
        const TreeNodes tree = view_(roots_[i]);
        const double scale = scales_.scale(tree, task);
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale * alpha[k];
        responder_->add(tree, alpha_.data(), uninterrupted_);
        forest_.add(own_view_(copier_.copy(roots_[i])), alpha_.data());
    }

private:
    static constexpr std::size_t kBytes = std::size_t{256} << 20;

    void prepare(const Task& task) {
        if (responder_) return;
        batch_ = forest_.batch(source_, roots_, task);
        scorer_ = batch_->scorer();
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
    Scales scales_;
    const Task uninterrupted_{0};  // a tree is added whole
    Copier copier_;
    std::unique_ptr<ScoredBatch> batch_;
    std::unique_ptr<TreeScorer> scorer_;
    std::unique_ptr<Responder> responder_;
    std::vector<double> scores_, alpha_;
    std::vector<std::uint32_t> all_outputs_;
};

class RespondingSummand final : public Summand {
public:
    RespondingSummand(const TreeTerm& term, std::size_t outputs, const Dag& dag, std::span<const Node> roots,
                      std::size_t bytes, const Task& task)
        : dag_(dag),
          responder_(make_responder(term.kernel, outputs, dag, bytes)),
          weight_(term.weight),
          scores_(outputs),
          alpha_(outputs),
          all_outputs_(outputs) {
        std::iota(all_outputs_.begin(), all_outputs_.end(), 0U);
        TreeView view(dag);
        Scales scales(term, dag, roots);
        for (Node root : roots) {
            task.check();
            const TreeNodes tree = view(root);
            nodes_.insert(nodes_.end(), tree.nodes().begin(), tree.nodes().end());
            counts_.insert(counts_.end(), tree.counts().begin(), tree.counts().end());
            offset_.push_back(nodes_.size());
            norm_.push_back(scales.weighted_norm(tree, task));
            scale_.push_back(scales.scale(tree, task));
            responder_->insert(tree);
        }
        responder_->finish(task);
    }

    double norm(std::size_t i, const Task&) override { return norm_[i]; }

    void score(std::size_t i, double* scores, const Task& task) override { score(i, all_outputs_, scores, task); }
    void score(std::size_t i, std::span<const std::uint32_t> outputs, double* scores, const Task&) override {
        std::ranges::fill(scores_, 0.0);
        responder_->score(tree(i), outputs, scores_.data());
        for (std::uint32_t k : outputs) scores[k] += weight_ * scale_[i] * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task&) override {
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale_[i] * alpha[k];
        responder_->add(tree(i), alpha_.data(), Task(0));  // never half
    }

private:
    TreeNodes tree(std::size_t i) const {
        const std::size_t begin = offset_[i], size = offset_[i + 1] - begin;
        return {dag_, {nodes_.data() + begin, size}, {counts_.data() + begin, size}};
    }

    const Dag& dag_;
    std::unique_ptr<Responder> responder_;
    double weight_;
    std::vector<std::size_t> offset_{0};
    std::vector<Node> nodes_;
    std::vector<double> counts_;
    std::vector<double> norm_, scale_;
    std::vector<double> scores_, alpha_;
    std::vector<std::uint32_t> all_outputs_;
};

}  // namespace

std::unique_ptr<Summand> forest_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                        std::span<const Node> roots) {
    if (forest.in_batches()) return std::make_unique<BatchSummand>(forest, term, source, roots);
    return std::make_unique<ForestSummand>(forest, term, source, roots);
}

std::unique_ptr<Summand> responding_summand(const TreeTerm& term, std::size_t outputs, const Dag& dag,
                                            std::span<const Node> roots, std::size_t bytes, const Task& task) {
    return std::make_unique<RespondingSummand>(term, outputs, dag, roots, bytes, task);
}

}  // namespace treekernels
