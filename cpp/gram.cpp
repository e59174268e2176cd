#include "gram.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "failures.hpp"

namespace treekernels {

namespace {

// Rows that are computed before they are written. In a triangle they are also written as columns, in tiles as wide.
constexpr std::size_t kBlockRows = 16;
constexpr std::size_t kTriangleRows = 64;

template <class T>
T narrowed(double value) {
    if (!(value <= static_cast<double>(std::numeric_limits<T>::max())))
        throw Overflow("a kernel value is too large for the result");
    return static_cast<T>(value);
}

}  // namespace

// All that depends on the number type.
template <class Real>
class Gram::Engine {
public:
    Engine(const Corpus& corpus, const TreeKernel& kernel, std::size_t columns, bool normalize, unsigned threads)
        : corpus_(corpus), kernel_(kernel), columns_(columns), normalize_(normalize), threads_(threads) {
        equal_columns_ = group(columns, corpus.node_count(), [&](std::size_t tree) { return corpus.root(tree); });
    }

    // K(tree, tree) of all trees. False, at once, when one of them is too large for the number type.
    bool measure(const Execution& execution) {
        const auto norms = kernel_.norms<Real>(corpus_);
        norm_.assign(corpus_.tree_count(), Real(0.0));
        // Equal trees are measured once.
        std::vector<std::uint32_t> first_with_root(corpus_.node_count(), kNone);
        std::vector<std::size_t> distinct;
        for (std::size_t tree = 0; tree < corpus_.tree_count(); ++tree) {
            if (first_with_root[corpus_.root(tree)] != kNone) continue;
            first_with_root[corpus_.root(tree)] = static_cast<std::uint32_t>(tree);
            distinct.push_back(tree);
        }
        constexpr std::size_t kBlock = 32;
        Counter blocks((distinct.size() + kBlock - 1) / kBlock);
        std::atomic<bool> all_fit{true};
        Task task(distinct.size());
        const auto work = [&](Task& shared) {
            const auto norm = norms->worker();
            for (std::size_t block; all_fit && blocks.take(block);) {
                const std::size_t end = std::min(distinct.size(), (block + 1) * kBlock);
                for (std::size_t i = block * kBlock; i < end; ++i) {
                    norm_[distinct[i]] = (*norm)(distinct[i], shared);
                    if constexpr (std::is_same_v<Real, double>)
                        if (!fits_double(norm_[distinct[i]])) all_fit = false;
                }
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
        if (!all_fit) return false;
        for (std::size_t tree = 0; tree < corpus_.tree_count(); ++tree) {
            norm_[tree] = norm_[first_with_root[corpus_.root(tree)]];
            inverse_root_.push_back(inverse_root(norm_[tree]));
        }
        return true;
    }

    // Makes the index ahead of time. A failure will show again when it is needed.
    void try_index() noexcept {
        try {
            index();
        } catch (...) {
        }
    }

    template <class T>
    void fill_triangle(MatrixView<T> out, const Execution& execution) {
        const std::size_t count = columns_;
        const std::size_t block_count = (count + kTriangleRows - 1) / kTriangleRows;
        Counter blocks(block_count);
        Task task(count * (count + 1) / 2);
        const auto work = [&](Task& shared) {
            const auto worker = index().worker();
            std::vector<Real> values(kTriangleRows * count);
            for (std::size_t number; blocks.take(number);) {
                // The longest rows first, so that the threads end together.
                const std::size_t begin = (block_count - 1 - number) * kTriangleRows;
                const std::size_t end = std::min(count, begin + kTriangleRows);
                worker->rows(begin, end - begin, begin + 1, true, values.data(), count, shared);
                shared.advance((end - begin) * (begin + 1) + (end - begin) * (end - begin - 1) / 2);
                for (std::size_t tile = 0; tile < end; tile += kTriangleRows) {
                    for (std::size_t row = std::max(begin, tile); row < end; ++row)
                        write(row, tile, std::min(row + 1, tile + kTriangleRows), values.data() + (row - begin) * count,
                              out.data + row * out.stride);
                    mirror(begin, end, tile, out);
                }
                for (std::size_t row = begin; row < end; ++row)
                    for (std::uint32_t column : equal_columns(row))
                        if (column <= row)
                            out.data[row * out.stride + column] = out.data[column * out.stride + row] =
                                static_cast<T>(unit(row));
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
    }

    // Writes a tile of the rows begin .. end-1 of the triangle also as columns, while it is in the nearest cache.
    template <class T>
    static void mirror(std::size_t begin, std::size_t end, std::size_t tile, MatrixView<T> out) {
        for (std::size_t column = tile; column < std::min(end, tile + kTriangleRows); ++column) {
            T* to = out.data + column * out.stride;
            const T* from = out.data + column;
            for (std::size_t row = std::max(begin, column + 1); row < end; ++row) to[row] = from[row * out.stride];
        }
    }

    // The row of matrix row r is that of tree first_tree + r.
    template <class T>
    void fill_rows(std::size_t first_tree, std::size_t first, std::size_t last, MatrixView<T> out,
                   const Execution& execution) {
        Counter blocks((last - first + kBlockRows - 1) / kBlockRows);
        Task task((last - first) * columns_);
        const auto work = [&](Task& shared) {
            const auto worker = index().worker();
            std::vector<Real> values(kBlockRows * columns_);
            for (std::size_t number; blocks.take(number);) {
                const std::size_t begin = first + number * kBlockRows;
                const std::size_t end = std::min(last, begin + kBlockRows);
                worker->rows(first_tree + begin, end - begin, columns_, false, values.data(), columns_, shared);
                for (std::size_t row = begin; row < end; ++row) {
                    T* to = out.data + (row - first) * out.stride;
                    write(first_tree + row, 0, columns_, values.data() + (row - begin) * columns_, to);
                    for (std::uint32_t column : equal_columns(first_tree + row))
                        to[column] = static_cast<T>(unit(first_tree + row));
                }
                shared.advance((end - begin) * columns_);
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
    }

    double diagonal(std::size_t tree) const {
        if (normalize_) return unit(tree);
        return narrowed<double>(to_double(norm_[tree]));
    }

private:
    // Made when first needed: the diagonal alone does without.
    const Rows<Real>& index() {
        std::call_once(indexed_, [this] { rows_ = kernel_.rows<Real>(corpus_, columns_, threads_); });
        return *rows_;
    }

    double unit(std::size_t tree) const { return norm_[tree] == Real(0.0) ? 0.0 : 1.0; }

    // Writes kernel values of a tree and the columns first .. last-1 as numbers of the result.
    template <class T>
    void write(std::size_t tree, std::size_t first, std::size_t last, const Real* from, T* to) const {
        if (!normalize_) {
            for (std::size_t column = first; column < last; ++column) to[column] = narrowed<T>(to_double(from[column]));
            return;
        }
        const Real scale = inverse_root_[tree];
        for (std::size_t column = first; column < last; ++column)
            to[column] = static_cast<T>(std::min(1.0, to_double(from[column] * scale * inverse_root_[column])));
    }

    // The columns with an equal tree: their normalised value is exactly 1, whatever the rounding.
    std::span<const std::uint32_t> equal_columns(std::size_t tree) const {
        if (!normalize_) return {};
        return equal_columns_[corpus_.root(tree)];
    }

    const Corpus& corpus_;
    const TreeKernel& kernel_;
    std::size_t columns_;
    bool normalize_;
    unsigned threads_;  // to make the index with
    std::vector<Real> norm_;
    std::vector<Real> inverse_root_;
    Grouping equal_columns_;  // by root
    std::once_flag indexed_;
    std::unique_ptr<Rows<Real>> rows_;
};

Gram::Gram(Corpus corpus, std::size_t columns, bool symmetric, KernelParameters parameters, bool normalize,
           bool diagonal_only, const Execution& execution)
    : corpus_(std::move(corpus)),
      symmetric_(symmetric),
      column_count_(columns),
      row_count_(symmetric ? columns : corpus_.tree_count() - columns),
      kernel_(std::move(parameters), corpus_.label_count()),
      engine_(std::make_unique<Engine<double>>(corpus_, kernel_, column_count_, normalize, execution.threads)) {
    // The index is made meanwhile. It will be of no use should the numbers turn out too large.
    std::jthread indexer;
    if (execution.threads > 1 && !diagonal_only) indexer = std::jthread([this] { engine_->try_index(); });
    if (engine_->measure(execution)) return;
    if (indexer.joinable()) indexer.join();
    engine_.reset();
    wide_engine_ = std::make_unique<Engine<Wide>>(corpus_, kernel_, column_count_, normalize, execution.threads);
    wide_engine_->measure(execution);
}

Gram::~Gram() = default;

template <class Function>
void Gram::with_engine(Function function) const {
    engine_ ? function(*engine_) : function(*wide_engine_);
}

template <class T>
void Gram::fill(MatrixView<T> out, const Execution& execution) const {
    if (!symmetric_) return fill_rows(0, row_count_, out, execution);
    with_engine([&](auto& engine) { engine.fill_triangle(out, execution); });
}

template <class T>
void Gram::fill_rows(std::size_t first, std::size_t last, MatrixView<T> out, const Execution& execution) const {
    with_engine([&](auto& engine) { engine.fill_rows(symmetric_ ? 0 : column_count_, first, last, out, execution); });
}

std::vector<double> Gram::diagonal() const {
    std::vector<double> result;
    with_engine([&](auto& engine) {
        for (std::size_t row = 0; row < row_count_; ++row)
            result.push_back(engine.diagonal((symmetric_ ? 0 : column_count_) + row));
    });
    return result;
}

template void Gram::fill(MatrixView<float>, const Execution&) const;
template void Gram::fill(MatrixView<double>, const Execution&) const;
template void Gram::fill_rows(std::size_t, std::size_t, MatrixView<float>, const Execution&) const;
template void Gram::fill_rows(std::size_t, std::size_t, MatrixView<double>, const Execution&) const;

}  // namespace treekernels
