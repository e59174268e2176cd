// The subtree kernel: two trees share what they have of identical subtrees, each weighted by its size. On a DAG of
// distinct subtrees that is a dot product of counts.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/pairwise.hpp"

namespace treekernels {

struct SubtreeParameters {
    double decay;
    double leaf_weight;
};

template <class Real>
std::unique_ptr<Rows<Real>> subtree_rows(const Corpus& corpus, std::size_t columns, SubtreeParameters parameters,
                                         unsigned threads, const Task& task);

template <class Real>
std::unique_ptr<PairValues<Real>> subtree_pairs(const Corpus& corpus, SubtreeParameters parameters,
                                                PairAlgorithm algorithm, const Task& task);

template <class Real>
std::unique_ptr<Norms<Real>> subtree_norms(const Corpus& corpus, SubtreeParameters parameters);

}  // namespace treekernels
