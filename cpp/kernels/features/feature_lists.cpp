#include "kernels/features/feature_lists.hpp"

namespace treekernels {

namespace {

// Those of one kind, added to what was found of others.
void add_frequencies(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> roots,
                     std::span<const std::uint32_t> classes, Dag& keys, FeatureFrequencies& found, const Task& task) {
    TreeFeatures features(parameters, dag);
    std::vector<std::uint32_t> trees;
    std::vector<double> here, sum, squares;  // trees of the class at hand, and what the shares of all classes add up to
    std::vector<Feature> of_class;
    TreeView view(dag);
    for (std::size_t i = 0, begin = 0; i < roots.size(); ++i) {
        task.check();
        const auto of_tree = features.count(view(roots[i]));
        if (trees.size() < features.table().size()) make_room(trees, features.table().size() - trees.size());
        trees.resize(features.table().size(), 0);
        for (Feature feature : of_tree) ++trees[feature];
        if (classes.empty()) continue;
        here.resize(trees.size(), 0.0);
        for (Feature feature : of_tree)
            if (here[feature]++ == 0.0) of_class.push_back(feature);
        if (i + 1 < roots.size() && classes[i + 1] == classes[i]) continue;
        sum.resize(trees.size(), 0.0);
        squares.resize(trees.size(), 0.0);
        for (Feature feature : of_class) {
            const double share = here[feature] / static_cast<double>(i + 1 - begin);
            sum[feature] += share;
            squares[feature] += share * share;
            here[feature] = 0.0;
        }
        of_class.clear();
        begin = i + 1;
    }
    std::vector<Feature> frequent;
    for (Feature feature = 0; feature < trees.size(); ++feature) {
        if (trees[feature] < 2) continue;
        frequent.push_back(feature);
        found.counts.push_back(trees[feature]);
        if (!classes.empty()) found.spreads.push_back(sum[feature] * sum[feature] / squares[feature]);
    }
    const auto added = feature_keys(features.table().index(), frequent, dag, parameters.base, keys);
    found.keys.insert(found.keys.end(), added.begin(), added.end());
}

}  // namespace

FeatureFrequencies feature_frequencies(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> roots,
                                       std::span<const std::uint32_t> classes, Dag& keys, const Task& task) {
    if (!classes.empty() && classes.size() != roots.size()) throw std::invalid_argument("each tree has one class");
    if (roots.size() >= kNone) throw std::length_error("more trees than can be counted");
    FeatureFrequencies found;
    // Most features are in one tree alone, and take the most memory: so one kind after the other is counted.
    for (std::size_t kind = 0; kind < kFeatureNames.size(); ++kind) {
        if (parameters.weights[kind] == 0.0) continue;
        FeatureParameters alone = parameters;
        alone.learned = nullptr;
        alone.weights = {};
        alone.weights[kind] = parameters.weights[kind];
        add_frequencies(alone, dag, roots, classes, keys, found, task);
    }
    return found;
}

}  // namespace treekernels
