#include "weighted_forest.hpp"

#include "subset_forest.hpp"
#include "subset_norms.hpp"
#include "subtree_forest.hpp"

namespace treekernels {

namespace {

class SubsetNorm final : public TreeNorm {
public:
    SubsetNorm(ForestParameters parameters, const Dag& dag)
        : parameters_{parameters.decay, parameters.leaf_weight}, pairs_(dag, parameters_) {}

    double operator()(const TreeNodes& tree, const Task& task) override {
        task.check();
        if (tree.nodes().size() <= SubsetSelfPairs<double, Dag>::kMostNodes) return pairs_(tree.nodes(), tree.counts());
        const Node root = tree.root();
        const Corpus alone(tree.dag(), {&root, 1}, {}, 1, task);
        double norm = 0.0;
        subset_rows<double>(alone, 1, parameters_, 1)->worker()->row(0, 1, &norm, task);
        return norm;
    }

private:
    SubsetParameters parameters_;
    SubsetSelfPairs<double, Dag> pairs_;
};

class SubtreeNorm final : public TreeNorm {
public:
    SubtreeNorm(ForestParameters parameters, const Dag& dag) : weight_(dag, parameters) {}

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

std::unique_ptr<WeightedForest> make_forest(ForestParameters parameters, std::size_t columns) {
    return parameters.kind == ForestKind::subset ? make_subset_forest(parameters, columns)
                                                 : make_subtree_forest(parameters, columns);
}

std::unique_ptr<Responder> make_responder(ForestParameters parameters, std::size_t columns, const Dag& dag,
                                          std::size_t bytes) {
    return parameters.kind == ForestKind::subset ? make_subset_responder(parameters, columns, dag, bytes)
                                                 : make_subtree_responder(parameters, columns, dag);
}

std::unique_ptr<TreeNorm> make_norm(ForestParameters parameters, const Dag& dag) {
    if (parameters.kind == ForestKind::subset) return std::make_unique<SubsetNorm>(parameters, dag);
    return std::make_unique<SubtreeNorm>(parameters, dag);
}

}  // namespace treekernels
