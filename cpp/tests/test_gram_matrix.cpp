// Gram matrices of examples whose kernel values are known numbers.
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "gram/gram_engine.hpp"
#include "tests/support/check.hpp"
#include "tests/support/look_away.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// Examples are numbers, and equal if the numbers are; K(x, y) = x * y. Rows are off by some rounding, as those of real
// kernels, whose norms are computed in another way.
class Numbers {
public:
    Numbers(std::vector<double> values, double rounding, bool huge = false)
        : values_(std::move(values)), rounding_(rounding), scale_(huge ? Wide(0x1p1000) * Wide(0x1p1000) : Wide(1.0)) {}

    std::size_t count() const { return values_.size(); }
    std::size_t identities() const { return values_.size(); }
    std::uint32_t identity(std::size_t example) const {
        return static_cast<std::uint32_t>(std::ranges::find(values_, values_[example]) - values_.begin());
    }

    template <class Real>
    Real value(std::size_t a, std::size_t b, double rounding) const {
        const Wide product = scale_ * Wide(values_[a] * values_[b]) * Wide(rounding);
        if constexpr (std::is_same_v<Real, double>)
            return to_double(product);
        else
            return product;
    }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(std::size_t columns, unsigned, const Task&) const {
        return std::make_unique<NumberRows<Real>>(*this, columns);
    }
    template <class Real>
    Norms<Real> norms(const Task&) const {
        return
            [this] { return [this](std::size_t example, const Task&) { return value<Real>(example, example, 1.0); }; };
    }

private:
    template <class Real>
    struct NumberRows final : Rows<Real> {
        NumberRows(const Numbers& numbers, std::size_t columns) : numbers(numbers), columns(columns) {}
        struct Worker final : RowWorker<Real> {
            explicit Worker(const NumberRows& rows) : rows(rows) {}
            void row(std::size_t example, std::size_t some, Real* values, const Task&) override {
                CHECK(some <= rows.columns);
                for (std::size_t column = 0; column < some; ++column)
                    values[column] = rows.numbers.value<Real>(example, column, rows.numbers.rounding_);
            }
            const NumberRows& rows;
        };
        std::unique_ptr<RowWorker<Real>> worker() const override { return std::make_unique<Worker>(*this); }
        const Numbers& numbers;
        std::size_t columns;
    };
    std::vector<double> values_;
    double rounding_;
    Wide scale_;
};

template <class T>
std::vector<T> matrix_of(const Numbers& numbers, std::size_t columns, bool symmetric, bool normalize,
                         unsigned threads) {
    const Execution execution{threads, look_away};
    const GramMatrix<Numbers> gram(numbers, columns, symmetric, normalize, false, execution);
    std::vector<T> result(gram.row_count() * gram.column_count(), T(-1));
    gram.fill(MatrixView<T>{result.data(), gram.column_count()}, execution);
    // The rows alone are the same.
    std::vector<T> rows(result.size(), T(-1));
    gram.fill_rows(0, gram.row_count(), MatrixView<T>{rows.data(), gram.column_count()}, execution);
    CHECK(rows == result);
    return result;
}

}  // namespace

TEST(equal_examples_have_exactly_one_whatever_the_column) {
    // Below 1 by some rounding, and above it.
    for (double rounding : {1.0 - 0x1p-40, 1.0 + 0x1p-40})
        for (bool huge : {false, true})
            for (unsigned threads : {1U, 2U})
                for (std::size_t place = 0; place < 20; ++place) {
                    std::vector<double> values;
                    for (int i = 0; i < 20; ++i) values.push_back(2.0 + i);
                    values[place] = 1.5;
                    values.push_back(1.5);  // an only row, equal to the column at this place
                    const Numbers numbers(values, rounding, huge);
                    const auto row = matrix_of<double>(numbers, 20, false, true, threads);
                    CHECK(row.size() == 20 && row[place] == 1.0);
                    for (std::size_t column = 0; column < 20; ++column) CHECK(std::abs(row[column] - 1.0) < 1e-9);
                    if (rounding < 1.0) CHECK(row[place == 0 ? 1 : 0] != 1.0);  // what is not equal is as computed
                    const auto square = matrix_of<float>(numbers, 21, true, true, threads);
                    CHECK(square[20 * 21 + place] == 1.0F && square[place * 21 + 20] == 1.0F);
                }
}

TEST(equal_neighbours_have_exactly_one) {
    for (std::size_t count : {2, 3, 33, 64, 65}) {
        const std::vector<double> values(count, 3.0);
        const Numbers numbers(values, 1.0 - 0x1p-40);
        for (double value : matrix_of<double>(numbers, count, true, true, 2)) CHECK(value == 1.0);
        for (double value : matrix_of<double>(numbers, count - 1, false, true, 2)) CHECK(value == 1.0);
    }
}

TEST(plain_values_are_not_normalised) {
    Random random(71);
    for (std::size_t columns : {1, 5, 40, 100}) {
        std::vector<double> values;
        for (std::size_t i = 0; i < columns + 7; ++i) values.push_back(static_cast<double>(random.below(50)));
        const Numbers numbers(values, 1.0);
        const auto rows = matrix_of<double>(numbers, columns, false, false, 2);
        for (std::size_t row = 0; row < 7; ++row)
            for (std::size_t column = 0; column < columns; ++column)
                CHECK(rows[row * columns + column] == values[columns + row] * values[column]);
        const auto square = matrix_of<float>(numbers, values.size(), true, false, 3);
        for (std::size_t row = 0; row < values.size(); ++row)
            for (std::size_t column = 0; column < values.size(); ++column)
                CHECK(square[row * values.size() + column] == static_cast<float>(values[row] * values[column]));
    }
}

TEST(an_example_without_norm_has_zero_with_all) {
    const Numbers numbers({0.0, 2.0, 0.0}, 1.0);
    CHECK(matrix_of<double>(numbers, 3, true, true, 1) == std::vector<double>{0, 0, 0, 0, 1, 0, 0, 0, 0});
}

TEST(values_beyond_the_result_are_an_error) {
    const Numbers huge({1.0, 2.0}, 1.0, true);
    CHECK_THROWS(Overflow, matrix_of<double>(huge, 2, true, false, 1));
    CHECK(matrix_of<double>(huge, 2, true, true, 1) == std::vector<double>{1, 1, 1, 1});
    const Numbers large({1e30, 2.0}, 1.0);
    CHECK_THROWS(Overflow, matrix_of<float>(large, 2, true, false, 2));
    CHECK(matrix_of<double>(large, 2, true, false, 2)[0] == 1e30 * 1e30);
}

}  // namespace treekernels::tests
