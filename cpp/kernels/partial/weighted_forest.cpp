// Learning with the partial-tree kernel: a weight for each distinct subtree of the model.
#include <unordered_map>

#include "core/trees/distinct_trees.hpp"
#include "kernels/corpus_norm.hpp"
#include "kernels/model_labels.hpp"
#include "kernels/partial/kernel.hpp"
#include "kernels/partial/rows/row_cache.hpp"
#include "models/node_weights.hpp"
#include "models/snapshot.hpp"

namespace treekernels {

namespace {

// For what is kept of C while trees are scored, by each thread.
constexpr std::size_t kScoringBytes = std::size_t{128} << 20;

// What the labels alone give: for each label of a DAG, the sum over all labels of similarity times weight.
class LabelResponses {
public:
    LabelResponses() = default;
    LabelResponses(const LabelSimilarity& similarity, std::size_t outputs, double leaf_value)
        : similarity_(&similarity), outputs_(outputs), leaf_value_(leaf_value) {
        values_.assign(similarity.label_count() * outputs, 0.0);
    }

    void add(Label label, double count, const double* alpha) {
        similarity_->visit(label,
                           [&](Label other, double similar) { add_to(other, similar * leaf_value_ * count, alpha); });
    }
    const double* of(Label label) const { return values_.data() + label * outputs_; }

private:
    void add_to(Label label, double factor, const double* alpha) {
        for (std::size_t k = 0; k < outputs_; ++k) values_[label * outputs_ + k] += factor * alpha[k];
    }

    const LabelSimilarity* similarity_ = nullptr;
    std::size_t outputs_ = 0;
    double leaf_value_ = 0.0;
    std::vector<double> values_;
};

// The subtrees of a model as columns, with their weights.
struct PartialModel {
    PartialModel(const PartialKernel& kernel, const Dag& dag, const NodeWeights& node_weights, std::size_t outputs,
                 const Task& task)
        : labels(dag, *kernel.similar, kernel.table.get(), kernel.vertical_decay),
          parameters{kernel.decay, kernel.vertical_decay, kernel.span, labels.similarity().get()} {
        // All subtrees are below those that are no one's children.
        const auto& own = node_weights.order();
        std::vector<bool> is_child(dag.size(), false);
        for (Node node : own)
            for (Node child : dag.children(node)) is_child[child] = true;
        std::vector<Node> tops;
        std::ranges::copy_if(own, std::back_inserter(tops), [&](Node node) { return !is_child[node]; });
        corpus = std::make_unique<Corpus>(dag, tops, std::span<const Node>(), 1U, task);
        index = std::make_unique<PartialIndex>(*corpus, tops.size(), *parameters.similarity, task);
        label_responses = LabelResponses(*parameters.similarity, outputs, parameters.leaf_value());

        const auto place = index->places();
        const auto there = corpus_nodes(*corpus, 0, dag, tops);
        weights.assign(place.size() * outputs, 0.0);
        const auto values = node_weights.values();
        for (std::size_t i = 0; i < own.size(); ++i) {
            const double* from = values.data() + i * outputs;
            std::copy_n(from, outputs, weights.data() + place[there[own[i]]] * outputs);
            label_responses.add(dag.label(own[i]), 1.0, from);
        }
    }

    ModelLabels labels;
    PartialParameters parameters;
    std::unique_ptr<Corpus> corpus;
    std::unique_ptr<PartialIndex> index;
    LabelResponses label_responses;
    std::vector<double> weights;  // by place, then by output
};

// A model, and some trees that are scored against it.
class PartialBatch final : public FrozenForest {
public:
    PartialBatch(std::shared_ptr<const PartialModel> model, std::size_t outputs, const Dag& source,
                 std::span<const Node> roots, CountDamping damping, const Task& task)
        : model_(std::move(model)),
          outputs_(outputs),
          trees_(roots),
          corpus_(source, trees_.roots(), std::span<const Node>(), 1U, task, damping),
          shapes_(corpus_, model_->labels.numbers(corpus_, source)),
          uses_(corpus_.production_count(), 0) {
        for (Node node = 0; node < corpus_.node_count(); ++node)
            if (!corpus_.is_leaf(node)) ++uses_[corpus_.production(node)];
    }

    std::unique_ptr<TreeScorer> scorer(const Dag&, const TreeLists*) const override {
        return std::make_unique<Scorer>(*this);
    }

private:
    // Keeps the response of each distinct subtree, so that it is computed once.
    class Scorer final : public TreeScorer {
    public:
        explicit Scorer(const PartialBatch& batch)
            : batch_(batch),
              corpus_(batch.corpus_),
              rows_(corpus_, batch.shapes_, *batch.model_->index, batch.model_->parameters, batch.uses_, kScoringBytes),
              known_(corpus_.node_count(), false),
              wanted_(corpus_.node_count(), false),
              responses_(corpus_.node_count() * batch.outputs_, 0.0) {}

        void score(std::span<const Node> roots, double* scores, const Task& task) override {
            std::fill_n(scores, roots.size() * batch_.outputs_, 0.0);
            for (std::size_t i = 0; i < roots.size(); ++i) add_score(roots[i], scores + i * batch_.outputs_, task);
        }

    private:
        void add_score(Node root, double* scores, const Task& task) {
            const std::size_t number = batch_.trees_.number(root);
            const auto nodes = corpus_.nodes(number);
            const auto counts = corpus_.counts(number);
            // What is to be computed: responses that are not known, and rows that they need.
            for (std::size_t i = nodes.size(); i-- > 0;) {
                const Node u = nodes[i];
                wanted_[u] = !corpus_.is_leaf(u) && (!known_[u] || (wanted_[u] && !rows_.has(u)));
                if (wanted_[u])
                    for (Node child : corpus_.children(u)) wanted_[child] = true;
            }
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const Node u = nodes[i];
                if (wanted_[u]) respond(u, task);
                wanted_[u] = false;
                const double* response = responses_.data() + u * batch_.outputs_;
                const Label label = batch_.shapes_.label_of(u);
                if (label == kNone) continue;
                const double* alone = batch_.model_->label_responses.of(label);
                for (std::size_t k = 0; k < batch_.outputs_; ++k) scores[k] += counts[i] * (alone[k] + response[k]);
            }
            rows_.tidy();
        }
        void respond(Node u, const Task& task) {
            task.check();
            double* response = responses_.data() + u * batch_.outputs_;
            const auto add = [&](std::size_t place, double value) { add_weights(place, value, response); };
            const Production production = corpus_.production(u);
            if (batch_.uses_[production] > 1) {
                const auto [known, is_new] = at_rest_.try_emplace(production);
                if (is_new) respond_at_rest(production, known->second);
                std::ranges::copy(known->second, response);
                rows_.compute(u, RowPart::surplus, add, task);
            } else {
                std::fill_n(response, batch_.outputs_, 0.0);
                rows_.compute(u, RowPart::excess, add, task);
            }
            known_[u] = true;
        }
        void respond_at_rest(Production production, std::vector<double>& response) {
            response.assign(batch_.outputs_, 0.0);
            rows_.visit_at_rest(production,
                                [&](std::span<const std::uint32_t> ranks, std::uint32_t place, double value) {
                                    for (std::uint32_t rank : ranks) add_weights(place + rank, value, response.data());
                                });
        }
        void add_weights(std::size_t place, double value, double* response) const {
            const double* weights = batch_.model_->weights.data() + place * batch_.outputs_;
            for (std::size_t k = 0; k < batch_.outputs_; ++k) response[k] += value * weights[k];
        }

        const PartialBatch& batch_;
        const Corpus& corpus_;
        PartialRowCache rows_;
        std::vector<bool> known_;
        std::vector<bool> wanted_;
        std::vector<double> responses_;  // of each subtree, without what its label alone gives
        std::unordered_map<Production, std::vector<double>> at_rest_;
    };

    std::shared_ptr<const PartialModel> model_;
    std::size_t outputs_;
    DistinctTrees trees_;
    Corpus corpus_;
    PartialShapes shapes_;
    std::vector<std::uint32_t> uses_;  // by production: subtrees that have it
};

class PartialForest final : public WeightedForest {
public:
    PartialForest(PartialKernel kernel, std::size_t outputs)
        : WeightedForest(outputs), kernel_(std::move(kernel)), weights_(outputs) {}

    void make_room(std::span<const Node> nodes) override { weights_.make_room(nodes); }
    using WeightedForest::make_room;
    bool has_room(Node node) const override { return weights_.has_room(node); }
    void add(const TreeNodes& tree, const double* alpha) override {
        change();
        weights_.add(tree, alpha);
    }
    bool in_batches() const override { return true; }
    std::shared_ptr<const FrozenForest> frozen(const Dag& source, std::span<const Node> roots,
                                               const Task& task) const override {
        auto model = model_.get(
            revision_, [&] { return std::make_shared<const PartialModel>(kernel_, dag_, weights_, outputs_, task); });
        return std::make_shared<const PartialBatch>(std::move(model), outputs_, source, roots, kernel_.counts, task);
    }
    std::size_t size() const override { return weights_.size(); }
    ForestState state() const override { return {weights_.order(), weights_.values(), {}, {}}; }
    void restore(const ForestState& state) override {
        change();
        weights_.restore(state);
    }

private:
    void change() {
        ++revision_;
        model_.drop();
    }

    PartialKernel kernel_;
    NodeWeights weights_;
    Snapshot<PartialModel> model_;
};

// Trees of a DAG that score others of it.
class PartialTrees final : public WeightedTrees {
public:
    PartialTrees(PartialKernel kernel, std::size_t outputs, const Dag& dag)
        : kernel_(std::move(kernel)), outputs_(outputs), dag_(dag) {}

    void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) override {
        NodeWeights weights(outputs_);
        TreeView view(dag_, kernel_.counts);
        for (std::size_t i = 0; i < roots.size(); ++i) weights.add(view(roots[i]), alphas.data() + i * outputs_);
        model_ = std::make_shared<const PartialModel>(kernel_, dag_, weights, outputs_, task);
    }
    std::unique_ptr<TreeScorer> scorer(const Dag& source, const TreeLists*) const override {
        return std::make_unique<Scorer>(*this, source);
    }

private:
    // Has to know all trees beforehand.
    class Scorer final : public TreeScorer {
    public:
        Scorer(const PartialTrees& trees, const Dag& source) : trees_(trees), source_(source) {}
        void score(std::span<const Node> roots, double* scores, const Task& task) override {
            const PartialBatch batch(trees_.model_, trees_.outputs_, source_, roots, trees_.kernel_.counts, task);
            batch.scorer(source_, nullptr)->score(roots, scores, task);
        }

    private:
        const PartialTrees& trees_;
        const Dag& source_;
    };

    PartialKernel kernel_;
    std::size_t outputs_;
    const Dag& dag_;
    std::shared_ptr<const PartialModel> model_;
};

// The responses of the inserted trees. What a tree has in common with all others is kept as long as there is room, as
// numbers of the type `Stored`.
template <class Stored>
class PartialResponder final : public Responder {
public:
    PartialResponder(PartialKernel kernel, std::size_t outputs, const Dag& dag, std::size_t bytes)
        : kernel_(std::move(kernel)), outputs_(outputs), dag_(dag), bytes_(bytes) {}

    void insert(const TreeNodes& tree) override { trees_.insert(tree.root()); }

    void finish(const Task& task) override {
        kernel_.resolve(dag_);
        corpus_ = std::make_unique<Corpus>(dag_, trees_.roots(), std::span<const Node>(), 1U, task, kernel_.counts);
        rows_ = kernel_.rows<double>(*corpus_, corpus_->tree_count(), 1, task);
        worker_ = rows_->worker();
        row_.resize(corpus_->tree_count());
        kept_.resize(corpus_->tree_count());
        responses_.assign(corpus_->tree_count() * outputs_, 0.0);
    }

    void add(const TreeNodes& tree, const double* alpha, const Task& task) override {
        const std::size_t count = corpus_->tree_count(), number = trees_.number(tree.root());
        auto& kept = kept_[number];
        if (kept.empty()) {
            worker_->row(number, count, row_.data(), task);
            // Rounded whether it is kept or not: how much room there is must not show.
            rounded_.assign(row_.begin(), row_.end());
            if (kept_bytes_ < bytes_) {
                kept = rounded_;
                kept_bytes_ += count * sizeof(Stored);
            }
        }
        const std::vector<Stored>& row = kept.empty() ? rounded_ : kept;
        for (std::size_t k = 0; k < outputs_; ++k) {
            if (alpha[k] == 0.0) continue;
            double* to = responses_.data() + k * count;
            add_multiple(to, row.data(), count, alpha[k]);
        }
    }

    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        const std::size_t number = trees_.number(tree.root());
        for (std::uint32_t k : outputs) scores[k] += responses_[k * corpus_->tree_count() + number];
    }

private:
    PartialKernel kernel_;
    std::size_t outputs_;
    const Dag& dag_;
    std::size_t bytes_;
    DistinctTrees trees_;
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<Rows<double>> rows_;
    std::unique_ptr<RowWorker<double>> worker_;
    std::vector<double> row_;
    std::vector<Stored> rounded_;
    std::vector<std::vector<Stored>> kept_;
    std::size_t kept_bytes_ = 0;
    std::vector<double> responses_;  // by output, then by tree
};

}  // namespace

std::unique_ptr<WeightedForest> make_partial_forest(const PartialKernel& kernel, std::size_t outputs) {
    return std::make_unique<PartialForest>(kernel, outputs);
}
std::unique_ptr<WeightedTrees> make_partial_trees(const PartialKernel& kernel, std::size_t outputs, const Dag& dag) {
    return std::make_unique<PartialTrees>(kernel, outputs, dag);
}
std::unique_ptr<Responder> make_partial_responder(const PartialKernel& kernel, std::size_t outputs, const Dag& dag,
                                                  std::size_t bytes, bool rough) {
    if (rough) return std::make_unique<PartialResponder<float>>(kernel, outputs, dag, bytes);
    return std::make_unique<PartialResponder<double>>(kernel, outputs, dag, bytes);
}
std::unique_ptr<TreeNorm> make_partial_norm(const PartialKernel& kernel, const Dag& dag) {
    return std::make_unique<CorpusNorm<PartialKernel>>(kernel, dag);
}

}  // namespace treekernels
