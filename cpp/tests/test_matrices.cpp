// Writing to matrices: of any size, at any address, and nothing beside them.
#include <cstring>

#include "core/assert.hpp"
#include "core/memory/matrix_view.hpp"
#include "gram/triangle.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

constexpr int kUntouched = -7;

// A matrix that begins `beyond` elements after the start of a cache line, in memory whose every other element is known.
template <class T>
class Frame {
public:
    Frame(std::size_t rows, std::size_t columns, std::size_t stride, std::size_t beyond)
        : rows_(rows), columns_(columns), stride_(stride), memory_(rows * stride + 3 * kLine + beyond, T(kUntouched)) {
        const std::size_t off = reinterpret_cast<std::uintptr_t>(memory_.data()) % kCacheLine / sizeof(T);
        begin_ = kLine + (kLine - off) % kLine + beyond;
    }
    MatrixView<T> view() { return {memory_.data() + begin_, stride_}; }

    template <class Expected>
    bool holds(Expected expected) const {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            const std::size_t place = i - begin_;  // wraps around before the matrix
            const std::size_t row = place / stride_, column = place % stride_;
            const bool inside = i >= begin_ && row < rows_ && column < columns_;
            if (memory_[i] != (inside ? expected(row, column) : T(kUntouched))) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t kLine = kCacheLine / sizeof(T);
    std::size_t rows_, columns_, stride_, begin_;
    std::vector<T> memory_;
};

template <class T>
T value_at(std::size_t row, std::size_t column) {
    return static_cast<T>(1 + std::max(row, column) * 1000 + std::min(row, column));
}

// As a Gram matrix does it: blocks from the last to the first, each row and then the columns.
template <class T>
void check_triangle(std::size_t count, std::size_t stride, std::size_t beyond, std::size_t block_rows) {
    Frame<T> frame(count, count, stride, beyond);
    TriangleBlock<T> block(count);
    const std::size_t blocks = (count + block_rows - 1) / block_rows;
    for (std::size_t number = blocks; number-- > 0;) {
        const std::size_t begin = number * block_rows, end = std::min(count, begin + block_rows);
        block.begin(begin, end);
        for (std::size_t row = begin; row < end; ++row) {
            for (std::size_t column = 0; column <= row; ++column) block.row(row)[column] = value_at<T>(row, column);
            block.write_row(row, frame.view());
        }
        block.write_columns(frame.view(), Task(0));
    }
    settle();
    CHECK(frame.holds(value_at<T>));
}

template <class T>
void check_all_triangles() {
    for (std::size_t count : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200})
        for (std::size_t stride : {count, count + 1, count + 5, count + 16})
            for (std::size_t beyond : {0, 1, 3, 7, 8, 15}) {
                check_triangle<T>(count, stride, beyond, TriangleBlock<T>::rows_for(count));
                if (beyond < 2 && count > 1) check_triangle<T>(count, stride, beyond, 3);
            }
}

}  // namespace

TEST(streamed_numbers_arrive_at_any_address) {
    Random random(21);
    const auto check = [&]<class T>(T) {
        for (std::size_t count = 0; count < 70; ++count)
            for (std::size_t beyond = 0; beyond < 17; ++beyond) {
                Frame<T> frame(1, count, count + 1, beyond);
                std::vector<T> from(count + 1);
                for (T& value : from) value = static_cast<T>(random.below(1000));
                stream(frame.view().row(0), from.data() + 1, count);  // which is at no special address either
                settle();
                CHECK(frame.holds([&](std::size_t, std::size_t column) { return from[column + 1]; }));
            }
    };
    check(float{});
    check(double{});
    stream<double>(nullptr, nullptr, 0);
}

TEST(numbers_are_streamed_to_addresses_that_are_no_multiple_of_their_size) {
    std::vector<unsigned char> memory(1000, 0xEE);
    std::vector<double> from;
    for (int i = 0; i < 50; ++i) from.push_back(i + 0.5);
    for (std::size_t off : {1, 4, 7}) {
        // The address is not one of a double, so nothing but bytes may be read from it.
        stream(reinterpret_cast<double*>(reinterpret_cast<std::uintptr_t>(memory.data()) + 64 + off), from.data(), 50);
        settle();
        CHECK(std::memcmp(memory.data() + 64 + off, from.data(), 400) == 0);
        CHECK(memory[63 + off] == 0xEE && memory[64 + off + 400] == 0xEE);
        std::ranges::fill(memory, static_cast<unsigned char>(0xEE));
    }
}

TEST(triangles_of_doubles_become_matrices) { check_all_triangles<double>(); }
TEST(triangles_of_floats_become_matrices) { check_all_triangles<float>(); }

TEST(blocks_of_a_triangle_fit_memory) {
    CHECK(TriangleBlock<double>::rows_for(1) == 32);
    CHECK(TriangleBlock<float>::rows_for(1) == 64);
    CHECK(TriangleBlock<double>::rows_for(0) == 32);
    for (std::size_t count : {1000U, 65536U, 100000U, 1000000U, 100000000U}) {
        const std::size_t rows = TriangleBlock<double>::rows_for(count);
        CHECK(rows % 8 == 0 && rows >= 8 && rows <= 32);
        CHECK(rows == 8 || rows * count * sizeof(double) <= std::size_t{16} << 20);
    }
}

#ifdef TREEKERNELS_ASSERTIONS
TEST(rows_outside_of_a_block_and_overlaps_are_noticed) {
    TriangleBlock<double> block(100);
    CHECK_THROWS(AssertionFailure, block.begin(0, 33));
    CHECK_THROWS(AssertionFailure, block.begin(90, 101));
    block.begin(32, 64);
    CHECK_THROWS(AssertionFailure, block.row(31));
    CHECK_THROWS(AssertionFailure, block.row(64));
    std::vector<double> memory(20);
    CHECK_THROWS(AssertionFailure, stream(memory.data() + 1, memory.data(), 2));
    CHECK_THROWS(AssertionFailure, stream(memory.data(), memory.data() + 1, 2));
    stream(memory.data() + 2, memory.data(), 2);
}
#endif

}  // namespace treekernels::tests
