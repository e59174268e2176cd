// The subset-tree kernel on a whole corpus.
//
// C(u, v) is the decay where productions agree but no child pair does: that part of the matrix is a dot product
// of production counts. Only pairs with an agreeing child need more. They are found by joining on (production,
// child position, child's production), one row of C for each distinct subtree of the row's tree.
#pragma once

#include <memory>

#include "pairwise.hpp"
#include "rows.hpp"

namespace treekernels {

struct SubsetParameters {
    double decay;
    double leaf_weight;
};

template <class Real>
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters,
                                        unsigned threads);

template <class Real>
std::unique_ptr<Pairs<Real>> subset_pairs(const Corpus& corpus, SubsetParameters parameters, PairAlgorithm algorithm);

}  // namespace treekernels
