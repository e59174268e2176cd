// The sum over all pairs of non-empty child subsequences of equal length, by rows of the table of child pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "core/threads/tasks.hpp"

namespace treekernels {

// Adds positive terms only, and needs memory for one row.
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
            Real row_total(0.0);  // added as one, lest the total swallow small terms
            Real in_row(0.0);     // decayed sum of this row so far
            Real diagonal(0.0);   // below_[j - 1] before this row
            for (std::size_t j = 0; j < columns; ++j) {
                const Real ending = value(i, j) * (Real(1.0) + diagonal);
                row_total += ending;
                in_row = in_row * lambda + ending;
                diagonal = below_[j];
                below_[j] = diagonal * lambda + in_row;
            }
            total += row_total;
        }
        return total;
    }

private:
    std::vector<Real> below_;  // decayed sum of all that ends at or before a column, in the rows so far
};

}  // namespace treekernels
