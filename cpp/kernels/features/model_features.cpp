#include "kernels/features/model_features.hpp"

#include "kernels/features/feature_lists.hpp"

namespace treekernels {

ModelFeatures::ModelFeatures(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> nodes,
                             const Task& task)
    : parameters_(parameters) {
    parameters_.learned = nullptr;
    TreeFeatures features(parameters, dag);
    for (const Node& node : nodes) {
        task.check();
        for (Node child : dag.children(node))
            if (!features.lists().has(child)) throw std::invalid_argument("these are not the subtrees of a forest");
        features.list({&node, 1});
    }
    FeatureNumbers own;
    names_.intern(features.table(), dag, own);
    numbers_.assign(names_.size(), kNone);
    for (Node node : nodes) {
        task.check();
        features.lists().visit(node, true, [&](Feature feature, double) {
            std::uint32_t& number = numbers_[own.features[feature]];
            if (number != kNone) return;
            number = static_cast<std::uint32_t>(features_.size());
            features_.push_back(own.features[feature]);
        });
    }
}

std::vector<double> ModelFeatures::weights() const {
    std::vector<double> weights;
    weights.reserve(features_.size());
    for (Feature feature : features_) weights.push_back(names_.weight(feature));
    return weights;
}

std::vector<Node> ModelFeatures::keys(std::span<const std::uint32_t> numbers, Dag& keys) const {
    std::vector<Feature> wanted;
    wanted.reserve(numbers.size());
    for (std::uint32_t number : numbers) {
        if (number >= features_.size()) throw std::invalid_argument("the model has no such feature");
        wanted.push_back(features_[number]);
    }
    return feature_keys(names_.index(), wanted, names_.labels(), parameters_.base, keys);
}

std::vector<std::uint8_t> ModelFeatures::with_labels(std::span<const std::uint8_t> labels) const {
    if (labels.size() != names_.labels().label_count()) throw std::invalid_argument("each label must be marked or not");
    const FeatureIndex& index = names_.index();
    std::vector<std::uint8_t> has(index.size(), 0);
    // What a feature is made of has smaller numbers.
    for (Feature feature = 0; feature < has.size(); ++feature) {
        const std::uint32_t first = index.first(feature);
        const Feature rest = index.rest(feature);
        const bool here =
            index.kind(feature) == FeatureKind::children ? has[first] != 0 : first != kNoLabel && labels[first] != 0;
        has[feature] = here || (rest != kNone && has[rest] != 0);
    }
    std::vector<std::uint8_t> found;
    found.reserve(features_.size());
    for (Feature feature : features_) found.push_back(has[feature]);
    return found;
}

template <class Visit>
void ModelFeatures::visit(const Dag& dag, std::span<const Node> roots, const Task& task, Visit visit) const {
    TreeFeatures features(parameters_, dag);
    FeatureNumbers known;
    TreeView view(dag);
    for (Node root : roots) {
        task.check();
        const auto of_tree = features.count(view(root));
        names_.find(features.table(), dag, known);
        for (Feature feature : of_tree) {
            const Feature named = known.features[feature];
            if (named == kNone || numbers_[named] == kNone) continue;
            visit(numbers_[named], features.count(feature));
        }
    }
}

std::vector<double> ModelFeatures::counts(const Dag& dag, Node root, const Task& task) const {
    std::vector<double> counts(size(), 0.0);
    visit(dag, {&root, 1}, task, [&](std::uint32_t number, double count) { counts[number] = count; });
    return counts;
}

std::vector<std::uint64_t> ModelFeatures::trees_with(const Dag& dag, std::span<const Node> roots,
                                                     const Task& task) const {
    std::vector<std::uint64_t> trees(size(), 0);
    visit(dag, roots, task, [&](std::uint32_t number, double) { ++trees[number]; });
    return trees;
}

}  // namespace treekernels
