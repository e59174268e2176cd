// Makes a segment of trees.
#pragma once

#include <memory>
#include <span>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "search/segments/segment.hpp"
#include "search/values/fragment_rule.hpp"

namespace treekernels {

// The trees of a DAG, and the item that each of them is, ascending.
struct IndexedTrees {
    const Dag& dag;
    std::span<const Node> roots;
    std::span<const Item> items;
};

// The task advances by one for each tree.
std::shared_ptr<const Segment> build_segment(const IndexedTrees& trees, const FragmentRule& rule, unsigned threads,
                                             Task& task);

}  // namespace treekernels
