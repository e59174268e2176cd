#include "kernels/subset/weighted_forest.hpp"

#include "kernels/subset/chains/chain_scorer.hpp"
#include "kernels/subset/chains/unary_paths.hpp"
#include "kernels/subset/rows/growing_table.hpp"
#include "kernels/subset/rows/scorer.hpp"
#include "models/root_weights.hpp"
#include "models/snapshot.hpp"

namespace treekernels {

namespace {

// A forest laid out for many trees.
class FrozenSubsetForest final : public FrozenForest {
public:
    FrozenSubsetForest(const Dag& dag, const SubsetParameters& parameters, const ForestState& state,
                       std::size_t outputs, const Task& task)
        : table_(dag, parameters, outputs), chains_(dag, parameters, state, task) {
        table_.assign(state.nodes, state.weights, task);
        for (std::size_t label = 0; label * outputs < state.labels.size(); ++label)
            table_.add_label(static_cast<Label>(label), state.labels.data() + label * outputs);
    }
    std::unique_ptr<TreeScorer> scorer(const Dag& source, const TreeLists* lists) const override {
        auto scorer = std::make_unique<SubsetScorer<SubsetTable>>(table_, source, lists);
        if (chains_.empty()) return scorer;
        return std::make_unique<SubsetChainScorer>(table_, chains_, source, std::move(scorer));
    }

private:
    SubsetTable table_;
    WeightedChains chains_;
};

class SubsetForest final : public WeightedForest {
public:
    SubsetForest(SubsetParameters parameters, std::size_t outputs)
        : WeightedForest(outputs), table_(dag_, std::move(parameters), outputs) {}

    // Subtrees get their ranks then; those that nothing is added to have no weight, and are not listed.
    void make_room(std::span<const Node> nodes) override {
        listed_.resize(dag_.size(), false);
        treekernels::make_room(order_, dag_.size() - order_.size());
        for (Node node : nodes) {
            if (table_.rank(node) != kNone) continue;
            if (!dag_.is_leaf(node))
                table_.insert(node);
            else if (has_leaves())
                table_.make_room_for_label(dag_.label(node));
        }
    }
    void make_room(const ForestState& state, std::span<const Label> labels) override {
        if (!state.labels.empty() && !labels.empty()) table_.make_room_for_label(*std::ranges::max_element(labels));
        make_room(state.nodes);
    }
    bool has_room(Node node) const override {
        if (!dag_.is_leaf(node)) return table_.rank(node) != kNone;
        return !has_leaves() || table_.label_score(dag_.label(node));
    }
    void add(const TreeNodes& tree, const double* alpha) override {
        TREEKERNELS_ASSERT(&tree.dag() == &dag_);
        change();
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!dag_.is_leaf(nodes[i])) {
                list(nodes[i]);
                table_.add(nodes[i], counts[i], alpha);
            } else if (has_leaves()) {
                table_.add_label(dag_.label(nodes[i]), table_.parameters().leaf_weight * counts[i], alpha);
            }
        }
    }

    std::unique_ptr<TreeScorer> scorer(const Dag& source) const override {
        return std::make_unique<SubsetScorer<GrowingSubsetTable>>(table_, source);
    }
    std::shared_ptr<const FrozenForest> frozen(const Dag& source, std::span<const Node> roots,
                                               const Task& task) const override {
        const auto has_chains = [&] {
            return table_.parameters().uniform() && longest_chain(source, roots, task) > UnaryPaths::kLong;
        };
        if (!settled() && roots.size() < kMany && !has_chains()) return std::make_shared<const LiveForest>(*this);
        return laid_out(task);
    }
    void prepare(const Task& task) const override { laid_out(task); }
    bool is_laid_out() const override { return laid_out_.has(revision_); }
    std::size_t size() const override { return order_.size(); }

    ForestState state() const override {
        ForestState state;
        state.nodes = order_;
        state.weights.reserve(order_.size() * outputs_);
        const auto append = [this](std::vector<double>& to, const double* from) {
            if (from)
                to.insert(to.end(), from, from + outputs_);
            else
                to.insert(to.end(), outputs_, 0.0);
        };
        std::vector<bool> met(dag_.production_count(), false);
        for (Node node : order_) {
            const Production p = dag_.production(node);
            append(state.weights, table_.weights(node));
            if (!met[p]) append(state.productions, table_.group_score(p));
            met[p] = true;
        }
        if (has_leaves())
            for (Label label = 0; label < dag_.label_count(); ++label) append(state.labels, table_.label_score(label));
        return state;
    }

    void restore(const ForestState& state) override {
        const auto require = [](bool good) {
            if (!good) throw std::invalid_argument("not a weighted forest: its parts do not fit together");
        };
        change();
        listed_.resize(dag_.size(), false);
        std::size_t production = 0;
        require(state.weights.size() == state.nodes.size() * outputs_);
        require(state.labels.size() == (has_leaves() ? dag_.label_count() * outputs_ : 0));
        for (std::size_t i = 0; i < state.nodes.size(); ++i) {
            const Node node = state.nodes[i];
            require(!dag_.is_leaf(node) && table_.rank(node) == kNone);
            for (Node child : dag_.children(node)) require(dag_.is_leaf(child) || table_.rank(child) != kNone);
            table_.insert(node);
            list(node);
            table_.add_weights(node, 1.0, state.weights.data() + i * outputs_);
            if (table_.rank(node) != 0) continue;
            require((production + 1) * outputs_ <= state.productions.size());
            table_.add_group_score(dag_.production(node), state.productions.data() + production++ * outputs_);
        }
        require(production * outputs_ == state.productions.size());
        for (std::size_t label = 0; label * outputs_ < state.labels.size(); ++label)
            table_.add_label(static_cast<Label>(label), 1.0, state.labels.data() + label * outputs_);
    }

    void merge(const ForestState& state, std::span<const Label> labels) override {
        WeightedForest::merge(state, labels);
        change();
        for (std::size_t label = 0; label * outputs_ < state.labels.size(); ++label)
            table_.add_label(labels[label], 1.0, state.labels.data() + label * outputs_);
    }

private:
    // So many trees are worth a layout of the forest for them.
    static constexpr std::size_t kMany = 64;

    void change() {
        WeightedForest::change();
        laid_out_.drop();
    }
    bool has_leaves() const { return table_.parameters().leaf_weight != 0.0; }
    void list(Node node) {
        if (!listed_[node]) order_.push_back(node);
        listed_[node] = true;
    }
    std::shared_ptr<const FrozenForest> laid_out(const Task& task) const {
        return laid_out_.get(revision_, [&] {
            return std::make_shared<const FrozenSubsetForest>(dag_, table_.parameters(), state(), outputs_, task);
        });
    }

    GrowingSubsetTable table_;
    std::vector<Node> order_;   // in which they were first added
    std::vector<bool> listed_;  // there, by node
    Snapshot<FrozenSubsetForest> laid_out_;
};

// Trees of a DAG with coefficients, that score others of it.
class SubsetTrees final : public WeightedTrees {
public:
    SubsetTrees(SubsetParameters parameters, std::size_t outputs, const Dag& dag)
        : table_(dag, parameters, outputs), weights_(dag, outputs, parameters.damping) {}

    void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) override {
        weights_.assign(roots, alphas, task);
        table_.assign(weights_.nodes(), weights_.values(), task);
    }
    std::unique_ptr<TreeScorer> scorer(const Dag& source, const TreeLists* lists) const override {
        return std::make_unique<SubsetScorer<SubsetTable>>(table_, source, lists);
    }
    TreeLists::Of looks_at() const override {
        return table_.parameters().leaf_weight == 0.0 ? TreeLists::Of::inner_nodes : TreeLists::Of::all;
    }

private:
    SubsetTable table_;
    RootWeights weights_;
};

}  // namespace

std::unique_ptr<WeightedForest> make_subset_forest(SubsetParameters parameters, std::size_t outputs) {
    return std::make_unique<SubsetForest>(parameters, outputs);
}

std::unique_ptr<WeightedTrees> make_subset_trees(SubsetParameters parameters, std::size_t outputs, const Dag& dag) {
    return std::make_unique<SubsetTrees>(parameters, outputs, dag);
}

}  // namespace treekernels
