// The elastic tree kernel (Kashima and Koyanagi, 2002): fragments keep the order of ancestors and of siblings, but may
// skip levels.
//
// With A(x, y) the sum of C over all subtrees of x and of y, K of two trees is A of their roots. For one row tree, A(.,
// y) is a vector over its distinct subtrees (lanes.hpp); it is computed bottom-up (sweep.hpp) for all subtrees y of the
// columns that differ in what the row tree may know (column_nodes.hpp), and forgotten as soon as the last parent of y
// has been seen. So it is for several row trees at a time (comparison.hpp).
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/labels/label_similarity.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

struct ElasticParameters {
    double decay;
    const LabelSimilarity* similarity;
};

template <class Real>
std::unique_ptr<Rows<Real>> elastic_rows(const Corpus& corpus, const ElasticParameters& parameters);

// Pair by pair: comparing nodes of one label class, or all nodes.
template <class Real>
std::unique_ptr<PairValues<Real>> elastic_pairs(const Corpus& corpus, const ElasticParameters& parameters,
                                                PairAlgorithm algorithm);

}  // namespace treekernels
