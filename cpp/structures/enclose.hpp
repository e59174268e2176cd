// Parts of trees around chosen nodes, and marks on them. Nodes are told by their numbers in the tree's outline.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

enum class Keep {
    paths,    // the ways from the lowest common ancestor to the chosen nodes, and all below these
    between,  // all from the first word of the chosen nodes to the last, and what is above within the ancestor
    all,      // all below the lowest common ancestor
};

// Some nodes of one tree; those of choice c are nodes[offsets[c] .. offsets[c + 1]].
struct Choices {
    std::span<const std::uint32_t> tree;  // its place among the roots
    std::span<const std::uint64_t> offsets;
    std::span<const std::uint32_t> nodes;
    bool words;  // they are counted among the leaves only

    std::size_t size() const { return tree.size(); }
    std::span<const std::uint32_t> of(std::size_t choice) const {
        return nodes.subspan(offsets[choice], offsets[choice + 1] - offsets[choice]);
    }
};

// Throws std::invalid_argument when a node or tree is not there. Choices of the same tree belong side by side.
std::vector<Node> enclose(const Dag& from, std::span<const Node> roots, const Choices& choices, Keep keep, Dag& to,
                          Task& task);

// Whole trees, with the suffix added to the labels of the chosen nodes.
std::vector<Node> mark(const Dag& from, std::span<const Node> roots, const Choices& choices, std::string_view suffix,
                       Dag& to, Task& task);

}  // namespace treekernels
