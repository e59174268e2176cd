// The elastic kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "gram/label_similarity.hpp"
#include "kernels/elastic/elastic.hpp"
#include "kernels/support_forest.hpp"

namespace treekernels {

struct ElasticKernel {
    double decay;
    SimilarTexts similar;
    std::shared_ptr<const LabelSimilarity> similarity{};  // set by resolve()

    // Looks up the labels in the DAG of the trees.
    void resolve(const Dag& dag) { similarity = resolve_labels(similar, dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned) const {
        return elastic_rows<Real>(corpus, columns, parameters());
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm) const {
        return elastic_pairs<Real>(corpus, parameters(), algorithm);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return std::make_unique<SupportForest<ElasticKernel>>(*this, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t bytes) const {
        return std::make_unique<SupportResponder<ElasticKernel>>(*this, outputs, dag, bytes);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const {
        return std::make_unique<CorpusNorm<ElasticKernel>>(*this, dag);
    }

    ElasticParameters parameters() const { return {decay, similarity.get()}; }
};

}  // namespace treekernels
