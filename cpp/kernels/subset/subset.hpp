// The subset-tree kernel on a whole corpus.
//
// What two trees share in single productions, and in productions with one of their children's, is a dot product of
// counts: the base. C(u, v) is needed only for larger fragments: where two children agree, or one that has more in
// common than its production. Such pairs are found by joining on (production, child position, child's production), one
// row of C for each distinct subtree of the row's tree.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/pairwise.hpp"

namespace treekernels {

struct SubsetParameters {
    double decay;
    double leaf_weight;
};

template <class Real>
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters,
                                        unsigned threads, const Task& task);

template <class Real>
std::unique_ptr<PairValues<Real>> subset_pairs(const Corpus& corpus, SubsetParameters parameters,
                                               PairAlgorithm algorithm, const Task& task);

}  // namespace treekernels
