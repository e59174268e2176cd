#include "kernels/features/feature_lists.hpp"

namespace treekernels {

FeatureFrequencies feature_frequencies(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> roots,
                                       Dag& keys, const Task& task) {
    FeatureParameters plain = parameters;
    plain.learned = nullptr;
    TreeFeatures features(plain, dag);
    std::vector<std::uint64_t> trees;
    TreeView view(dag);
    for (Node root : roots) {
        task.check();
        const auto of_tree = features.count(view(root));
        trees.resize(features.table().size(), 0);
        for (Feature feature : of_tree) ++trees[feature];
    }
    FeatureFrequencies found;
    std::vector<Feature> frequent;
    for (Feature feature = 0; feature < trees.size(); ++feature) {
        if (trees[feature] < 2) continue;
        frequent.push_back(feature);
        found.counts.push_back(trees[feature]);
    }
    found.keys = feature_keys(features.table().index(), frequent, dag, plain.base, keys);
    return found;
}

}  // namespace treekernels
