// Sums over the child subsequences that two nodes have in common.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"

namespace treekernels {

// The sum over all pairs of non-empty child subsequences of equal length, without decay: for one node whose children
// are given as columns of values, and some others whose children are given as rows.
template <class Real>
class OrderedSum {
public:
    // Calls use(sum), for which sum(rows) is the sum with another node. So what depends on the number of columns is
    // settled once for all nodes.
    template <class Use>
    void operator()(std::span<const Real* const> columns, const Task& task, Use use) {
        switch (columns.size()) {
            case 1:
                return use(Narrow<1>(columns));
            case 2:
                return use(Narrow<2>(columns));
            case 3:
                return use(Narrow<3>(columns));
            case 4:
                return use(Narrow<4>(columns));
            case 5:
                return use(Narrow<5>(columns));
            default:
                return use([&](std::span<const std::uint32_t> rows) { return any(rows, columns, task); });
        }
    }

private:
    // Few columns stay in registers.
    template <std::size_t Columns>
    class Narrow {
    public:
        explicit Narrow(std::span<const Real* const> columns) {
            for (std::size_t j = 0; j < Columns; ++j) columns_[j] = columns[j];
        }

        Real operator()(std::span<const std::uint32_t> rows) const {
            // Nothing ends above the first row, and below the last one only the end matters.
            std::array<Real, Columns> below;
            below[0] = columns_[0][rows.front()];
            for (std::size_t j = 1; j < Columns; ++j) below[j] = below[j - 1] + columns_[j][rows.front()];
            if (rows.size() == 1) return below.back();
            for (std::uint32_t row : rows.subspan(1, rows.size() - 2)) {
                const auto ending = ending_in(row, below);
                for (std::size_t j = 0; j < Columns; ++j) below[j] += ending[j];
            }
            return below.back() + ending_in(rows.back(), below).back();
        }

    private:
        // The sum of all that ends in a row, at or before each column.
        std::array<Real, Columns> ending_in(std::uint32_t row, const std::array<Real, Columns>& below) const {
            std::array<Real, Columns> ending;
            ending[0] = columns_[0][row];
            for (std::size_t j = 1; j < Columns; ++j)
                ending[j] = ending[j - 1] + columns_[j][row] * (Real(1.0) + below[j - 1]);
            return ending;
        }

        std::array<const Real*, Columns> columns_;
    };

    Real any(std::span<const std::uint32_t> rows, std::span<const Real* const> columns, const Task& task) {
        below_.assign(columns.size(), Real(0.0));
        for (std::uint32_t row : rows) {
            if (columns.size() > 1024) task.check();
            Real in_row(0.0), diagonal(0.0);
            for (std::size_t j = 0; j < columns.size(); ++j) {
                in_row += columns[j][row] * (Real(1.0) + diagonal);
                diagonal = below_[j];
                below_[j] += in_row;
            }
        }
        return below_.back();
    }

    std::vector<Real> below_;  // the sum of all that ends at or before a column, in the rows so far
};

}  // namespace treekernels
