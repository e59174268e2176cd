// The labels of a model, and what it calls those of other trees.
#pragma once

#include <memory>
#include <vector>

#include "core/corpus.hpp"
#include "gram/labels/label_similarity.hpp"

namespace treekernels {

// Labels keep the numbers that they have in the model's DAG. Others that similarities speak of come after them.
class ModelLabels {
public:
    ModelLabels(const Dag& model, const SimilarTexts& similar, const FactorTable* table = nullptr, double decay = 1.0) {
        for (Label label = 0; label < model.label_count(); ++label) labels_.intern_label(model.label_text(label));
        for (const auto& [a, b, value] : similar) {
            labels_.intern_label(a);
            labels_.intern_label(b);
        }
        similarity_ = resolve_labels(similar, labels_, table, decay);
    }

    const std::shared_ptr<const LabelSimilarity>& similarity() const { return similarity_; }

    // By label of some trees, whose corpus was made from `source`: kNone for those that match nothing here.
    std::vector<Label> numbers(const Corpus& trees, const Dag& source) const {
        std::vector<bool> used(trees.label_count(), false);
        for (Node node = 0; node < trees.node_count(); ++node) used[trees.label(node)] = true;
        std::vector<Label> result(used.size(), kNone);
        for (Label label = 0; label < used.size(); ++label)
            if (used[label]) result[label] = labels_.find_label(source.label_text(label));
        return result;
    }

private:
    Dag labels_;  // without nodes
    std::shared_ptr<const LabelSimilarity> similarity_;
};

}  // namespace treekernels
