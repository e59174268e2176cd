// Learning with the elastic tree kernel: a weight for each distinct tree of the model.
//
// K of two trees is A of their roots, and A of a root is known once all subtrees below have been visited, each distinct
// one once. So a weight for each subtree would not save anything over one for each root.
#include <cmath>

#include "core/trees/distinct_trees.hpp"
#include "kernels/corpus_norm.hpp"
#include "kernels/elastic/comparison.hpp"
#include "kernels/elastic/kernel.hpp"
#include "kernels/model_labels.hpp"
#include "models/node_weights.hpp"
#include "models/snapshot.hpp"

namespace treekernels {

namespace {

// The trees of a model as columns.
struct ElasticModel {
    ElasticModel(const Dag& dag, const NodeWeights& node_weights, const SimilarTexts& similar, const Task& task)
        : labels(dag, similar), corpus(dag, node_weights.order(), {}, 1U, task), weights(node_weights.values()) {}

    ModelLabels labels;
    Corpus corpus;
    std::vector<double> weights;  // by tree, then by output
};

// A model, and some trees that are scored against it.
class ElasticBatch final : public FrozenForest {
public:
    ElasticBatch(std::shared_ptr<const ElasticModel> model, double decay, std::size_t outputs, const Dag& source,
                 std::span<const Node> roots, const Task& task)
        : model_(std::move(model)),
          parameters_{decay, model_->labels.similarity().get()},
          outputs_(outputs),
          trees_(sorted(roots)),
          corpus_(source, trees_.roots(), {}, 1U, task),
          labels_(model_->labels.numbers(corpus_, source)) {}

    std::unique_ptr<TreeScorer> scorer(const Dag&, const TreeLists*) const override {
        return std::make_unique<Scorer>(*this);
    }

private:
    // As they are asked for: neighbours are compared together.
    static std::vector<Node> sorted(std::span<const Node> roots) {
        std::vector<Node> result(roots.begin(), roots.end());
        std::ranges::sort(result);
        return result;
    }

    // Compares as many trees together as is best, also those that have not been asked for yet. Which ones that are
    // does not depend on who asks.
    class Scorer final : public TreeScorer {
    public:
        explicit Scorer(const ElasticBatch& batch)
            : batch_(batch),
              columns_(batch.model_->corpus.tree_count()),
              comparison_({batch.corpus_, batch.labels_}, batch.model_->corpus, batch.parameters_) {}

        void score(std::span<const Node> roots, double* scores, const Task& task) override {
            std::fill_n(scores, roots.size() * batch_.outputs_, 0.0);
            // In their own order, whatever that of the roots: so none of them is compared twice.
            std::vector<std::pair<std::uint32_t, std::size_t>> order;
            for (std::size_t i = 0; i < roots.size(); ++i) order.emplace_back(batch_.trees_.number(roots[i]), i);
            std::ranges::sort(order);
            for (const auto& [number, i] : order) add_score(number, scores + i * batch_.outputs_, task);
        }

    private:
        static constexpr std::size_t kTogether = ElasticComparison<double>::kTogether;

        void add_score(std::size_t number, double* scores, const Task& task) {
            if (number < first_ || number >= first_ + count_) compare(number / kTogether * kTogether, task);
            const double* values = values_.data() + (number - first_) * columns_;
            const double* weights = batch_.model_->weights.data();
            const std::size_t outputs = batch_.outputs_;
            for (std::size_t column = 0; column < columns_; ++column)
                for (std::size_t k = 0; k < outputs; ++k) scores[k] += values[column] * weights[column * outputs + k];
        }

        void compare(std::size_t first, const Task& task) {
            count_ = 0;  // until they are there
            std::vector<std::uint32_t> trees(std::min(kTogether, batch_.trees_.size() - first));
            std::iota(trees.begin(), trees.end(), static_cast<std::uint32_t>(first));
            values_.assign(trees.size() * columns_, 0.0);
            const auto take_sums = [&](std::size_t begin, std::span<const std::uint32_t> roots, std::uint32_t column,
                                       const double* sums) {
                for (std::size_t i = 0; i < roots.size(); ++i)
                    values_[(begin + i) * columns_ + column] = sums[roots[i]];
            };
            comparison_.compare(trees, columns_, [&](std::size_t) { return columns_; }, take_sums, task);
            first_ = first;
            count_ = trees.size();
        }

        const ElasticBatch& batch_;
        const std::size_t columns_;
        ElasticComparison<double> comparison_;
        std::vector<double> values_;  // of the trees at hand, by column
        std::size_t first_ = 0, count_ = 0;
    };

    std::shared_ptr<const ElasticModel> model_;
    ElasticParameters parameters_;
    std::size_t outputs_;
    DistinctTrees trees_;
    Corpus corpus_;
    std::vector<Label> labels_;
};

class ElasticForest final : public WeightedForest {
public:
    ElasticForest(ElasticKernel kernel, std::size_t outputs)
        : WeightedForest(outputs), kernel_(std::move(kernel)), weights_(outputs) {}

    void make_room(std::span<const Node> nodes) override { weights_.make_room(nodes); }
    using WeightedForest::make_room;
    bool has_room(Node node) const override { return weights_.has_room(node); }
    void add(const TreeNodes& tree, const double* alpha) override {
        change();
        weights_.add(tree.root(), 1.0, alpha);
    }
    bool in_batches() const override { return true; }
    std::shared_ptr<const FrozenForest> frozen(const Dag& source, std::span<const Node> roots,
                                               const Task& task) const override {
        auto model = model_.get(
            revision_, [&] { return std::make_shared<const ElasticModel>(dag_, weights_, *kernel_.similar, task); });
        return std::make_shared<const ElasticBatch>(std::move(model), kernel_.decay, outputs_, source, roots, task);
    }
    std::size_t size() const override { return weights_.size(); }
    ForestState state() const override { return {weights_.order(), weights_.values(), {}, {}}; }
    bool weighs_trees() const override { return true; }
    void restore(const ForestState& state) override {
        change();
        weights_.restore(state);
    }

private:
    void change() {
        WeightedForest::change();
        model_.drop();
    }

    ElasticKernel kernel_;
    NodeWeights weights_;
    Snapshot<ElasticModel> model_;
};

// Trees that have been added, but not yet to the scores of all others: some more are awaited, since it is done for many
// at hardly more than the cost of one.
class PendingTrees {
public:
    PendingTrees(const Corpus& corpus, const ElasticParameters& parameters, std::size_t outputs)
        : corpus_(corpus), parameters_(parameters), outputs_(outputs), plan_(corpus, *parameters.similarity) {}

    void add(std::uint32_t tree, const double* alpha) {
        const auto place = std::ranges::find(trees_, tree);
        if (place != trees_.end()) {
            double* to = alphas_.data() + (place - trees_.begin()) * static_cast<std::ptrdiff_t>(outputs_);
            for (std::size_t k = 0; k < outputs_; ++k) to[k] += alpha[k];
            return;
        }
        trees_.push_back(tree);
        alphas_.insert(alphas_.end(), alpha, alpha + outputs_);
        load_last();
    }
    void clear() {
        trees_.clear();
        alphas_.clear();
        group_count_ = 0;
    }
    std::span<const std::uint32_t> trees() const { return trees_; }
    const double* alpha(std::size_t place) const { return alphas_.data() + place * outputs_; }

    // What they add to the scores of a tree.
    void score(std::uint32_t tree, std::span<const std::uint32_t> outputs, double* scores, const Task& task) {
        if (trees_.empty()) return;
        plan_.see({corpus_}, trees_);
        plan_.plan(corpus_.nodes(tree), task);
        const std::uint32_t last = plan_.step_of(corpus_.root(tree));
        if (last == kNone) return;
        for (std::size_t g = 0; g < group_count_; ++g) {
            Group& group = *groups_[g];
            const auto take_sums = [&](std::size_t step, const double* sums) {
                if (step != last) return;
                for (std::size_t i = 0; i < group.sweep.roots().size(); ++i)
                    for (std::uint32_t k : outputs)
                        scores[k] += sums[group.sweep.roots()[i]] * alpha(group.first + i)[k];
            };
            group.sweep.run(plan_, last + 1, take_sums, task);
        }
    }

private:
    static constexpr std::size_t kManyLanes = 128;
    // Trees side by side.
    struct Group {
        Group(const Corpus& corpus, const ElasticParameters& parameters) : sweep({corpus}, parameters, false) {}
        ElasticSweep<double> sweep;
        std::size_t first = 0, lanes = 0;
    };

    void load_last() {
        const std::size_t size = corpus_.nodes(trees_.back()).size();
        if (group_count_ == 0 || groups_[group_count_ - 1]->lanes + size > kManyLanes) {
            if (group_count_ == groups_.size()) groups_.push_back(std::make_unique<Group>(corpus_, parameters_));
            groups_[group_count_]->first = trees_.size() - 1;
            groups_[group_count_]->lanes = 0;
            ++group_count_;
        }
        Group& group = *groups_[group_count_ - 1];
        group.lanes += size;
        group.sweep.load(std::span(trees_).subspan(group.first));
    }

    const Corpus& corpus_;
    ElasticParameters parameters_;
    std::size_t outputs_;
    ElasticColumns plan_;
    std::vector<std::uint32_t> trees_;
    std::vector<double> alphas_;  // by tree, then by output
    std::vector<std::unique_ptr<Group>> groups_;
    std::size_t group_count_ = 0;
};

// The scores of all inserted trees.
class ElasticResponder final : public Responder {
public:
    ElasticResponder(ElasticKernel kernel, std::size_t outputs, const Dag& dag, bool rough)
        : kernel_(std::move(kernel)), outputs_(outputs), dag_(dag), rough_(rough) {}

    void insert(const TreeNodes& tree) override { trees_.insert(tree.root()); }

    void finish(const Task& task) override {
        kernel_.resolve(dag_);
        corpus_ = std::make_unique<Corpus>(dag_, trees_.roots(), std::span<const Node>(), 1U, task);
        scores_ = std::make_unique<Scores>(*corpus_, kernel_.parameters(), outputs_, rough_);
    }

    void add(const TreeNodes& tree, const double* alpha, const Task& task) override {
        scores_->add(trees_.number(tree.root()), alpha, task);
    }
    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        scores_->add_to(scores, trees_.number(tree.root()), outputs);
    }

private:
    class Scores {
    public:
        Scores(const Corpus& corpus, const ElasticParameters& parameters, std::size_t outputs, bool rough)
            : corpus_(corpus),
              parameters_(parameters),
              trees_(corpus.tree_count()),
              outputs_(outputs),
              rough_(rough ? std::make_unique<ElasticComparison<float>>(rows(), corpus, parameters) : nullptr),
              pending_(corpus, parameters, outputs),
              settled_(trees_ * outputs, 0.0) {}

        void add(std::uint32_t tree, const double* alpha, const Task& task) {
            if (pending_.trees().size() == kMostPending) settle(task);
            pending_.add(tree, alpha);
        }

        void add_to(double* scores, std::uint32_t tree, std::span<const std::uint32_t> outputs) {
            const Task uninterrupted(0);
            // By then it has cost about as much to look as to settle.
            if (!pending_.trees().empty() && ++looks_ > trees_ / 2) settle(uninterrupted);
            for (std::uint32_t k : outputs) scores[k] += settled_[tree * outputs_ + k];
            pending_.score(tree, outputs, scores, uninterrupted);
        }

    private:
        static constexpr std::size_t kMostPending = ElasticComparison<double>::kTogether;

        // Adds what is pending to the scores of all trees.
        void settle(const Task& task) {
            if (!rough_ || !compare(*rough_, task)) {
                if (!exact_) exact_ = std::make_unique<ElasticComparison<double>>(rows(), corpus_, parameters_);
                compare(*exact_, task);
            }
            for (std::size_t i = 0; i < settled_.size(); ++i) settled_[i] += change_[i];
            pending_.clear();
            looks_ = 0;
        }

        // Into change_. False if a value is too large.
        template <class Real>
        bool compare(ElasticComparison<Real>& comparison, const Task& task) {
            change_.assign(settled_.size(), 0.0);
            const auto take_sums = [&](std::size_t begin, std::span<const std::uint32_t> roots, std::uint32_t column,
                                       const Real* sums) {
                double* to = change_.data() + column * outputs_;
                for (std::size_t i = 0; i < roots.size(); ++i)
                    for (std::size_t k = 0; k < outputs_; ++k)
                        to[k] += pending_.alpha(begin + i)[k] * static_cast<double>(sums[roots[i]]);
            };
            comparison.compare(pending_.trees(), trees_, [&](std::size_t) { return trees_; }, take_sums, task);
            return std::ranges::all_of(change_, [](double value) { return std::isfinite(value); });
        }
        ElasticRowTrees rows() const { return {corpus_}; }

        const Corpus& corpus_;
        const ElasticParameters parameters_;
        const std::size_t trees_, outputs_;
        std::unique_ptr<ElasticComparison<float>> rough_;   // null unless single precision will do
        std::unique_ptr<ElasticComparison<double>> exact_;  // made when it is needed
        PendingTrees pending_;
        std::size_t looks_ = 0;                 // since the last time
        std::vector<double> settled_, change_;  // by tree, then by output
    };

    ElasticKernel kernel_;
    std::size_t outputs_;
    const Dag& dag_;
    bool rough_;
    DistinctTrees trees_;
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<Scores> scores_;
};

}  // namespace

std::unique_ptr<WeightedForest> make_elastic_forest(const ElasticKernel& kernel, std::size_t outputs) {
    return std::make_unique<ElasticForest>(kernel, outputs);
}
std::unique_ptr<Responder> make_elastic_responder(const ElasticKernel& kernel, std::size_t outputs, const Dag& dag,
                                                  bool rough) {
    return std::make_unique<ElasticResponder>(kernel, outputs, dag, rough);
}
std::unique_ptr<TreeNorm> make_elastic_norm(const ElasticKernel& kernel, const Dag& dag) {
    return std::make_unique<CorpusNorm<ElasticKernel>>(kernel, dag);
}

}  // namespace treekernels
