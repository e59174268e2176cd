#include "kernels/subset/weighted_forest.hpp"

#include "core/dag_translation.hpp"
#include "kernels/subset/chain_scorer.hpp"
#include "kernels/subset/matcher.hpp"
#include "kernels/subset/table_scorer.hpp"
#include "kernels/subset/unary_paths.hpp"
#include "models/class_weights.hpp"

namespace treekernels {

namespace {

class SubsetForest final : public WeightedForest {
public:
    SubsetForest(SubsetParameters parameters, std::size_t outputs)
        : WeightedForest(outputs),
          parameters_(std::move(parameters)),
          decays_(parameters_.decay, parameters_.table),
          groups_(dag_),
          production_sums_(outputs),
          label_sums_(outputs) {}

    // Subtrees get their ranks then; those that nothing is added to have no weight, and are not listed.
    void make_room(std::span<const Node> nodes) override {
        decays_.cover(dag_);
        listed_.resize(dag_.size(), false);
        treekernels::make_room(order_, dag_.size() - order_.size());
        for (Node node : nodes) {
            if (groups_.rank(node) != kNone) continue;
            if (!dag_.is_leaf(node))
                insert(node);
            else if (parameters_.leaf_weight != 0.0)
                label_sums_.make_room(dag_.label(node));
        }
    }
    void make_room(const ForestState& state, std::span<const Label> labels) override {
        if (!state.labels.empty() && !labels.empty()) label_sums_.make_room(*std::ranges::max_element(labels));
        make_room(state.nodes);
    }
    bool has_room(Node node) const override {
        if (!dag_.is_leaf(node)) return groups_.rank(node) != kNone;
        return parameters_.leaf_weight == 0.0 || label_sums_.find(dag_.label(node));
    }
    void add(const TreeNodes& tree, const double* alpha) override {
        TREEKERNELS_ASSERT(&tree.dag() == &dag_);
        ++revision_;
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (dag_.is_leaf(nodes[i])) {
                if (parameters_.leaf_weight != 0.0)
                    label_sums_.add(dag_.label(nodes[i]), parameters_.leaf_weight * counts[i], alpha);
                continue;
            }
            list(nodes[i]);
            const Production p = dag_.production(nodes[i]);
            weights_[p].add(groups_.rank(nodes[i]), counts[i], alpha);
            production_sums_.add(p, decays_[p] * counts[i], alpha);
        }
    }

    std::unique_ptr<TreeScorer> scorer(const Dag& source) const override;
    std::unique_ptr<FrozenForest> frozen(const Task& task) const override;
    bool freezes() const override { return true; }
    bool better_frozen(const Dag& source, std::span<const Node> roots, const Task& task) const override {
        return parameters_.uniform() && longest_chain(source, roots, task) > UnaryPaths::kLong;
    }
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
            append(state.weights, weights_[p].find(groups_.rank(node)));
            if (!met[p]) append(state.productions, production_sums_.find(p));
            met[p] = true;
        }
        if (parameters_.leaf_weight != 0.0)
            for (Label label = 0; label < dag_.label_count(); ++label) append(state.labels, label_sums_.find(label));
        return state;
    }

    void restore(const ForestState& state) override {
        const auto require = [](bool good) {
            if (!good) throw std::invalid_argument("not a weighted forest: its parts do not fit together");
        };
        ++revision_;
        decays_.cover(dag_);
        listed_.resize(dag_.size(), false);
        std::size_t production = 0;
        require(state.weights.size() == state.nodes.size() * outputs_);
        require(state.labels.size() == (parameters_.leaf_weight != 0.0 ? dag_.label_count() * outputs_ : 0));
        for (std::size_t i = 0; i < state.nodes.size(); ++i) {
            const Node node = state.nodes[i];
            require(!dag_.is_leaf(node) && groups_.rank(node) == kNone);
            for (Node child : dag_.children(node)) require(dag_.is_leaf(child) || groups_.rank(child) != kNone);
            insert(node);
            list(node);
            const Production p = dag_.production(node);
            weights_[p].add(groups_.rank(node), 1.0, state.weights.data() + i * outputs_);
            if (groups_.rank(node) != 0) continue;
            require((production + 1) * outputs_ <= state.productions.size());
            production_sums_.add(p, 1.0, state.productions.data() + production++ * outputs_);
        }
        require(production * outputs_ == state.productions.size());
        for (std::size_t label = 0; label * outputs_ < state.labels.size(); ++label)
            label_sums_.add(label, 1.0, state.labels.data() + label * outputs_);
    }

    void merge(const ForestState& state, std::span<const Label> labels) override {
        WeightedForest::merge(state, labels);
        for (std::size_t label = 0; label * outputs_ < state.labels.size(); ++label)
            label_sums_.add(labels[label], 1.0, state.labels.data() + label * outputs_);
    }

private:
    friend class SubsetScorer;

    // Takes room for the weights of a subtree, and gives it its rank: what has a rank has room.
    void insert(Node node) {
        const Production p = dag_.production(node);
        if (weights_.size() < dag_.production_count()) weights_.resize(dag_.production_count(), ClassWeights(outputs_));
        weights_[p].make_room(groups_.group_size(p));
        production_sums_.make_room(p);
        groups_.insert(node);
    }
    void list(Node node) {
        if (!listed_[node]) order_.push_back(node);
        listed_[node] = true;
    }

    SubsetParameters parameters_;
    ProductionFactors decays_;  // of the own DAG
    SubsetGroups groups_;
    std::vector<ClassWeights> weights_;  // by production and rank
    ClassWeights production_sums_;       // the decay times the sum of the weights
    ClassWeights label_sums_;            // of leaves, times their weight
    std::vector<Node> order_;            // in which they were first added
    std::vector<bool> listed_;           // there, by node
};

class FrozenSubsetForest final : public FrozenForest {
public:
    FrozenSubsetForest(const Dag& dag, SubsetParameters parameters, std::size_t outputs)
        : table(dag, parameters, outputs) {}
    std::unique_ptr<BatchScorer> scorer(const Dag& source, const TreeLists* lists) const override {
        auto scorer = std::make_unique<SubsetTableScorer>(table, source, lists);
        if (chains.empty()) return scorer;
        return std::make_unique<SubsetChainScorer>(table, chains, source, std::move(scorer));
    }
    SubsetTable table;
    WeightedChains chains;
};

class SubsetScorer final : public TreeScorer {
public:
    SubsetScorer(const SubsetForest& forest, const Dag& source)
        : forest_(forest),
          source_(source),
          translation_(source, forest.dag()),
          matcher_(forest.groups_, forest.decays_, kKeptBytes, ProductionOf{this}) {}

    void score(const TreeNodes& tree, double* scores, const Task& task) override {
        TREEKERNELS_ASSERT(&tree.dag() == &source_);
        refresh();
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        const std::size_t outputs = forest_.outputs();
        // What the subtrees of a tree score does not change while the forest does not.
        const auto wanted = [&](std::size_t i) {
            if (scored_[nodes[i]]) return false;
            scored_[nodes[i]] = true;
            touched_.push_back(nodes[i]);
            std::fill_n(raised_.data() + nodes[i] * outputs, outputs, 0.0);
            return true;
        };
        const auto use = [&](std::size_t i, Production p, const std::uint32_t* ranks, std::size_t count, auto value) {
            double* to = raised_.data() + nodes[i] * outputs;
            const ClassWeights& weights = forest_.weights_[p];
            const double decay = forest_.decays_[p];
            for (std::size_t at = 0; at < count; ++at) weights.add_to(to, ranks[at], value(at, ranks[at]) - decay);
        };
        matcher_.visit(tree, wanted, use, task);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (source_.is_leaf(nodes[i])) {
                if (forest_.parameters_.leaf_weight == 0.0) continue;
                const Label label = translation_.label(source_.label(nodes[i]));
                if (label != kNone) forest_.label_sums_.add_to(scores, label, counts[i]);
                continue;
            }
            const Production p = translation_.production(source_.production(nodes[i]));
            if (p == kNone) continue;
            forest_.production_sums_.add_to(scores, p, counts[i]);
            const double* raised = raised_.data() + nodes[i] * outputs;
            for (std::size_t k = 0; k < outputs; ++k) scores[k] += counts[i] * raised[k];
        }
    }

private:
    static constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

    struct ProductionOf {
        SubsetScorer* scorer;
        Production operator()(Node node) const {
            return scorer->translation_.production(scorer->source_.production(node));
        }
    };

    void refresh() {
        if (scored_.empty()) {
            scored_.resize(source_.size(), false);
            raised_.resize(source_.size() * forest_.outputs());
        }
        if (revision_ == forest_.revision()) return;
        revision_ = forest_.revision();
        for (Node node : touched_) scored_[node] = false;
        touched_.clear();
        // A tree of a single node brings a label and no production.
        if (size_ != forest_.size() || labels_ != forest_.dag().label_count()) {
            size_ = forest_.size();
            labels_ = forest_.dag().label_count();
            translation_.look_again();
            matcher_.forget();
        }
    }

    const SubsetForest& forest_;
    const Dag& source_;
    Translation translation_;
    SubsetMatcher<double, ProductionOf> matcher_;
    std::uint64_t revision_ = 0;
    std::size_t size_ = 0, labels_ = 0;
    std::vector<char> scored_;    // whether `raised_` holds for the node
    std::vector<double> raised_;  // what a node scores beyond its production
    std::vector<Node> touched_;
};

std::unique_ptr<TreeScorer> SubsetForest::scorer(const Dag& source) const {
    return std::make_unique<SubsetScorer>(*this, source);
}

std::unique_ptr<FrozenForest> SubsetForest::frozen(const Task& task) const {
    auto forest = std::make_unique<FrozenSubsetForest>(dag_, parameters_, outputs_);
    const ForestState own = state();
    forest->table.assign(own.nodes, own.weights, task);
    forest->chains = WeightedChains(dag_, parameters_, own, task);
    for (std::size_t label = 0; label * outputs_ < own.labels.size(); ++label)
        forest->table.add_label(static_cast<Label>(label), own.labels.data() + label * outputs_);
    return forest;
}

}  // namespace

std::unique_ptr<WeightedForest> make_subset_forest(SubsetParameters parameters, std::size_t outputs) {
    return std::make_unique<SubsetForest>(parameters, outputs);
}

}  // namespace treekernels
