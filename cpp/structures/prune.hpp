// Trees cut off below a depth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// The new roots in `to`: what is more than `depth` nodes down from a root, itself counted, goes. `depth` is at least 1.
std::vector<Node> prune_depth(const Dag& from, std::span<const Node> roots, std::uint64_t depth, Dag& to, Task& task);

}  // namespace treekernels
