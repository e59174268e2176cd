// The partial-tree kernel (Moschitti, ECML 2006), also with label similarities. With both decays 1 it is the kernel for
// labelled ordered trees of Kashima and Koyanagi (2002) without elastic matching.
#pragma once

#include <memory>
#include <vector>

#include "pairwise.hpp"
#include "rows.hpp"
#include "similarity.hpp"

namespace treekernels {

struct PartialParameters {
    double decay;           // lambda: of skipped children
    double vertical_decay;  // mu: of depth
    bool span;              // lambda also for the children that are used
    const LabelSimilarity* similarity;

    double leaf_value() const { return vertical_decay * (decay * decay); }
    double pair_weight() const { return span ? decay * decay : 1.0; }
};

// The sum over all pairs of non-empty child subsequences of equal length, by rows of the table of child pairs. Adds
// positive terms only, and needs memory for one row.
template <class Real>
class SubsequenceSum {
public:
    // `value(i, j)` is C of child i and child j, 0 where they do not match.
    template <class Value>
    Real operator()(std::size_t rows, std::size_t columns, double decay, Value value, const Task& task) {
        const Real lambda(decay);
        below_.assign(columns, Real(0.0));
        Real total(0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            if (columns > 1024) task.check();
            Real in_row(0.0);    // decayed sum of this row so far
            Real diagonal(0.0);  // below_[j - 1] before this row
            for (std::size_t j = 0; j < columns; ++j) {
                const Real ending = value(i, j) * (Real(1.0) + diagonal);
                total += ending;
                in_row = in_row * lambda + ending;
                diagonal = below_[j];
                below_[j] = diagonal * lambda + in_row;
            }
        }
        return total;
    }

private:
    std::vector<Real> below_;  // decayed sum of all that ends at or before a column, in the rows so far
};

template <class Real>
std::unique_ptr<Rows<Real>> partial_rows(const Corpus& corpus, std::size_t columns,
                                         const PartialParameters& parameters);

template <class Real>
std::unique_ptr<Pairs<Real>> partial_pairs(const Corpus& corpus, const PartialParameters& parameters,
                                           PairAlgorithm algorithm);

}  // namespace treekernels
