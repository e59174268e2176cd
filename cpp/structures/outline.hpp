// One tree spread out: its nodes by number, parents before children and from left to right.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

struct Outline {
    std::vector<Node> node;             // the subtree of the DAG that each is
    std::vector<std::uint32_t> parent;  // kNone for the root
    std::vector<std::uint32_t> stop;    // the number after the last one below
    std::vector<std::uint32_t> begin;   // the first of the leaves that it spans
    std::vector<std::uint32_t> end;     // the one after the last of them

    std::size_t size() const { return node.size(); }
    void fill(const Dag& dag, Node root, const Task& task);
};

// Throws TooLarge when a tree has more nodes than can be numbered.
void check_outlines(const Dag& dag, std::span<const Node> roots);

}  // namespace treekernels
