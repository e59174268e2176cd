// Rows of numbers that are needed as long as a parent is yet to come, kept by the nodes of a tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/corpus.hpp"
#include "core/memory/line_vector.hpp"

namespace treekernels {

template <class Real>
class RowPool {
public:
    explicit RowPool(const Corpus& corpus)
        : corpus_(corpus), uses_(corpus.node_count(), 0), slot_(corpus.node_count(), kNone) {}

    // To be called before the nodes of a tree are visited, children first.
    void begin(std::size_t tree) {
        for (Node node : corpus_.nodes(tree)) {
            uses_[node] = 0;  // children come first
            slot_[node] = kNone;
            for (Node child : corpus_.children(node)) ++uses_[child];
        }
    }
    // The row of a node, for so many numbers; they are yet to be set.
    Real* make(Node node, std::size_t size) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(rows_.size()));
            rows_.emplace_back();
        }
        LineVector<Real>& row = rows_[free_.back()];
        if (row.size() < size) row.resize(size);
        slot_[node] = free_.back();
        free_.pop_back();
        return row.data();
    }
    // Null where there is none.
    const Real* operator[](Node node) const { return slot_[node] == kNone ? nullptr : rows_[slot_[node]].data(); }
    // The node has been visited: its children may be needed no more, nor itself if it is the root.
    void end(Node node) {
        for (Node child : corpus_.children(node))
            if (--uses_[child] == 0) release(child);
        if (uses_[node] == 0) release(node);
    }

private:
    void release(Node node) {
        if (slot_[node] == kNone) return;
        free_.push_back(slot_[node]);
        slot_[node] = kNone;
    }

    const Corpus& corpus_;
    std::vector<std::uint32_t> uses_;  // edges of the tree that still need the row
    std::vector<std::uint32_t> slot_;
    std::vector<LineVector<Real>> rows_;
    std::vector<std::uint32_t> free_;
};

}  // namespace treekernels
