// What a Gram matrix knows of its trees: the layout of the subtrees of its columns, and for each tree its joins, which
// say with which buckets of that layout the children of its subtrees agree.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "kernels/subset/rows/layout.hpp"
#include "kernels/subset/subset.hpp"

namespace treekernels {

class SubsetIndex {
public:
    // One child of a subtree of a tree, whose bucket is not empty.
    struct Join : SubsetJoin {
        std::uint32_t parent;  // its place among the subtrees of the tree, as that of the child
        std::uint32_t before;  // entries of the bucket that are from trees before this one
    };

    // Knows to which bucket each edge of the corpus belongs.
    void find_buckets(const Corpus& corpus, std::size_t columns, const SubsetParameters& parameters, const Task& task) {
        columns_ = columns;
        std::vector<Node> nodes(corpus.limit(columns));
        std::iota(nodes.begin(), nodes.end(), Node{0});
        layout_.assign(corpus, nodes, [&](Production p) { return parameters.decay_of(p); }, task);
        bucket_of_.assign(corpus.edge_count(), kNone);
        for (Node u = 0; u < corpus.node_count(); ++u) {
            const std::uint32_t group = layout_.find_group(corpus.production(u));
            if (group == kNone) continue;
            const auto children = corpus.children(u);
            for (std::uint32_t c = 0; c < children.size(); ++c)
                if (!corpus.is_leaf(children[c]))
                    bucket_of_[corpus.first_edge(u) + c] =
                        layout_.find_bucket(group, c, corpus.production(children[c]));
        }
    }
    const std::vector<std::uint32_t>& bucket_of_edges() const { return bucket_of_; }

    void list_joins(const Corpus& corpus, const Task& task) {
        std::vector<std::uint32_t> before(layout_.bucket_count(), 0);
        std::vector<std::uint32_t> place(corpus.node_count());
        joins_.reserve(corpus.total_nodes());
        for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
            task.check();
            const auto nodes = corpus.nodes(tree);
            for (std::uint32_t i = 0; i < nodes.size(); ++i) {
                place[nodes[i]] = i;
                const std::size_t first = joins_.size();
                const auto children = corpus.children(nodes[i]);
                for (std::size_t c = 0; c < children.size(); ++c) {
                    const std::uint32_t b = bucket_of_[corpus.first_edge(nodes[i]) + c];
                    if (b != kNone) add_join(joins_, first, Join{{b, place[children[c]]}, i, before[b]}, layout_);
                }
            }
            join_offset_.push_back(joins_.size());
            if (tree >= columns_) continue;
            for (std::uint64_t edge = corpus.first_edge(corpus.limit(tree));
                 edge < corpus.first_edge(corpus.limit(tree + 1)); ++edge)
                if (bucket_of_[edge] != kNone) ++before[bucket_of_[edge]];
        }
    }
    // Of subtrees with one child, so that they are found by it. Lists the members of all groups as well.
    void sort_chains(const Corpus& corpus) {
        members_.resize(layout_.member_count());
        std::vector<bool> sorted(layout_.bucket_count(), false);
        for (Node v = 0; v < corpus.limit(columns_); ++v) {
            if (corpus.is_leaf(v)) continue;
            members_[place(corpus, v)] = v;
            if (corpus.children(v).size() != 1) continue;
            const std::uint32_t b = bucket_of_[corpus.first_edge(v)];
            if (b == kNone || sorted[b]) continue;
            sorted[b] = true;
            layout_.sort_by_child(b);
        }
    }
    // Once they are not asked for any more.
    void forget_edges() { bucket_of_ = {}; }

    std::size_t column_count() const { return columns_; }
    const SubsetLayout& layout() const { return layout_; }
    // The place of a column subtree among the members of all groups, and which it is.
    std::uint32_t place(const Corpus& corpus, Node v) const {
        return layout_.group(layout_.find_group(corpus.production(v))).begin + layout_.rank(v);
    }
    Node member(const SubsetGroup& group, std::uint32_t rank) const { return members_[group.begin + rank]; }
    // By parent, ascending.
    std::span<const Join> joins(std::size_t tree) const {
        return {joins_.data() + join_offset_[tree], joins_.data() + join_offset_[tree + 1]};
    }

private:
    std::size_t columns_ = 0;
    SubsetLayout layout_;
    std::vector<std::uint32_t> bucket_of_;  // kNone where no column has such an edge
    std::vector<std::uint64_t> join_offset_{0};
    std::vector<Join> joins_;
    std::vector<Node> members_;
};

}  // namespace treekernels
