// What has to wait until all blocks of the rows are there: common exponents, and norms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/errors.hpp"
#include "core/memory/matrix_view.hpp"
#include "embedding/batches/batch.hpp"
#include "embedding/parameters.hpp"

namespace treekernels {

template <class T>
class BatchFinisher {
public:
    BatchFinisher(const Composition<T>& composition, const EmbeddingParameters& parameters)
        : composition_(composition), parameters_(parameters) {}

    void run(const Batch& batch, MatrixView<T> out) const {
        for (std::size_t tree = 0; tree < batch.plan.tree_end.size(); ++tree) {
            const std::span exponents(batch.exponents.data() + tree * batch.blocks, batch.blocks);
            const std::span squares(batch.squares.data() + tree * batch.blocks, batch.blocks);
            T* row = out.data + (batch.plan.first_tree + tree) * out.stride;
            if (parameters_.normalize)
                normalize(exponents, squares, row);
            else if (std::ranges::any_of(exponents, [](std::int32_t exponent) { return exponent != 0; }))
                scale(exponents, row);
        }
    }

private:
    static double power(double value, std::int64_t exponent) {
        return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
    }

    template <class Function>
    void for_block(std::size_t block, T* row, const Function& function) const {
        T* columns = row + composition_.first_column(block);
        for (std::size_t i = 0; i < composition_.column_count(block); ++i) function(columns[i]);
    }

    void normalize(std::span<const std::int32_t> exponents, std::span<const double> squares, T* row) const {
        // Blocks that are zero say nothing of the size of the others.
        std::int64_t highest = std::numeric_limits<std::int64_t>::min();
        for (std::size_t block = 0; block < exponents.size(); ++block)
            if (squares[block] > 0) highest = std::max<std::int64_t>(highest, exponents[block]);
        double sum = 0;
        for (std::size_t block = 0; block < exponents.size(); ++block)
            if (squares[block] > 0) sum += power(squares[block], 2 * (exponents[block] - highest));
        if (sum == 0) return;
        const double length = 1.0 / std::sqrt(sum);
        for (std::size_t block = 0; block < exponents.size(); ++block) {
            if (squares[block] == 0) continue;
            const double factor = power(length, exponents[block] - highest);
            for_block(block, row, [&](T& value) { value = static_cast<T>(static_cast<double>(value) * factor); });
        }
    }

    void scale(std::span<const std::int32_t> exponents, T* row) const {
        const double factor = parameters_.factor();
        for (std::size_t block = 0; block < exponents.size(); ++block) {
            for_block(block, row, [&](T& value) {
                // Those with exponent 0 have been multiplied already.
                if (exponents[block] == 0 || value == 0) return;
                const double full = power(static_cast<double>(value) * factor, exponents[block]);
                if (!(std::abs(full) <= static_cast<double>(std::numeric_limits<T>::max())))
                    throw Overflow("an element of a vector is too large for the result");
                value = static_cast<T>(full);
            });
        }
    }

    const Composition<T>& composition_;
    const EmbeddingParameters& parameters_;
};

}  // namespace treekernels
