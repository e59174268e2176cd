// The partial-tree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "gram/label_similarity.hpp"
#include "kernels/partial/partial.hpp"

namespace treekernels {

struct PartialKernel {
    double decay, vertical_decay;
    bool span;
    SimilarTexts similar;
    std::shared_ptr<const LabelSimilarity> similarity{};  // set by resolve()

    // Looks up the labels in the DAG of the trees.
    void resolve(const Dag& dag) { similarity = resolve_labels(similar, dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned) const {
        return partial_rows<Real>(corpus, columns, parameters());
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm) const {
        return partial_pairs<Real>(corpus, parameters(), algorithm);
    }

    PartialParameters parameters() const { return {decay, vertical_decay, span, similarity.get()}; }
};

}  // namespace treekernels
