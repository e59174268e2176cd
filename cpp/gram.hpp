// Gram matrices of tree kernels: chooses the number type, shares the work among threads, normalises, writes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernel.hpp"
#include "tasks.hpp"

namespace treekernels {

// How a call uses the machine, and who is to be told of its progress.
struct Execution {
    unsigned threads;
    std::function<void(Task&)> watch;
};

template <class T>
struct MatrixView {
    T* data;
    std::size_t stride;  // elements from one row to the next
};

class Gram {
public:
    // The first trees of the corpus are the columns; those after them are the rows, unless the matrix is symmetric.
    // Measures the norms and, unless only they are wanted, indexes the columns.
    Gram(Corpus corpus, std::size_t columns, bool symmetric, KernelParameters parameters, bool normalize,
         bool diagonal_only, const Execution& execution);
    ~Gram();

    // Fills the whole matrix. A symmetric one costs half as much.
    template <class T>
    void fill(MatrixView<T> out, const Execution& execution) const;
    // Fills only the rows first .. last-1, into the rows 0 .. of `out`.
    template <class T>
    void fill_rows(std::size_t first, std::size_t last, MatrixView<T> out, const Execution& execution) const;

    // K(tree, tree) of the rows' trees, normalised if the matrix is.
    std::vector<double> diagonal() const;

    std::size_t row_count() const { return row_count_; }
    std::size_t column_count() const { return column_count_; }

private:
    template <class Real>
    class Engine;

    template <class Function>
    void with_engine(Function function) const;

    Corpus corpus_;
    bool symmetric_;
    std::size_t column_count_;
    std::size_t row_count_;
    TreeKernel kernel_;
    std::unique_ptr<Engine<double>> engine_;
    std::unique_ptr<Engine<Wide>> wide_engine_;  // one of the two is there
};

}  // namespace treekernels
