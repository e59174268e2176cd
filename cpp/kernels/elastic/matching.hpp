// The inner lanes of one label class, laid out so that all of them are compared with a column in a few plain loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/line_vector.hpp"
#include "core/wide.hpp"
#include "kernels/elastic/ancestors.hpp"

namespace treekernels {

template <class Real>
struct MatchingLanes {
    // The value of a lane is to be added to a block of lanes above it.
    struct Rise {
        std::uint32_t lane;  // its place in `lanes`
        std::uint32_t block;
    };

    std::vector<std::uint32_t> lanes;                      // those with one child, then those with two, then all others
    std::vector<std::uint32_t> first_child, second_child;  // of those with one child or two
    std::size_t with_one = 0;
    std::vector<Rise> rises;
    LineVector<typename AncestorBlock<Real>::Ways> ways;  // how often, for each lane of the block of each of them

    std::size_t with_few() const { return first_child.size(); }
};

// For all lanes with one child or two, the sum over all pairs of non-empty subsequences of equal length of these and of
// a column's children, whose values are given.
void sum_few_children(const MatchingLanes<float>& matching, std::span<const float* const> columns, float* values);
void sum_few_children(const MatchingLanes<double>& matching, std::span<const double* const> columns, double* values);
void sum_few_children(const MatchingLanes<Wide>& matching, std::span<const Wide* const> columns, Wide* values);

// Adds the values to all lanes above.
void spread_values(const MatchingLanes<float>& matching, const float* values, float* sum);
void spread_values(const MatchingLanes<double>& matching, const double* values, double* sum);
void spread_values(const MatchingLanes<Wide>& matching, const Wide* values, Wide* sum);

}  // namespace treekernels
