// The features that a model has weights for, for explanations: what they are called, and which of them trees have.
#pragma once

#include "core/threads/tasks.hpp"
#include "kernels/features/feature_names.hpp"

namespace treekernels {

// Numbered in the order in which the state of a weighted forest has their weights. It knows labels by their texts, and
// needs no DAG once it is made.
class ModelFeatures {
public:
    // Of the subtrees of a forest, as its state has them: children before parents. Throws std::invalid_argument for
    // others.
    ModelFeatures(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> nodes, const Task& task);

    std::size_t size() const { return features_.size(); }
    const Dag& labels() const { return names_.labels(); }
    // What each brings to the kernel for each time that two trees have it.
    std::vector<double> weights() const;
    // Trees that stand for some of them, as `FeatureWeights` reads them. Throws std::invalid_argument for numbers that
    // there are not.
    std::vector<Node> keys(std::span<const std::uint32_t> numbers, Dag& keys) const;
    // Whether each has one of the labels, which are marked by number.
    std::vector<std::uint8_t> with_labels(std::span<const std::uint8_t> labels) const;
    // How much each counts in a tree.
    std::vector<double> counts(const Dag& dag, Node root, const Task& task) const;
    // In how many trees each is.
    std::vector<std::uint64_t> trees_with(const Dag& dag, std::span<const Node> roots, const Task& task) const;

private:
    // Calls visit(number, count) for the features that each tree shares with the model.
    template <class Visit>
    void visit(const Dag& dag, std::span<const Node> roots, const Task& task, Visit visit) const;

    FeatureParameters parameters_;  // without weights that were learned, which the names have
    FeatureNames names_;
    std::vector<Feature> features_;       // by number
    std::vector<std::uint32_t> numbers_;  // by feature; kNone for what is no more than the end of some
};

}  // namespace treekernels
