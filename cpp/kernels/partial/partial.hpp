// The partial-tree kernel (Moschitti, ECML 2006), also with label similarities. With both decays 1 it is the kernel for
// labelled ordered trees of Kashima and Koyanagi (2002) without elastic matching.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "gram/labels/label_similarity.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

struct PartialParameters {
    double decay;           // lambda: of skipped children
    double vertical_decay;  // mu: of depth
    bool span;              // lambda also for the children that are used
    const LabelSimilarity* similarity;

    double leaf_value() const { return vertical_decay * (decay * decay); }
    double pair_weight() const { return span ? decay * decay : 1.0; }
};

template <class Real>
std::unique_ptr<Rows<Real>> partial_rows(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters,
                                         const Task& task);

template <class Real>
std::unique_ptr<PairValues<Real>> partial_pairs(const Corpus& corpus, const PartialParameters& parameters,
                                                PairAlgorithm algorithm, const Task& task);

}  // namespace treekernels
