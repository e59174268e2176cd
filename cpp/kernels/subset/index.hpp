// Where the subset-tree kernel finds the column subtrees that agree with a subtree in production and in a child's
// production.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus.hpp"

namespace treekernels {

// The column subtrees of one production are a group; a subtree's rank is its place in its group. The subtrees of a
// production that agree in the production of one child are a bucket. A subtree is in as many buckets as it has children
// that are not leaves: these are its joins.
//
// Of the children of a production one is its leading child, whose buckets are the largest. Their subtrees have
// consecutive ranks: such a bucket is a run.
class SubsetIndex {
public:
    struct Entry {
        std::uint32_t rank;        // of a subtree of the joined production
        std::uint32_t child_rank;  // of its child at the joined position
    };
    // One child of a subtree of a tree, whose bucket is not empty.
    struct Join {
        std::uint32_t parent, child;  // their places among the subtrees of the tree
        std::uint32_t bucket;
        std::uint32_t before;  // entries of the bucket that are from trees before this one
    };

    SubsetIndex() = default;
    // Knows the groups, and to which bucket each edge of the corpus belongs.
    SubsetIndex(const Corpus& corpus, std::size_t columns, const Task& task);

    // Fills the buckets and lists the joins. With `by_child`, the bucket of an only child is sorted by its rank.
    void fill(const Corpus& corpus, bool by_child, const Task& task);

    // kNone where no column has such an edge.
    std::uint32_t bucket_of(std::uint64_t edge) const { return bucket_of_[edge]; }
    // Once it is not asked for any more.
    void forget_edges() { bucket_of_ = {}; }

    std::size_t column_count() const { return columns_; }
    std::size_t group_size(Production p) const { return groups_.offset[p + 1] - groups_.offset[p]; }
    std::uint32_t group_begin(Production p) const { return static_cast<std::uint32_t>(groups_.offset[p]); }
    Node member(Production p, std::uint32_t rank) const { return groups_.items[groups_.offset[p] + rank]; }
    std::size_t member_count() const { return groups_.items.size(); }
    // The place of a column subtree among the members of all groups.
    std::uint32_t place(const Corpus& corpus, Node v) const { return group_begin(corpus.production(v)) + rank_[v]; }

    // Whether the ranks of the bucket are consecutive.
    bool is_run(std::uint32_t bucket) const { return is_run_[bucket]; }
    std::size_t bucket_count() const { return bucket_offset_.size() - 1; }
    // By the order of subtrees or, where the child is the only one and that was asked for, by the rank of the child.
    std::span<const Entry> bucket(std::uint32_t number) const {
        return {entries_.data() + bucket_offset_[number], entries_.data() + bucket_offset_[number + 1]};
    }
    // By parent, ascending; that of the leading child first.
    std::span<const Join> joins(std::size_t tree) const {
        return {joins_.data() + join_offset_[tree], joins_.data() + join_offset_[tree + 1]};
    }

private:
    // Ranks the members of a group by their bucket at the leading position: those from `first` to `last`.
    void rank_members(const Corpus& corpus, Production p, std::uint32_t first, std::uint32_t last);

    void sort_by_child(const Corpus& corpus);

    std::size_t columns_ = 0;
    Grouping groups_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint32_t> leading_;  // position of the child, by production
    std::vector<std::uint32_t> bucket_of_;
    std::vector<std::uint64_t> bucket_offset_{0};
    std::vector<bool> is_run_;
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> join_offset_{0};
    std::vector<Join> joins_;
};

}  // namespace treekernels
