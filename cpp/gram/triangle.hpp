// Some rows of the lower triangle of a symmetric matrix, which are also columns of the upper one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/assert.hpp"
#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

template <class T>
class TriangleBlock {
public:
    // For a matrix of `count` rows.
    explicit TriangleBlock(std::size_t count) : stride_(count + kLine), values_(rows_for(count) * stride_) {}

    // How many rows make a block: enough for long pieces of columns, if memory allows.
    static std::size_t rows_for(std::size_t count) {
        return std::clamp(kMostBytes / (count * sizeof(T) + 1) / kLine * kLine, kLine, kMostRows);
    }

    // The rows first .. last-1 come next.
    void begin(std::size_t first, std::size_t last) {
        TREEKERNELS_ASSERT(first <= last && last <= stride_ - kLine && (last - first) * stride_ <= values_.size());
        first_ = first;
        last_ = last;
    }
    // Where to put the values of a row up to the diagonal.
    T* row(std::size_t number) {
        TREEKERNELS_ASSERT(first_ <= number && number < last_);
        return values_.data() + (number - first_) * stride_;
    }

    void write_row(std::size_t number, MatrixView<T> out) { stream(out.row(number), row(number), number + 1); }

    // The first to touch the pages of a large matrix has the system clear them, which may take seconds in all.
    void write_columns(MatrixView<T> out, const Task& task) {
        T turned[kLine][kMostRows];
        std::size_t tile = 0;
        for (; tile + kLine <= first_ + 1; tile += kLine) {
            task.check();
            for (std::size_t number = first_; number < last_; ++number) {
                const T* values = row(number) + tile;
                for (std::size_t i = 0; i < kLine; ++i) turned[i][number - first_] = values[i];
            }
            for (std::size_t i = 0; i < kLine; ++i) stream(out.row(tile + i) + first_, turned[i], last_ - first_);
        }
        for (std::size_t number = first_; number < last_; ++number)
            for (std::size_t column = tile; column < number; ++column) out.row(column)[number] = row(number)[column];
    }

private:
    static constexpr std::size_t kLine = kCacheLine / sizeof(T);
    static constexpr std::size_t kMostRows = 256 / sizeof(T);
    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

    std::size_t first_ = 0, last_ = 0;
    std::size_t stride_;
    std::vector<T> values_;
};

}  // namespace treekernels
