// How Gram matrices are computed. Only a file that compiles the matrices of a source includes this.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/corpus.hpp"
#include "core/errors.hpp"
#include "gram/gram_matrix.hpp"
#include "gram/interfaces.hpp"
#include "gram/normalize.hpp"
#include "gram/triangle.hpp"

namespace treekernels {

// All that depends on the number type.
template <class Real, class Source>
class GramEngine {
public:
    GramEngine(const Source& source, std::size_t columns, bool normalize, unsigned threads)
        : source_(source), columns_(columns), normalize_(normalize), threads_(threads) {
        equal_columns_ =
            group(columns, source.identities(), [&](std::size_t example) { return source.identity(example); });
    }

    // K(example, example) of all examples. False, at once, when one of them is too large for the number type.
    bool measure(const Execution& execution) {
        Norms<Real> norms;
        Task preparation(source_.count());
        run_watched(
            preparation, 1, [&](Task& shared) { norms = source_.template norms<Real>(shared); }, execution.watch);
        norm_.assign(source_.count(), Real(0.0));
        // Equal examples are measured once.
        std::vector<std::uint32_t> first_equal(source_.identities(), kNone);
        std::vector<std::size_t> distinct;
        for (std::size_t example = 0; example < source_.count(); ++example) {
            if (first_equal[source_.identity(example)] != kNone) continue;
            first_equal[source_.identity(example)] = static_cast<std::uint32_t>(example);
            distinct.push_back(example);
        }
        constexpr std::size_t kBlock = 32;
        Counter blocks((distinct.size() + kBlock - 1) / kBlock);
        std::atomic<bool> all_fit{true};
        Task task(distinct.size());
        const auto work = [&](Task& shared) {
            const NormWorker<Real> norm = norms();
            for (std::size_t block; all_fit && blocks.take(block);) {
                const std::size_t end = std::min(distinct.size(), (block + 1) * kBlock);
                for (std::size_t i = block * kBlock; i < end; ++i) {
                    norm_[distinct[i]] = norm(distinct[i], shared);
                    if constexpr (std::is_same_v<Real, double>)
                        if (!fits_double(norm_[distinct[i]])) all_fit = false;
                }
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
        if (!all_fit) return false;
        for (std::size_t example = 0; example < source_.count(); ++example) {
            norm_[example] = norm_[first_equal[source_.identity(example)]];
            inverse_root_.push_back(inverse_root(norm_[example]));
        }
        return true;
    }

    // Makes the index ahead of time. A failure will show again when it is needed.
    void try_index(const Task& task) noexcept {
        try {
            index(task);
        } catch (...) {
        }
    }

    template <class T>
    void fill_triangle(MatrixView<T> out, const Execution& execution) {
        const std::size_t count = columns_;
        const std::size_t block_rows = TriangleBlock<T>::rows_for(count);
        const std::size_t block_count = (count + block_rows - 1) / block_rows;
        Counter blocks(block_count);
        Task task(count * (count + 1) / 2);
        const auto work = [&](Task& shared) {
            RowComputer computer(index(shared).worker(), count);
            TriangleBlock<T> block(count);
            for (std::size_t number; blocks.take(number);) {
                // The longest rows first, so that the threads end together.
                const std::size_t begin = (block_count - 1 - number) * block_rows;
                const std::size_t end = std::min(count, begin + block_rows);
                block.begin(begin, end);
                // Without the diagonal, which is known: what occurs in no other tree need not be looked at.
                computer.rows(begin, end - begin, begin, true, shared, [&](std::size_t row, const Real* values) {
                    write(row, row, values, block.row(row));
                    block.row(row)[row] = narrowed<T>(diagonal(row));
                    block.write_row(row, out);
                    shared.advance(row + 1);
                });
                block.write_columns(out, shared);
            }
            settle();
        };
        run_watched(task, execution.threads, work, execution.watch);
    }

    // The row of matrix row r is that of example first_example + r.
    template <class T>
    void fill_rows(std::size_t first_example, std::size_t first, std::size_t last, MatrixView<T> out,
                   const Execution& execution) {
        Counter blocks((last - first + kBlockRows - 1) / kBlockRows);
        Task task((last - first) * columns_);
        const auto work = [&](Task& shared) {
            RowComputer computer(index(shared).worker(), columns_);
            std::vector<T> row(columns_);
            for (std::size_t number; blocks.take(number);) {
                const std::size_t begin = first + number * kBlockRows;
                const std::size_t count = std::min(last - begin, kBlockRows);
                const auto use = [&](std::size_t example, const Real* values) {
                    write(example, columns_, values, row.data());
                    stream(out.row(example - first_example - first), row.data(), columns_);
                    shared.advance(columns_);
                };
                computer.rows(first_example + begin, count, columns_, false, shared, use);
            }
            settle();
        };
        run_watched(task, execution.threads, work, execution.watch);
    }

    double diagonal(std::size_t example) const {
        if (normalize_) return unit(example);
        return narrowed<double>(to_double(norm_[example]));
    }

private:
    static constexpr std::size_t kBlockRows = 16;  // what a thread takes at a time

    // Computes rows, as many together as is best for the kernel. Few stay in the nearest cache until they are used.
    class RowComputer {
    public:
        RowComputer(std::unique_ptr<RowWorker<Real>> worker, std::size_t columns)
            : worker_(std::move(worker)), stride_(columns), values_(worker_->together() * columns) {}

        template <class Use>
        void rows(std::size_t first, std::size_t count, std::size_t columns, bool triangle, const Task& task, Use use) {
            for (std::size_t done = 0; done < count;) {
                const std::size_t some = std::min(worker_->together(), count - done);
                worker_->rows(first + done, some, columns + (triangle ? done : 0), triangle, values_.data(), stride_,
                              task);
                for (std::size_t i = 0; i < some; ++i) use(first + done + i, values_.data() + i * stride_);
                done += some;
            }
        }

    private:
        std::unique_ptr<RowWorker<Real>> worker_;
        std::size_t stride_;
        std::vector<Real> values_;
    };

    // Made when first needed: the diagonal alone does without.
    const Rows<Real>& index(const Task& task) {
        const std::lock_guard lock(indexing_);
        if (!rows_) rows_ = source_.template rows<Real>(columns_, threads_, task);
        return *rows_;
    }

    double unit(std::size_t example) const { return norm_[example] == Real(0.0) ? 0.0 : 1.0; }

    // Writes kernel values of an example and the first columns as numbers of the result. That of equal examples is
    // exactly 1 when normalised, whatever the rounding.
    template <class T>
    void write(std::size_t example, std::size_t columns, const Real* from, T* to) const {
        if (!normalize_) {
            for (std::size_t column = 0; column < columns; ++column) to[column] = narrowed<T>(to_double(from[column]));
            return;
        }
        normalize(from, inverse_root_[example], inverse_root_.data(), columns, to);
        for (std::uint32_t column : equal_columns_[source_.identity(example)])
            if (column < columns) to[column] = static_cast<T>(unit(example));
    }

    const Source& source_;
    std::size_t columns_;
    bool normalize_;
    unsigned threads_;  // to make the index with
    std::vector<Real> norm_;
    std::vector<Real> inverse_root_;
    Grouping equal_columns_;  // by identity
    std::mutex indexing_;
    std::unique_ptr<Rows<Real>> rows_;
};

template <class Source>
GramMatrix<Source>::GramMatrix(Source source, std::size_t columns, bool symmetric, bool normalize, bool diagonal_only,
                               const Execution& execution)
    : source_(std::move(source)),
      symmetric_(symmetric),
      column_count_(columns),
      row_count_(symmetric ? columns : source_.count() - columns),
      engine_(std::make_unique<GramEngine<double, Source>>(source_, column_count_, normalize, execution.threads)) {
    // The index is made meanwhile. It will be of no use should the numbers turn out too large.
    Task indexing(column_count_);
    std::jthread indexer;
    if (execution.threads > 1 && !diagonal_only)
        indexer = std::jthread([this, &indexing] { engine_->try_index(indexing); });
    try {
        if (engine_->measure(execution)) {
            if (indexer.joinable()) run_watched(indexing, 1, [&](Task&) { indexer.join(); }, execution.watch);
            return;
        }
    } catch (...) {
        indexing.stop();
        throw;
    }
    indexing.stop();
    if (indexer.joinable()) indexer.join();
    engine_.reset();
    wide_engine_ = std::make_unique<GramEngine<Wide, Source>>(source_, column_count_, normalize, execution.threads);
    wide_engine_->measure(execution);
}

template <class Source>
GramMatrix<Source>::~GramMatrix() = default;

template <class Source>
template <class T>
void GramMatrix<Source>::fill(MatrixView<T> out, const Execution& execution) const {
    if (!symmetric_) return fill_rows(0, row_count_, out, execution);
    with_engine([&](auto& engine) { engine.fill_triangle(out, execution); });
}

template <class Source>
template <class T>
void GramMatrix<Source>::fill_rows(std::size_t first, std::size_t last, MatrixView<T> out,
                                   const Execution& execution) const {
    with_engine([&](auto& engine) { engine.fill_rows(first_row(), first, last, out, execution); });
}

template <class Source>
std::vector<double> GramMatrix<Source>::diagonal() const {
    std::vector<double> result;
    with_engine([&](auto& engine) {
        for (std::size_t row = 0; row < row_count_; ++row) result.push_back(engine.diagonal(first_row() + row));
    });
    return result;
}

template <class Source>
template <class Function>
void GramMatrix<Source>::with_engine(Function function) const {
    engine_ ? function(*engine_) : function(*wide_engine_);
}

// What a file that compiles the matrices of a source says once.
#define TREEKERNELS_COMPILE_GRAM(Source)                                                                              \
    template class GramMatrix<Source>;                                                                                \
    template void GramMatrix<Source>::fill(MatrixView<float>, const Execution&) const;                                \
    template void GramMatrix<Source>::fill(MatrixView<double>, const Execution&) const;                               \
    template void GramMatrix<Source>::fill_rows(std::size_t, std::size_t, MatrixView<float>, const Execution&) const; \
    template void GramMatrix<Source>::fill_rows(std::size_t, std::size_t, MatrixView<double>, const Execution&) const;

}  // namespace treekernels
