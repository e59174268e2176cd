// The features that an index or a model knows: their numbers, whatever DAG a tree is in, and what each weighs.
#pragma once

#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "kernels/features/feature_table.hpp"

namespace treekernels {

// As they are saved: texts of labels one after the other, and by feature what `FeatureIndex` keeps.
struct FeatureNameArrays {
    std::span<const std::uint8_t> label_text;
    std::span<const std::uint64_t> label_offsets;
    std::span<const std::uint8_t> kinds;
    std::span<const std::uint32_t> firsts, rests;
    std::span<const double> weights;
};

// The numbers that the first features of a table and labels of a DAG have in an index; kNone for those it does not
// know.
struct FeatureNumbers {
    std::vector<Feature> features;
    std::vector<Label> labels;
};

class FeatureNames {
public:
    FeatureNames() = default;
    // Throws std::invalid_argument for what are no features.
    FeatureNames(const FeatureNameArrays& arrays, const Task& task);

    std::size_t size() const { return index_.size(); }
    double weight(Feature feature) const { return weights_[feature]; }
    const Dag& labels() const { return labels_; }
    const FeatureIndex& index() const { return index_; }
    const std::vector<double>& weights() const { return weights_; }
    std::size_t bytes() const { return size() * 44; }

    // Goes on with the numbers to the end of a table whose labels are those of a DAG.
    void find(const FeatureTable& table, const Dag& dag, FeatureNumbers& numbers) const;
    // The same, and makes those known that are not, or of these only those whose weights were learned. When that fails,
    // some of them are, which does no harm.
    void intern(const FeatureTable& table, const Dag& dag, FeatureNumbers& numbers, bool learned_alone = false);

private:
    template <class LabelOf, class Number>
    static void translate(const FeatureTable& table, FeatureNumbers& numbers, LabelOf label_of, Number number);

    Dag labels_;  // and nothing else of trees
    FeatureIndex index_;
    std::vector<double> weights_;
};

}  // namespace treekernels
