// The sum over all pairs of child subsequences, with derivatives: see SubsequenceSum and evaluate() for values alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"
#include "gram/gradients/dual.hpp"
#include "kernels/partial/matches.hpp"

namespace treekernels {

template <class Real>
class DualSubsequences {
public:
    // `decay` has derivatives of its own.
    explicit DualSubsequences(std::vector<Real> decay) : decay_(std::move(decay)), width_(decay_.size()) {
        powers_.assign(width_, Real(0.0));
        powers_[0] = Real(1.0);
        factor_.resize(width_);
        ending_.resize(kMostCells * width_);
    }

    // From the cells that match, in order of rows and columns; child(cell, to) sets C of a cell.
    template <class Child>
    void sum(std::span<const ChildCell> cells, Child child, Real* total) {
        std::fill_n(total, width_, Real(0.0));
        for (std::size_t k = 0; k < cells.size(); ++k) {
            dual_set(factor_.data(), Real(1.0), width_);
            for (std::size_t l = 0; l < k; ++l) {
                if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;
                const std::size_t skipped = (cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1);
                dual_add_product(factor_.data(), power(skipped), ending_.data() + l * width_, width_);
            }
            Real* ending = ending_.data() + k * width_;
            child(cells[k], ending);
            dual_multiply(ending, factor_.data(), width_);
            dual_add(total, ending, width_);
        }
    }

    // From the table of all child pairs; child(i, j, to) sets C and returns true where they match.
    template <class Child>
    void sum_table(std::size_t rows, std::size_t columns, Child child, Real* total, const Task& task) {
        std::fill_n(total, width_, Real(0.0));
        below_.assign(columns * width_, Real(0.0));
        std::vector<Real> in_row(width_), diagonal(width_), ending(width_), row_total(width_);
        for (std::size_t i = 0; i < rows; ++i) {
            if (columns > 256) task.check();
            std::ranges::fill(row_total, Real(0.0));
            std::ranges::fill(in_row, Real(0.0));
            dual_set(diagonal.data(), Real(1.0), width_);  // of what ends before: nothing, or something
            for (std::size_t j = 0; j < columns; ++j) {
                Real* below = below_.data() + j * width_;
                dual_multiply(in_row.data(), decay_.data(), width_);
                if (child(i, j, ending.data())) {
                    dual_multiply(ending.data(), diagonal.data(), width_);
                    dual_add(row_total.data(), ending.data(), width_);
                    dual_add(in_row.data(), ending.data(), width_);
                }
                std::copy_n(below, width_, diagonal.data());
                diagonal[0] += Real(1.0);
                dual_multiply(below, decay_.data(), width_);
                dual_add(below, in_row.data(), width_);
            }
            dual_add(total, row_total.data(), width_);
        }
    }

private:
    const Real* power(std::size_t exponent) {
        while (powers_.size() <= exponent * width_) {
            const std::size_t last = powers_.size() - width_;
            powers_.resize(powers_.size() + width_);
            std::copy_n(powers_.data() + last, width_, powers_.data() + last + width_);
            dual_multiply(powers_.data() + last + width_, decay_.data(), width_);
        }
        return powers_.data() + exponent * width_;
    }

    std::vector<Real> decay_;
    std::size_t width_;
    std::vector<Real> powers_;
    std::vector<Real> factor_;
    std::vector<Real> ending_;  // by cell: the sum of all that ends with it
    std::vector<Real> below_;   // decayed sum of all that ends at or before a column, in the rows so far
};

}  // namespace treekernels
