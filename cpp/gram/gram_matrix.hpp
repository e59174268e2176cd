// Gram matrices of any examples: chooses the number type, shares the work among threads, normalises, writes.
//
// What is compared, and how, is a Source:
//   std::size_t count() const                                 how many examples
//   std::size_t identities() const, identity(example) const   equal numbers, below the first, for equal examples
//   std::unique_ptr<Rows<Real>> rows<Real>(columns, threads, task)  rows of values against the first `columns` examples
//   Norms<Real> norms<Real>(task) const                             K(x, x)
// Both look at the task while they are made, since that may take long.
//
// The functions are in gram_engine.hpp, which is included only by the file that compiles the matrices of a source.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

template <class Real, class Source>
class GramEngine;
class Wide;

template <class Source>
class GramMatrix {
public:
    // The first examples of the source are the columns; those after them are the rows, unless the matrix is symmetric.
    // Measures the norms and, unless only they are wanted, indexes the columns.
    GramMatrix(Source source, std::size_t columns, bool symmetric, bool normalize, bool diagonal_only,
               const Execution& execution);
    ~GramMatrix();
    GramMatrix(const GramMatrix&) = delete;
    GramMatrix& operator=(const GramMatrix&) = delete;

    // Fills the whole matrix. A symmetric one costs half as much.
    template <class T>
    void fill(MatrixView<T> out, const Execution& execution) const;
    // Fills only the rows first .. last-1, into the rows 0 .. of `out`.
    template <class T>
    void fill_rows(std::size_t first, std::size_t last, MatrixView<T> out, const Execution& execution) const;

    // K(x, x) of the rows' examples, normalised if the matrix is.
    std::vector<double> diagonal() const;

    std::size_t row_count() const { return row_count_; }
    std::size_t column_count() const { return column_count_; }

private:
    std::size_t first_row() const { return symmetric_ ? 0 : column_count_; }

    template <class Function>
    void with_engine(Function function) const;

    Source source_;
    bool symmetric_;
    std::size_t column_count_;
    std::size_t row_count_;
    std::unique_ptr<GramEngine<double, Source>> engine_;
    std::unique_ptr<GramEngine<Wide, Source>> wide_engine_;  // one of the two is there
};

}  // namespace treekernels
