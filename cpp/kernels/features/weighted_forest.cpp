#include "kernels/features/weighted_forest.hpp"

#include "core/trees/dag_translation.hpp"
#include "kernels/features/feature_lists.hpp"
#include "models/class_weights.hpp"
#include "models/node_weights.hpp"

namespace treekernels {

namespace {

class FeatureForest final : public WeightedForest {
public:
    FeatureForest(const FeatureParameters& parameters, std::size_t outputs)
        : WeightedForest(outputs),
          parameters_(parameters),
          features_(parameters, dag_),
          feature_weights_(outputs),
          weights_(outputs) {}

    void make_room(std::span<const Node> nodes) override {
        features_.make_room(nodes);
        feature_weights_.make_room(features_.table().size());
        weights_.make_room(nodes);
    }
    bool has_room(Node node) const override {
        return features_.lists().has(node) && feature_weights_.find(features_.table().size()) &&
               weights_.has_room(node);
    }
    void add(const TreeNodes& tree, const double* alpha) override {
        change();
        weights_.add(tree, alpha);
        for (Feature feature : features_.count(tree))
            feature_weights_.add(feature, features_.count(feature) * features_.table().weights()[feature], alpha);
    }

    std::unique_ptr<TreeScorer> scorer(const Dag& source) const override;
    std::size_t size() const override { return weights_.size(); }

    // The weights of the features, as they are met in the lists of the nodes, stand for those of productions.
    ForestState state() const override {
        ForestState state{weights_.order(), weights_.values(), {}, {}};
        std::vector<bool> met;
        visit_features(state.nodes, met, [&](Feature feature) {
            const double* weights = feature_weights_.find(feature);
            state.productions.insert(state.productions.end(), weights, weights + outputs_);
        });
        return state;
    }
    void restore(const ForestState& state) override {
        const auto require = [](bool good) {
            if (!good) throw std::invalid_argument("not a weighted forest: its parts do not fit together");
        };
        require(state.weights.size() == state.nodes.size() * outputs_ && state.labels.empty());
        // What begins at a subtree is made of what begins at its children, which a damaged file may have after it, or
        // not at all.
        for (const Node& node : state.nodes) {
            for (Node child : dag_.children(node)) require(features_.lists().has(child));
            features_.list({&node, 1});
        }
        std::size_t count = 0;
        visit_features(state.nodes, met_, [&](Feature) { ++count; });
        require(state.productions.size() == count * outputs_);
        merge(state, {});
    }
    void merge(const ForestState& state, std::span<const Label>) override {
        change();
        for (std::size_t i = 0; i < state.nodes.size(); ++i)
            weights_.add(state.nodes[i], 1.0, state.weights.data() + i * outputs_);
        const double* weights = state.productions.data();
        visit_features(state.nodes, met_, [&](Feature feature) {
            feature_weights_.add(feature, 1.0, weights);
            weights += outputs_;
        });
    }
    void make_room(const ForestState& state, std::span<const Label>) override {
        make_room(state.nodes);
        met_.reserve(features_.table().size());
    }

private:
    friend class FeatureScorer;

    // The features of some nodes in order of first use. The table may have more: those of a tree that memory did not
    // suffice for.
    template <class Visit>
    void visit_features(std::span<const Node> nodes, std::vector<bool>& met, Visit visit) const {
        met.assign(features_.table().size(), false);
        for (Node node : nodes)
            features_.lists().visit(node, true, [&](Feature feature, double) {
                if (met[feature]) return;
                met[feature] = true;
                visit(feature);
            });
    }

    FeatureParameters parameters_;
    TreeFeatures features_;
    ClassWeights feature_weights_;  // times what the feature weighs in the kernel
    NodeWeights weights_;
    std::vector<bool> met_;  // while another forest is merged, which must not fail
};

class FeatureScorer final : public EachTreeScorer {
public:
    FeatureScorer(const FeatureForest& forest, const Dag& source)
        : EachTreeScorer(source, CountDamping::linear, forest.outputs()),
          forest_(forest),
          translation_(source, forest.dag()),
          features_(unweighted(forest.parameters_), source) {}

private:
    static constexpr Feature kUnknown = kNone - 1;

    // The model has the weights.
    static FeatureParameters unweighted(FeatureParameters parameters) {
        parameters.learned = nullptr;
        return parameters;
    }

    void add_score(const TreeNodes& tree, double* scores, const Task& task) override {
        task.check();
        if (revision_ != forest_.revision()) {
            revision_ = forest_.revision();
            translation_.look_again();
            for (Feature feature : missing_) known_[feature] = kUnknown;
            missing_.clear();
        }
        for (Feature feature : features_.count(tree)) {
            const Feature known = in_forest(feature);
            if (known != kNone) forest_.feature_weights_.add_to(scores, known, features_.count(feature));
        }
    }

    // The number of a feature in the forest; kNone if it has no such feature. What a feature is made of has a smaller
    // number, and is looked up before it.
    Feature in_forest(Feature wanted) {
        const FeatureIndex& own = features_.table().index();
        if (known_.size() < own.size()) known_.resize(own.size(), kUnknown);
        to_find_.assign(1, wanted);
        while (!to_find_.empty()) {
            const Feature feature = to_find_.back();
            const std::size_t before = to_find_.size();
            const bool row = own.kind(feature) == FeatureKind::children;
            if (known_[feature] == kUnknown) {
                if (own.rest(feature) != kNone && known_[own.rest(feature)] == kUnknown)
                    to_find_.push_back(own.rest(feature));
                if (row && known_[own.first(feature)] == kUnknown) to_find_.push_back(own.first(feature));
                if (to_find_.size() > before) continue;
                find(feature, row);
            }
            to_find_.pop_back();
        }
        return known_[wanted];
    }
    void find(Feature feature, bool row) {
        const FeatureIndex& own = features_.table().index();
        const Feature rest = own.rest(feature) == kNone ? kNone : known_[own.rest(feature)];
        const std::uint32_t first = row                              ? known_[own.first(feature)]
                                    : own.first(feature) == kNoLabel ? kNoLabel
                                                                     : translation_.label(own.first(feature));
        const bool lost = first == kNone || (own.rest(feature) != kNone && rest == kNone);
        known_[feature] = lost ? kNone : forest_.features_.table().find(own.kind(feature), first, rest);
        if (known_[feature] == kNone) missing_.push_back(feature);
    }

    const FeatureForest& forest_;
    Translation translation_;
    TreeFeatures features_;
    std::vector<Feature> known_;  // by feature of the source
    std::vector<Feature> missing_;
    std::vector<Feature> to_find_;
    std::uint64_t revision_ = 0;
};

std::unique_ptr<TreeScorer> FeatureForest::scorer(const Dag& source) const {
    return std::make_unique<FeatureScorer>(*this, source);
}

// Of trees that are all in one DAG: a weight for each feature is all there is. The features of each tree are counted
// once, when it is inserted.
class FeatureResponder final : public Responder {
public:
    FeatureResponder(const FeatureParameters& parameters, std::size_t outputs, const Dag& dag)
        : features_(parameters, dag), weights_(outputs) {}

    void insert(const TreeNodes& tree) override {
        const auto of_tree = features_.count(tree);
        feature_.insert(feature_.end(), of_tree.begin(), of_tree.end());
        for (Feature feature : of_tree) count_.push_back(features_.count(feature));
        end_.push_back(feature_.size());
    }
    void add(const TreeNodes& tree, const double* alpha, const Task&) override {
        for (Feature feature : features_.count(tree))
            weights_.add(feature, features_.count(feature) * features_.table().weights()[feature], alpha);
    }
    void score(const TreeNodes& tree, std::span<const std::uint32_t>, double* scores) const override {
        for (Feature feature : features_.count(tree)) weights_.add_to(scores, feature, features_.count(feature));
    }
    void score(std::size_t number, const TreeNodes&, std::span<const std::uint32_t>, double* scores) const override {
        for (std::size_t i = number == 0 ? 0 : end_[number - 1]; i < end_[number]; ++i)
            weights_.add_to(scores, feature_[i], count_[i]);
    }

private:
    mutable TreeFeatures features_;  // of which nothing changes but where it counts
    ClassWeights weights_;
    // Of the trees in the order of insertion, one after the other.
    std::vector<Feature> feature_;
    std::vector<double> count_;
    std::vector<std::size_t> end_;
};

class FeatureNorm final : public TreeNorm {
public:
    FeatureNorm(const FeatureParameters& parameters, const Dag& dag) : features_(parameters, dag) {}

    double operator()(const TreeNodes& tree, const Task& task) override {
        task.check();
        double norm = 0.0;
        for (Feature feature : features_.count(tree)) {
            const double count = features_.count(feature);
            norm += features_.table().weights()[feature] * count * count;
        }
        return norm;
    }

private:
    TreeFeatures features_;
};

}  // namespace

std::unique_ptr<WeightedForest> make_feature_forest(const FeatureParameters& parameters, std::size_t outputs) {
    return std::make_unique<FeatureForest>(parameters, outputs);
}
std::unique_ptr<Responder> make_feature_responder(const FeatureParameters& parameters, std::size_t outputs,
                                                  const Dag& dag) {
    return std::make_unique<FeatureResponder>(parameters, outputs, dag);
}
std::unique_ptr<TreeNorm> make_feature_norm(const FeatureParameters& parameters, const Dag& dag) {
    return std::make_unique<FeatureNorm>(parameters, dag);
}

}  // namespace treekernels
