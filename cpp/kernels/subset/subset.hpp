// The subset-tree kernel on a whole corpus.
//
// What two trees share in single productions, and in productions together with that of one child, is a dot product of
// counts (base.hpp). C(u, v) is needed only for larger fragments: where two children agree, or one child that has more
// in common than its production. Such pairs are found by joins on (production, position of the child, production of the
// child), which give one row of C for each distinct subtree of the tree in a row of the matrix.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/labels/production_factors.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

struct SubsetParameters {
    double decay;
    double leaf_weight;
    CountDamping damping = CountDamping::linear;
    std::shared_ptr<const FactorTable> table{};          // null where all productions have the decay
    std::shared_ptr<const ProductionFactors> factors{};  // of the corpus at hand; set by resolve()
    double cut_weight = 1.0;                             // unless it is 1, there are Gram matrices only

    // Looks the productions up in the DAG of the trees.
    void resolve(const Dag& dag) {
        auto found = std::make_shared<ProductionFactors>(decay, table);
        found->cover(dag);
        factors = std::move(found);
    }
    bool uniform() const { return !table; }
    // Of a production of that DAG.
    double decay_of(Production p) const { return uniform() ? decay : (*factors)[p]; }
};

template <class Real>
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters,
                                        unsigned threads, const Task& task);

template <class Real>
std::unique_ptr<PairValues<Real>> subset_pairs(const Corpus& corpus, SubsetParameters parameters,
                                               PairAlgorithm algorithm, const Task& task);

}  // namespace treekernels
