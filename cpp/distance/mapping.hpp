// Which node of one tree becomes which of another, at the least cost.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "distance/tree_distance.hpp"

namespace treekernels {

// Pairs of preorder numbers, ascending. Of several best mappings, it is the one in which the last nodes of both trees,
// in postorder, become each other.
std::vector<std::pair<std::uint32_t, std::uint32_t>> best_mapping(TreeDistance& distance, PreparedTree& a,
                                                                  PreparedTree& b, const Task& task);

}  // namespace treekernels
