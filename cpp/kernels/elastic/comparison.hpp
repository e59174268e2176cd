// Some row trees of the elastic tree kernel against many column trees.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/elastic/column_nodes.hpp"
#include "kernels/elastic/sweep.hpp"

namespace treekernels {

template <class Real>
class ElasticComparison {
public:
    // How many trees are best compared in one call: what the columns have to be looked at for is shared.
    static constexpr std::size_t kTogether = 64;

    ElasticComparison(const ElasticRowTrees& rows, const Corpus& columns, const ElasticParameters& parameters)
        : rows_(rows),
          columns_(columns),
          sweep_(rows, parameters, false),
          plan_(columns, *parameters.similarity),
          list_(columns.node_count()) {
        std::iota(list_.begin(), list_.end(), 0);
    }

    // Takes as many of the trees at a time as is best, say those from `begin` to `end` of the list, and compares them
    // with the first `columns_until(end)` columns, at most `most`. Calls found(begin, roots, column, A(., y)), where
    // the value of tree `begin + i` is that of the lane `roots[i]`, unless all of these are 0.
    template <class ColumnsUntil, class Found>
    void compare(std::span<const std::uint32_t> trees, std::size_t most, ColumnsUntil columns_until, Found found,
                 const Task& task) {
        constexpr std::size_t kManyLanes = 128;  // their vectors should stay in a near cache
        plan_.see(rows_, trees);
        plan_.plan(std::span(list_).first(columns_.limit(most)), task);
        columns_of_ =
            group(most, plan_.steps().size(), [&](std::size_t tree) { return plan_.step_of(columns_.root(tree)); });
        for (std::size_t begin = 0, end = 0; begin < trees.size(); begin = end) {
            std::size_t lanes = 0;
            do lanes += size(trees[end++]);
            while (end < trees.size() && lanes + size(trees[end]) <= kManyLanes);
            sweep_.load(trees.subspan(begin, end - begin));
            const auto roots = sweep_.roots();
            const auto found_here = [&](std::size_t step, const Real* sums) {
                for (std::uint32_t column : columns_of_[step]) found(begin, roots, column, sums);
            };
            sweep_.run(plan_, steps_of_columns(columns_until(end)), found_here, task);
        }
    }

private:
    std::size_t size(std::uint32_t tree) const { return rows_.corpus.nodes(tree).size(); }

    // How many steps must be taken to have the values of the first columns.
    std::size_t steps_of_columns(std::size_t columns) const {
        std::size_t count = 0;
        for (std::size_t column = 0; column < columns; ++column)
            if (const std::uint32_t step = plan_.step_of(columns_.root(column)); step != kNone)
                count = std::max<std::size_t>(count, step + 1);
        return count;
    }

    const ElasticRowTrees rows_;
    const Corpus& columns_;
    ElasticSweep<Real> sweep_;
    ElasticColumns plan_;
    std::vector<Node> list_;
    Grouping columns_of_;  // by the step of their root
};

}  // namespace treekernels
