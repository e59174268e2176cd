// Trees among themselves, as a support vector machine visits them.
#include <numeric>

#include "core/memory/prefetch.hpp"
#include "learners/summands/tree_scales.hpp"
#include "learners/visits.hpp"

namespace treekernels {

namespace {

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

    // There is no model: what the examples score is all there is.
    void prepare_to_add(std::size_t i, const double* alpha, const Task& task) override {
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
    void add_prepared(std::size_t, const double*) override {}

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
        TreeScales scales(term_, dag_, roots_);
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

std::unique_ptr<Summand> responding_summand(const TreeTerm& term, std::size_t outputs, const Dag& dag,
                                            std::span<const Node> roots, std::size_t bytes, unsigned threads,
                                            const Task& task) {
    return std::make_unique<RespondingSummand>(term, outputs, dag, roots, bytes, threads, task);
}

}  // namespace treekernels
