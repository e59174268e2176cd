// The subtree kernel: two trees share what they have of identical subtrees, each weighted by its size. On a DAG of
// distinct subtrees that is a dot product of counts.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/labels/production_factors.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

struct SubtreeParameters {
    double decay;
    double leaf_weight;
    CountDamping damping = CountDamping::linear;
    std::shared_ptr<const FactorTable> table{};          // null where all productions have the decay
    std::shared_ptr<const ProductionFactors> factors{};  // of the corpus at hand; set by resolve()

    // Looks the productions up in the DAG of the trees.
    void resolve(const Dag& dag) {
        auto found = std::make_shared<ProductionFactors>(decay, table);
        found->cover(dag);
        factors = std::move(found);
    }
    // Of a production of that DAG.
    double decay_of(Production p) const { return table ? (*factors)[p] : decay; }
};

template <class Real>
std::unique_ptr<Rows<Real>> subtree_rows(const Corpus& corpus, std::size_t columns, SubtreeParameters parameters,
                                         unsigned threads, const Task& task);

template <class Real>
std::unique_ptr<PairValues<Real>> subtree_pairs(const Corpus& corpus, SubtreeParameters parameters,
                                                PairAlgorithm algorithm, const Task& task);

template <class Real>
Norms<Real> subtree_norms(const Corpus& corpus, SubtreeParameters parameters);

}  // namespace treekernels
