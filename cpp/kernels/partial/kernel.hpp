// The partial-tree kernel as the table of kernels (tree_kernel.hpp) knows it: parameters, and what is made of them.
#pragma once

#include "gram/labels/label_similarity.hpp"
#include "kernels/partial/partial.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

struct PartialKernel;
std::unique_ptr<WeightedForest> make_partial_forest(const PartialKernel& kernel, std::size_t outputs);
std::unique_ptr<WeightedTrees> make_partial_trees(const PartialKernel& kernel, std::size_t outputs, const Dag& dag);
std::unique_ptr<Responder> make_partial_responder(const PartialKernel& kernel, std::size_t outputs, const Dag& dag,
                                                  std::size_t bytes, bool rough);
std::unique_ptr<TreeNorm> make_partial_norm(const PartialKernel& kernel, const Dag& dag);

struct PartialKernel {
    double decay, vertical_decay;
    bool span;
    std::shared_ptr<const SimilarTexts> similar;
    CountDamping counts = CountDamping::linear;
    std::shared_ptr<const FactorTable> table{};           // of labels; its decays are vertical
    std::shared_ptr<const LabelSimilarity> similarity{};  // set by resolve()

    CountDamping damping() const { return counts; }
    // Looks up the labels in the DAG of the trees.
    void resolve(const Dag& dag) { similarity = resolve_labels(*similar, dag, table.get(), vertical_decay); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned, const Task& task) const {
        return partial_rows<Real>(corpus, columns, parameters(), task);
    }
    template <class Real>
    std::unique_ptr<PairValues<Real>> pairs(const Corpus& corpus, PairAlgorithm algorithm, const Task& task) const {
        return partial_pairs<Real>(corpus, parameters(), algorithm, task);
    }

    std::unique_ptr<WeightedForest> weighted_forest(std::size_t outputs) const {
        return make_partial_forest(*this, outputs);
    }
    std::unique_ptr<Responder> responder(std::size_t outputs, const Dag& dag, std::size_t bytes) const {
        return make_partial_responder(*this, outputs, dag, bytes, false);
    }
    // Keeps values in single precision, of which there is room for twice as many.
    std::unique_ptr<Responder> rough_responder(std::size_t outputs, const Dag& dag, std::size_t bytes) const {
        return make_partial_responder(*this, outputs, dag, bytes, true);
    }
    std::unique_ptr<WeightedTrees> weighted_trees(std::size_t outputs, const Dag& dag) const {
        return make_partial_trees(*this, outputs, dag);
    }
    std::unique_ptr<TreeNorm> tree_norm(const Dag& dag) const { return make_partial_norm(*this, dag); }

    PartialParameters parameters() const { return {decay, vertical_decay, span, similarity.get()}; }
};

}  // namespace treekernels
