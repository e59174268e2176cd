// The head word, or its tag, added to the labels of the constituents above it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// The new roots in `to`. `head_child` says for each production of `from` which child is the head. A label becomes
// label, separator, head. Leaves and pre-terminals stay as they are: their head is there to be seen.
std::vector<Node> lexicalize(const Dag& from, std::span<const Node> roots, std::span<const std::uint32_t> head_child,
                             bool tag, std::string_view separator, Dag& to, Task& task);

}  // namespace treekernels
