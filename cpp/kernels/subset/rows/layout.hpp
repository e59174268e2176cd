// Subtrees, laid out so that those which agree with another subtree in their production, and in the production of a
// child, are found at once. kernel.hpp has an example.
//
// The subtrees of one production are a group, and the rank of a subtree is its place in its group. The subtrees of a
// group whose children at some position have the same production are a bucket, so that a subtree is in as many buckets
// as it has children that are no leaves. One position of each production leads: the one with the largest buckets.
// Subtrees are ranked by it, so that its buckets are runs of consecutive ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/number_index.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

struct SubsetGroup {
    Production production;
    std::uint32_t size;
    std::uint32_t begin;  // of its members among those of all groups, where these have an order
    double decay;
};

struct SubsetBucket {
    const std::uint32_t* ranks;        // of the subtrees
    const std::uint32_t* child_ranks;  // of their children at the position, in the group of these
    std::uint32_t size;
    bool is_run;  // ranks are consecutive
    double child_decay;
};

// What the subtrees of a bucket have in common: the group, and the production of the child at a position.
struct SubsetEdge {
    std::uint32_t group, position;
    Production child;
    bool operator==(const SubsetEdge&) const = default;
    std::uint64_t hash() const { return mix(mix(mix(0, group), position), child); }
};

// A child of a subtree whose production agrees with that of some children in a layout, and the bucket of these.
struct SubsetJoin {
    std::uint32_t bucket;
    std::uint32_t child;  // its place, as the caller numbers subtrees
};
// Adds a join to those of the same subtree, which begin at `first`. The join of the leading child comes first, if there
// is one: a row at rest is raised quickest by a run.
template <class Join, class Layout>
void add_join(std::vector<Join>& joins, std::size_t first, const Join& join, const Layout& layout) {
    joins.push_back(join);
    if (layout.is_run(join.bucket)) std::swap(joins[first], joins.back());
}

class SubsetLayout {
public:
    // Makes it anew of subtrees of a Dag or a Corpus. Children come before parents, and all of them are there.
    template <class Source>
    void assign(const Source& source, std::span<const Node> nodes, const std::function<double(Production)>& decay_of,
                const Task& task);
    // Sorts a bucket by the rank of the child, which makes it no run.
    void sort_by_child(std::uint32_t bucket);

    // kNone where there is none. A production may be kNone, too.
    std::uint32_t find_group(Production p) const { return p < group_of_.size() ? group_of_[p] : kNone; }
    std::uint32_t find_bucket(std::uint32_t group, std::uint32_t position, Production child) const {
        const SubsetEdge edge{group, position, child};
        return by_edge_.find(edge.hash(), [&](std::uint32_t b) { return buckets_[b].edge == edge; });
    }
    const SubsetGroup& group(std::uint32_t g) const { return groups_[g]; }
    std::size_t group_count() const { return groups_.size(); }
    SubsetBucket bucket(std::uint32_t b) const {
        const Bucket& bucket = buckets_[b];
        return {ranks_.data() + bucket.begin, child_ranks_.data() + bucket.begin, bucket.size, bucket.is_run,
                bucket.child_decay};
    }
    bool is_run(std::uint32_t b) const { return buckets_[b].is_run; }
    std::size_t bucket_count() const { return buckets_.size(); }
    std::size_t member_count() const { return member_count_; }

    // Of a subtree that it was made of.
    std::uint32_t rank(Node node) const { return rank_of_[node]; }
    // The buckets of the children of a subtree that are no leaves, by its place among those that it was made of.
    std::span<const std::uint32_t> buckets_of(std::size_t number) const {
        return {edges_.data() + edge_begin_[number], edges_.data() + edge_begin_[number + 1]};
    }

private:
    struct Bucket {
        SubsetEdge edge;
        std::uint32_t size;
        bool is_run;
        std::uint64_t begin;  // of its entries
        double child_decay;
    };

    void clear();
    template <class Source>
    void count(const Source& source, std::span<const Node> nodes, const std::function<double(Production)>& decay_of,
               const Task& task);
    void choose_runs();
    template <class Source>
    void rank_members(const Source& source, std::span<const Node> nodes);

    std::vector<std::uint32_t> group_of_;  // by production
    std::vector<Production> productions_;  // of the groups
    std::vector<SubsetGroup> groups_;
    std::vector<Bucket> buckets_;
    NumberIndex by_edge_;
    std::vector<std::uint32_t> ranks_, child_ranks_;  // bucket after bucket
    std::vector<std::uint32_t> rank_of_;              // by node
    std::vector<std::uint32_t> edges_;                // the bucket of each child that is no leaf, node after node
    std::vector<std::uint64_t> edge_begin_;
    std::size_t member_count_ = 0;

    // While it is made.
    std::vector<std::uint64_t> positions_;   // by group: where its positions begin among those of all groups
    std::vector<std::uint32_t> next_rank_;   // by group, then by bucket that is a run
    std::vector<std::uint64_t> next_entry_;  // by bucket
};

}  // namespace treekernels
