#include "kernels/subtree/weighted_forest.hpp"

#include "core/trees/dag_translation.hpp"
#include "models/class_weights.hpp"
#include "models/node_weights.hpp"

namespace treekernels {

namespace {

class SubtreeForest final : public WeightedForest {
public:
    SubtreeForest(SubtreeParameters parameters, std::size_t outputs)
        : WeightedForest(outputs), parameters_(parameters), weights_(outputs) {}

    void make_room(std::span<const Node> nodes) override { weights_.make_room(nodes); }
    using WeightedForest::make_room;
    bool has_room(Node node) const override { return weights_.has_room(node); }
    void add(const TreeNodes& tree, const double* alpha) override {
        TREEKERNELS_ASSERT(&tree.dag() == &dag_);
        change();
        weights_.add(tree, alpha);
    }

    std::unique_ptr<TreeScorer> scorer(const Dag& source) const override;
    std::size_t size() const override { return weights_.size(); }

    ForestState state() const override { return {weights_.order(), weights_.values(), {}, {}}; }
    void restore(const ForestState& state) override {
        change();
        weights_.restore(state);
    }

private:
    friend class SubtreeScorer;

    SubtreeParameters parameters_;
    NodeWeights weights_;
};

class SubtreeScorer final : public EachTreeScorer {
public:
    SubtreeScorer(const SubtreeForest& forest, const Dag& source)
        : EachTreeScorer(source, forest.parameters_.damping, forest.outputs()),
          forest_(forest),
          translation_(source, forest.dag()),
          weight_(source, forest.parameters_) {}

private:
    void add_score(const TreeNodes& tree, double* scores, const Task& task) override {
        task.check();
        if (revision_ != forest_.revision()) {
            revision_ = forest_.revision();
            translation_.look_again();
        }
        for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
            const Node node = tree.nodes()[i];
            const Node known = translation_.node(node);
            if (known != kNone) forest_.weights_.add_to(scores, known, tree.counts()[i] * weight_(node));
        }
    }

    const SubtreeForest& forest_;
    Translation translation_;
    SubtreeWeights weight_;
    std::uint64_t revision_ = 0;
};

std::unique_ptr<TreeScorer> SubtreeForest::scorer(const Dag& source) const {
    return std::make_unique<SubtreeScorer>(*this, source);
}

class SubtreeResponder final : public Responder {
public:
    SubtreeResponder(SubtreeParameters parameters, std::size_t outputs, const Dag& dag)
        : weight_(dag, parameters), weights_(outputs) {}

    void insert(const TreeNodes& tree) override { weight_(tree.root()); }
    void add(const TreeNodes& tree, const double* alpha, const Task&) override {
        for (std::size_t i = 0; i < tree.nodes().size(); ++i)
            weights_.add(tree.nodes()[i], tree.counts()[i] * weight_(tree.nodes()[i]), alpha);
    }
    void score(const TreeNodes& tree, std::span<const std::uint32_t>, double* scores) const override {
        for (std::size_t i = 0; i < tree.nodes().size(); ++i)
            weights_.add_to(scores, tree.nodes()[i], tree.counts()[i]);
    }

private:
    SubtreeWeights weight_;
    ClassWeights weights_;
};

class SubtreeNorm final : public TreeNorm {
public:
    SubtreeNorm(SubtreeParameters parameters, const Dag& dag) : weight_(dag, parameters) {}

    double operator()(const TreeNodes& tree, const Task& task) override {
        task.check();
        double norm = 0.0;
        for (std::size_t i = 0; i < tree.nodes().size(); ++i)
            norm += weight_(tree.nodes()[i]) * tree.counts()[i] * tree.counts()[i];
        return norm;
    }

private:
    SubtreeWeights weight_;
};

}  // namespace

std::unique_ptr<WeightedForest> make_subtree_forest(SubtreeParameters parameters, std::size_t outputs) {
    return std::make_unique<SubtreeForest>(parameters, outputs);
}
std::unique_ptr<Responder> make_subtree_responder(SubtreeParameters parameters, std::size_t outputs, const Dag& dag) {
    return std::make_unique<SubtreeResponder>(parameters, outputs, dag);
}

std::unique_ptr<TreeNorm> make_subtree_norm(SubtreeParameters parameters, const Dag& dag) {
    return std::make_unique<SubtreeNorm>(parameters, dag);
}

}  // namespace treekernels
