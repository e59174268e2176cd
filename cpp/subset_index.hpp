// Where the subset-tree kernel finds the column subtrees that agree with a subtree in production and in a child's
// production.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "corpus.hpp"
#include "features.hpp"

namespace treekernels {

// The column subtrees of one production are a group; a subtree's rank is its place in its group. Subtrees that agree in
// the child that tells most are neighbours, since they are raised together.
class SubsetIndex {
public:
    struct Entry {
        std::uint32_t rank;        // of a subtree of the joined production
        std::uint32_t child_rank;  // of its child at the joined position
    };

    SubsetIndex() = default;
    // With `by_child`, the bucket of an only child is sorted by that child's rank.
    SubsetIndex(const Corpus& corpus, std::size_t columns, bool by_child);

    std::size_t group_size(Production p) const { return groups_.offset[p + 1] - groups_.offset[p]; }
    std::uint32_t group_begin(Production p) const { return static_cast<std::uint32_t>(groups_.offset[p]); }
    Node member(Production p, std::uint32_t rank) const { return groups_.items[groups_.offset[p] + rank]; }
    // The subtrees below `end` that agree with an edge in production, position and the child's production.
    std::span<const Entry> bucket(std::uint64_t edge, Node end) const {
        const std::span<const Entry> whole = bucket(edge);
        if (whole.empty()) return {};
        const Node* first = entry_node_.data() + (whole.data() - entries_.data());
        const Node* last = first + whole.size();
        if (last[-1] < end) return whole;
        return whole.first(static_cast<std::size_t>(std::lower_bound(first, last, end) - first));
    }
    // All of them, by the rank of the child, where the child is the only one.
    std::span<const Entry> bucket(std::uint64_t edge) const {
        const std::uint32_t b = edge_bucket_[edge];
        if (b == kNone) return {};
        return {entries_.data() + bucket_offset_[b], entries_.data() + bucket_offset_[b + 1]};
    }
    const Postings& postings() const { return postings_; }

private:
    struct Key {
        Production parent;
        std::uint32_t position;
        Production child;
        bool operator==(const Key&) const = default;
    };

    // Numbers the triples that occur in columns, and counts their subtrees.
    void find_buckets(const Corpus& corpus, Node end);

    // The position of each production whose buckets have the most pairs of subtrees.
    std::vector<std::uint32_t> telling_positions(const Corpus& corpus) const;

    void rank_members(const Corpus& corpus, Node end);

    void fill_buckets(const Corpus& corpus, Node end, bool by_child);

    Grouping groups_;
    std::vector<std::uint32_t> rank_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> edge_bucket_;
    std::vector<std::uint64_t> bucket_offset_;
    std::vector<Entry> entries_;
    std::vector<Node> entry_node_;  // whose entry it is: ascending in each bucket
    Postings postings_;
};

}  // namespace treekernels
