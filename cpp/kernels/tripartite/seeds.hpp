// Seeds: nodes of two trees whose productions agree and have placeholders. All matches that a fragment with
// placeholders can be made of lie around them.
//
// Most seeds are simple: all fragments with that root bring along the same pairs of placeholders, and there is nothing
// above the root to take it into larger ones but other seeds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"
#include "kernels/tripartite/placeholders.hpp"

namespace treekernels {

// A node of a tree of the first example and one of the second, both numbered bottom-up.
struct NodePair {
    std::uint32_t u, v;
    friend auto operator<=>(const NodePair&, const NodePair&) = default;
};

struct Seed {
    NodePair nodes;
    double value;  // of all fragments with this root, together; known of simple seeds
    double count;  // how often the two nodes occur in their trees, multiplied
    bool simple;
    std::uint8_t pair_count;
    std::array<std::uint16_t, 2> left, right;  // the pairs of placeholders, if it is simple

    // Whether the pairs of placeholders of the other are among those of this one.
    bool includes(const Seed& other) const {
        for (std::size_t theirs = 0; theirs < other.pair_count; ++theirs) {
            bool found = false;
            for (std::size_t mine = 0; mine < pair_count; ++mine)
                found |= left[mine] == other.left[theirs] && right[mine] == other.right[theirs];
            if (!found) return false;
        }
        return true;
    }
    // Whether no pair of placeholders of the one contradicts one of the other.
    bool agrees_with(const Seed& other) const {
        for (std::size_t mine = 0; mine < pair_count; ++mine)
            for (std::size_t theirs = 0; theirs < other.pair_count; ++theirs)
                if ((left[mine] == other.left[theirs]) != (right[mine] == other.right[theirs])) return false;
        return true;
    }
};

// Whether two nodes with equal keys can have a parent, or children, in common.
inline bool may_go_up(const AnchoredTrees::Place& u, const AnchoredTrees::Place& v) {
    if (u.way_up == AnchoredTrees::kNoWayUp || v.way_up == AnchoredTrees::kNoWayUp) return false;
    return u.way_up == v.way_up || u.way_up == AnchoredTrees::kManyWaysUp || v.way_up == AnchoredTrees::kManyWaysUp;
}
inline bool may_go_down(const AnchoredTrees::Place& u, const AnchoredTrees::Place& v) {
    return (u.below & v.below) != 0;
}

// Calls visit(pair of children) for the children of two nodes with equal keys that have equal keys themselves, until it
// gives false. False if it did.
template <class Visit>
bool each_common_child(const AnchoredTrees::View& tree, const AnchoredTrees::Place& u, const AnchoredTrees::Place& v,
                       Visit visit) {
    if (!may_go_down(u, v)) return true;
    const AnchoredTrees::Edge* other = tree.edge + v.edge;  // the edges of all trees are in one place
    for (const auto& edge : tree.edges(u)) {
        if (edge.key == other->key && edge.key != kNone && !visit(NodePair{edge.child, other->child})) return false;
        ++other;
    }
    return true;
}

// The nodes of the column trees whose productions have placeholders, by key.
class SeedIndex {
public:
    SeedIndex(const AnchoredTrees& trees, std::size_t columns, const Task& task);

    struct Entry {
        std::uint32_t node;  // numbered bottom-up
        AnchoredTrees::Place place;
    };
    // Ascending by column and node.
    std::span<const std::uint32_t> columns_with(std::uint32_t key) const {
        return {column_.data() + offset_[key], column_.data() + offset_[key + 1]};
    }
    const Entry* entries_with(std::uint32_t key) const { return entries_.data() + offset_[key]; }

    // Calls visit(node) for the nodes of a tree, ascending.
    template <class Visit>
    void visit(std::size_t tree, Visit visit) const {
        for (std::uint32_t node = 0; node < trees_.keyed().size(tree); ++node)
            if (!trees_.slots(tree, node).empty()) visit(node);
    }
    const AnchoredTrees& trees() const { return trees_; }

private:
    const AnchoredTrees& trees_;
    std::vector<std::uint64_t> offset_;  // by key
    std::vector<std::uint32_t> column_;
    std::vector<Entry> entries_;
};

// The seeds of one tree with many.
class SeedRow {
public:
    SeedRow(const SeedIndex& index, double decay) : index_(index), decay_(decay) {}

    void find(std::size_t tree, std::size_t columns, const Task& task);
    // Ascending.
    std::span<const Seed> with(std::size_t column) const {
        return {seeds_.data() + offset_[column], seeds_.data() + offset_[column + 1]};
    }
    bool all_simple(std::size_t column) const { return all_simple_[column]; }

private:
    void look_at(const AnchoredTrees::View& tree, std::uint32_t u, std::size_t column, const SeedIndex::Entry& v,
                 Seed& seed) const;
    double value(const AnchoredTrees::View& tree, std::size_t column, const Seed& seed, const AnchoredTrees::Place& x,
                 const AnchoredTrees::Place& y, std::size_t& edges) const;
    double known_value(std::size_t column, const Seed& above, NodePair nodes) const;

    const SeedIndex& index_;
    double decay_;
    std::vector<std::uint64_t> offset_, next_;
    std::vector<Seed> seeds_;
    std::vector<char> all_simple_;
};

}  // namespace treekernels
