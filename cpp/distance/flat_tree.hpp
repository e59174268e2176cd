// One tree written out: every node of it in preorder, with what distances ask of it side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// All by preorder number, but `pre`, which is by postorder number.
struct FlatTree {
    std::vector<Node> node;  // kNone for a root that has lost children
    std::vector<Label> label;
    std::vector<std::uint32_t> parent;  // kNone for the root
    std::vector<std::uint32_t> size;
    std::vector<std::uint32_t> post;
    std::vector<std::uint32_t> pre;

    std::size_t count() const { return node.size(); }
};

// Writes out the tree below `root` into `tree`, whose memory is used again.
void flatten(const Dag& dag, Node root, FlatTree& tree, const Task& task);
// The same with only some children of the root.
void flatten(const Dag& dag, Label root, std::span<const Node> children, FlatTree& tree, const Task& task);

}  // namespace treekernels
