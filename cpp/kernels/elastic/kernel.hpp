// The elastic kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "gram/labels/label_similarity.hpp"
#include "kernels/elastic/elastic.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

struct ElasticKernel;
std::unique_ptr<WeightedForest> make_elastic_forest(const ElasticKernel& kernel, std::size_t outputs);
std::unique_ptr<Responder> make_elastic_responder(const ElasticKernel& kernel, std::size_t outputs, const Dag& dag,
                                                  bool rough);
std::unique_ptr<TreeNorm> make_elastic_norm(const ElasticKernel& kernel, const Dag& dag);

struct ElasticKernel {
    double decay;
    std::shared_ptr<const SimilarTexts> similar;
    std::shared_ptr<const LabelSimilarity> similarity{};  // set by resolve()

    // Looks up the labels in the DAG of the trees.
    void resolve(const Dag& dag) { similarity = resolve_labels(*similar, dag); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t, unsigned, const Task&) const {
        return elastic_rows<Real>(corpus, parameters());
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm, const Task&) const {
        return elastic_pairs<Real>(corpus, parameters(), algorithm);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_elastic_forest(*this, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t) const {
        return make_elastic_responder(*this, outputs, dag, false);
    }
    std::unique_ptr<Responder> rough_responder(std::size_t outputs, const Dag& dag, std::size_t) const {
        return make_elastic_responder(*this, outputs, dag, true);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_elastic_norm(*this, dag); }

    ElasticParameters parameters() const { return {decay, similarity.get()}; }
};

}  // namespace treekernels
