// Trees rewritten label by label: a node gets another label, goes with all that is below it, or gives its place
// to its children. What becomes of a subtree does not depend on where it stands, so each distinct one is rewritten
// once.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

inline constexpr Label kDrop = kNone;        // the node goes, and all below it
inline constexpr Label kSplice = kNone - 1;  // the node goes, its children stay

struct Rewriting {
    // For each label of the old DAG, at a leaf and at an inner node: a label of the new one, kDrop or kSplice.
    std::vector<Label> leaf;
    std::vector<Label> inner;
    bool drop_emptied;  // an inner node that has lost all its children goes too
    Label empty;        // the label of what stands for a tree of which nothing is left
};

// The new roots in `to`. A root that would have to give its place to several keeps it.
std::vector<Node> rewrite(const Dag& from, std::span<const Node> roots, const Rewriting& rewriting, Dag& to,
                          Task& task);

}  // namespace treekernels
