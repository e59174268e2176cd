#include <cmath>
#include <numeric>

#include "core/dag_copier.hpp"
#include "core/errors.hpp"
#include "core/prefetch.hpp"
#include "core/wide.hpp"
#include "learners/summand.hpp"
#include "learners/visits.hpp"

namespace treekernels {

namespace {

// 1 / sqrt(K(tree, tree)) where the kernel is normalised.
class Scales {
public:
    // The roots are those that will be asked for.
    Scales(const TreeTerm& term, const Dag& dag, std::span<const Node> roots)
        : normalize_(term.normalize),
          weight_(term.weight),
          view_(dag, count_damping(term.kernel)),
          norm_(make_tree_norm(term.kernel, dag)) {
        known_.resize(dag.size(), -1.0);
        norm_->announce(roots);
    }

    // Measures many, on several threads.
    void measure(const TreeTerm& term, const Dag& dag, std::vector<Node> roots, unsigned threads, const Task& task) {
        std::ranges::sort(roots);
        roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
        const std::size_t parts = std::clamp<std::size_t>(roots.size() / kWorthThread, 1, threads);
        if (parts == 1) {
            for (Node root : roots) norm(root, task);
            return;
        }
        run_parts(parts, [&](std::size_t part) {
            const std::size_t begin = roots.size() * part / parts, end = roots.size() * (part + 1) / parts;
            const auto own = std::span(roots).subspan(begin, end - begin);
            Scales scales(term, dag, own);
            for (Node root : own)
                if (known_[root] < 0.0) known_[root] = scales.norm(root, task);
        });
    }
    // Of the tree below a root, measured once.
    double norm(Node root, const Task& task) { return known_[root] < 0.0 ? norm(view_(root), task) : known_[root]; }
    double norm(const TreeNodes& tree, const Task& task) {
        double& known = known_[tree.root()];
        if (known < 0.0) {
            known = (*norm_)(tree, task);
            if (!fits_double(known)) throw Overflow("the norm of a tree is too large for a weighted forest");
        }
        return known;
    }
    double scale(Node root, const Task& task) { return normalize_ ? inverse_root(norm(root, task)) : 1.0; }
    // Of the normalised kernel, with the weight.
    double weighted_norm(Node root, const Task& task) {
        const double norm = this->norm(root, task);
        return weight_ * (normalize_ ? (norm > 0.0 ? 1.0 : 0.0) : norm);
    }

private:
    static constexpr std::size_t kWorthThread = 1024;  // trees

    bool normalize_;
    double weight_;
    TreeView view_;
    std::unique_ptr<TreeNorm> norm_;
    std::vector<double> known_;  // by root; -1 where not yet measured
};

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
          view_(source, count_damping(term.kernel)),
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
        std::ranges::fill(scores_, 0.0);
        scorer_->score(view_(roots_[i]), scores_.data(), task);
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task& task) override {
        const double scale = scales_.scale(roots_[i], task);
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale * alpha[k];
        if (visits_) visits_->add(alpha_.data());
        forest_.add(own_view_(copier_.copy(roots_[i])), alpha_.data());
    }

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
        const auto frozen = forest_.frozen(task);
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
    TreeView view_, own_view_;
    Scales scales_;
    std::unique_ptr<TreeScorer> scorer_;
    std::unique_ptr<Visits> visits_;
    std::size_t visited_outputs_ = 0;
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
        std::ranges::fill(scores_, 0.0);
        scorer_->score(tree, scores_.data(), task);
        responder_->score(tree, all_outputs_, scores_.data());
        for (std::size_t k = 0; k < scores_.size(); ++k) scores[k] += factor * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task& task) override {
        prepare(task);
        const TreeNodes tree = view_(roots_[i]);
        const double scale = scales_.scale(roots_[i], task);
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

// Trees among themselves. A responder answers for the examples in focus; the others catch up with what was added
// meanwhile when they are asked for, all at once. Kernels that cannot score many trees at a time have all in focus.
class RespondingSummand final : public Summand {
public:
    RespondingSummand(const TreeTerm& term, std::size_t outputs, const Dag& dag, std::span<const Node> roots,
                      std::size_t bytes, unsigned threads, const Task& task)
        : term_(term),
          dag_(dag),
          roots_(roots.begin(), roots.end()),
          bytes_(bytes),
          trees_(make_weighted_trees(term.kernel, outputs, dag)),
          base_(roots.size() * outputs, 0.0),
          seen_(roots.size(), 0),
          place_(roots.size(), kNone),
          scores_(outputs),
          alpha_(outputs),
          all_outputs_(outputs) {
        std::iota(all_outputs_.begin(), all_outputs_.end(), 0U);
        if (trees_) scorer_ = std::make_unique<ParallelScorer>(*trees_, dag, outputs, threads);
        std::vector<std::uint32_t> all(roots.size());
        std::iota(all.begin(), all.end(), 0U);
        list_nodes(all, task);
        respond_for(all, task);
    }

    double norm(std::size_t i, const Task&) override { return norm_[i]; }

    void focus(std::span<const std::uint32_t> examples, const Task& task) override {
        if (!trees_) return;
        catch_up(examples, task);
        for (std::uint32_t i : focus_) {
            responder_->score(place_[i], tree(i), all_outputs_, base_of(i));
            seen_[i] = added_.size();
        }
        for (std::uint32_t i : focus_) place_[i] = kNone;
        respond_for(examples, task);
    }

    void expect(std::size_t i, unsigned steps) const override {
        if (steps == 2) {
            prefetch(&base_[i * scores_.size()]);
            prefetch(&scale_[i]);
            prefetch(&listed_[i]);
        }
        if (place_[i] != kNone) responder_->expect(place_[i], steps);
    }
    void score(std::size_t i, double* scores, const Task& task) override { score(i, all_outputs_, scores, task); }
    void score(std::size_t i, std::span<const std::uint32_t> outputs, double* scores, const Task& task) override {
        std::copy_n(base_of(i), scores_.size(), scores_.begin());
        if (place_[i] != kNone) {
            responder_->score(place_[i], tree(i), outputs, scores_.data());
        } else if (seen_[i] != added_.size()) {
            catch_up_all(task);
            std::copy_n(base_of(i), scores_.size(), scores_.begin());
        }
        for (std::uint32_t k : outputs) scores[k] += term_.weight * scale_[i] * scores_[k];
    }

    void add(std::size_t i, const double* alpha, const Task& task) override {
        if (place_[i] == kNone) {
            std::vector<std::uint32_t> more(focus_);
            more.push_back(static_cast<std::uint32_t>(i));
            focus(more, task);
        }
        for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = scale_[i] * alpha[k];
        responder_->add(tree(i), alpha_.data(), Task(0));  // never half
        if (focus_.size() == roots_.size()) return;
        added_.push_back(roots_[i]);
        alphas_.insert(alphas_.end(), alpha_.begin(), alpha_.end());
    }

private:
    double* base_of(std::size_t i) { return base_.data() + i * scores_.size(); }
    TreeNodes tree(std::size_t i) const {
        const auto [begin, size] = listed_[i];
        return {dag_, {nodes_.data() + begin, size}, {counts_.data() + begin, size}};
    }

    // Trees that share subtrees after each other: then most of these are at hand.
    void sort_by_root(std::vector<std::uint32_t>& examples) const {
        std::ranges::sort(examples, {}, [&](std::uint32_t i) { return std::pair(roots_[i], i); });
    }

    // Lists the nodes of all examples, and measures them on the way.
    void list_nodes(std::vector<std::uint32_t> examples, const Task& task) {
        sort_by_root(examples);
        Scales scales(term_, dag_, roots_);
        TreeView view(dag_, count_damping(term_.kernel));
        norm_.resize(roots_.size());
        scale_.resize(roots_.size());
        listed_.resize(roots_.size());
        for (std::size_t at = 0; at < examples.size(); ++at) {
            task.check();
            const std::uint32_t i = examples[at];
            if (at > 0 && roots_[i] == roots_[examples[at - 1]]) {
                listed_[i] = listed_[examples[at - 1]];
            } else {
                const TreeNodes tree = view(roots_[i]);
                scales.norm(tree, task);
                listed_[i] = {nodes_.size(), tree.nodes().size()};
                nodes_.insert(nodes_.end(), tree.nodes().begin(), tree.nodes().end());
                counts_.insert(counts_.end(), tree.counts().begin(), tree.counts().end());
            }
            norm_[i] = scales.weighted_norm(roots_[i], task);
            scale_[i] = scales.scale(roots_[i], task);
        }
    }

    // Makes a responder that knows some examples and nothing else.
    void respond_for(std::span<const std::uint32_t> examples, const Task& task) {
        focus_.assign(examples.begin(), examples.end());
        sort_by_root(focus_);
        responder_ = make_rough_responder(term_.kernel, scores_.size(), dag_, bytes_);
        for (std::size_t place = 0; place < focus_.size(); ++place) {
            task.check();
            place_[focus_[place]] = static_cast<std::uint32_t>(place);
            responder_->insert(tree(focus_[place]));
        }
        responder_->finish(task);
    }

    void catch_up_all(const Task& task) {
        std::vector<std::uint32_t> all(roots_.size());
        std::iota(all.begin(), all.end(), 0U);
        catch_up(all, task);
        added_.clear();
        alphas_.clear();
        std::ranges::fill(seen_, 0);
    }

    // Brings those examples up to date that are not in focus: those together that have seen the same additions.
    void catch_up(std::span<const std::uint32_t> examples, const Task& task) {
        const std::size_t outputs = scores_.size();
        std::vector<std::uint32_t> late;
        for (std::uint32_t i : examples)
            if (place_[i] == kNone && seen_[i] != added_.size()) late.push_back(i);
        std::ranges::sort(late, {}, [&](std::uint32_t i) { return std::pair(seen_[i], i); });
        std::vector<Node> trees;
        std::vector<double> scores;
        for (std::size_t begin = 0, end; begin < late.size(); begin = end) {
            const std::size_t seen = seen_[late[begin]];
            trees.clear();
            for (end = begin; end < late.size() && seen_[late[end]] == seen; ++end) trees.push_back(roots_[late[end]]);
            scores.assign(trees.size() * outputs, 0.0);
            trees_->assign(std::span(added_).subspan(seen), std::span(alphas_).subspan(seen * outputs), task);
            scorer_->add_scores(trees, scores.data(), task);
            for (std::size_t at = begin; at < end; ++at) {
                for (std::size_t k = 0; k < outputs; ++k) base_of(late[at])[k] += scores[(at - begin) * outputs + k];
                seen_[late[at]] = added_.size();
            }
        }
    }

    TreeTerm term_;
    const Dag& dag_;
    std::vector<Node> roots_;
    std::size_t bytes_;
    std::vector<double> norm_, scale_;
    // The distinct subtrees of all examples, and where those of each are.
    struct Listed {
        std::size_t begin, size;
    };
    std::vector<Node> nodes_;
    std::vector<double> counts_;
    std::vector<Listed> listed_;
    std::unique_ptr<WeightedTrees> trees_;  // null where many trees cannot be scored at a time
    std::unique_ptr<ParallelScorer> scorer_;

    // By example and output: what it scores, but for what the responder has.
    std::vector<double> base_;
    // What was added since all examples were up to date, and how much of it each has seen that is not in focus.
    std::vector<Node> added_;
    std::vector<double> alphas_;
    std::vector<std::size_t> seen_;

    std::vector<std::uint32_t> focus_;
    std::vector<std::uint32_t> place_;  // by example: in the focus, or kNone
    std::unique_ptr<Responder> responder_;
    std::vector<double> scores_, alpha_;
    std::vector<std::uint32_t> all_outputs_;
};

}  // namespace

std::unique_ptr<Summand> forest_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                        std::span<const Node> roots, unsigned threads) {
    if (forest.in_batches()) return std::make_unique<BatchSummand>(forest, term, source, roots);
    return std::make_unique<ForestSummand>(forest, term, source, roots, threads);
}

std::unique_ptr<Summand> responding_summand(const TreeTerm& term, std::size_t outputs, const Dag& dag,
                                            std::span<const Node> roots, std::size_t bytes, unsigned threads,
                                            const Task& task) {
    return std::make_unique<RespondingSummand>(term, outputs, dag, roots, bytes, threads, task);
}

}  // namespace treekernels
