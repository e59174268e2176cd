// Nodes with more than two children become chains of nodes with two.
#pragma once

#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// The new roots in `to`. A node in between is labelled X|<A-B>: the label of the node that was divided, and
// those of up to `horizontal` of the children below, on the side where it was divided: the first ones if the
// chain goes to the right, the last ones if to the left.
std::vector<Node> binarize(const Dag& from, std::span<const Node> roots, bool right, std::size_t horizontal, Dag& to,
                           Task& task);

}  // namespace treekernels
