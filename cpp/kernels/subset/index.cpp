#include "kernels/subset/index.hpp"

#include <algorithm>

namespace treekernels {

SubsetIndex::SubsetIndex(const Corpus& corpus, std::size_t columns, const Task& task)
    : columns_(columns), bucket_of_(corpus.edge_count(), kNone) {
    const Node end = corpus.limit(columns);
    const auto production = [&](std::size_t v) { return corpus.production(static_cast<Node>(v)); };
    groups_ = group(end, corpus.production_count(), production);
    const bool columns_only = end == corpus.node_count();
    const Grouping with_rows =
        columns_only ? Grouping() : group(corpus.node_count(), corpus.production_count(), production);
    const Grouping& everything = columns_only ? groups_ : with_rows;
    rank_.assign(end, kNone);
    leading_.assign(corpus.production_count(), 0);
    // By the production of a child: its newest bucket. Those of the position at hand begin at `first`.
    std::vector<std::uint32_t> newest(corpus.production_count(), kNone);
    for (Production p = 0; p < corpus.production_count(); ++p) {
        const auto members = everything[p];
        if (members.empty()) continue;
        task.check();
        // The leading child is the one whose buckets have the most pairs of subtrees.
        double most_pairs = 0.0;
        std::uint32_t leading_first = 0, leading_last = 0;
        for (std::uint32_t c = 0; c < corpus.children(members[0]).size(); ++c) {
            const auto first = static_cast<std::uint32_t>(bucket_count());
            for (Node v : members) {
                const Node child = corpus.children(v)[c];
                if (corpus.is_leaf(child)) continue;
                std::uint32_t& bucket = newest[corpus.production(child)];
                if (bucket < first || bucket >= bucket_count()) {
                    if (v >= end) continue;  // no column has it
                    bucket = static_cast<std::uint32_t>(bucket_count());
                    bucket_offset_.push_back(0);
                }
                bucket_of_[corpus.first_edge(v) + c] = bucket;
                if (v < end) ++bucket_offset_[bucket + 1];
            }
            const auto last = static_cast<std::uint32_t>(bucket_count());
            double pairs = 0.0;
            for (std::uint32_t b = first; b < last; ++b)
                pairs += static_cast<double>(bucket_offset_[b + 1]) * static_cast<double>(bucket_offset_[b + 1]);
            if (pairs <= most_pairs) continue;
            most_pairs = pairs;
            leading_[p] = c;
            leading_first = first;
            leading_last = last;
        }
        is_run_.resize(bucket_count(), false);
        std::fill(is_run_.begin() + leading_first, is_run_.begin() + leading_last, true);
        rank_members(corpus, p, leading_first, leading_last);
    }
    for (std::size_t b = 0; b < bucket_count(); ++b) bucket_offset_[b + 1] += bucket_offset_[b];
}

void SubsetIndex::rank_members(const Corpus& corpus, Production p, std::uint32_t first, std::uint32_t last) {
    const std::span<Node> members(groups_.items.data() + groups_.offset[p], group_size(p));
    // Where each bucket begins; after all of them those who have none.
    std::vector<std::uint32_t> next{0};
    for (std::uint32_t b = first; b < last; ++b)
        next.push_back(next.back() + static_cast<std::uint32_t>(bucket_offset_[b + 1]));
    for (Node v : members) {
        const std::uint32_t bucket = first == last ? kNone : bucket_of_[corpus.first_edge(v) + leading_[p]];
        rank_[v] = next[bucket == kNone ? last - first : bucket - first]++;
    }
    const std::vector<Node> unsorted(members.begin(), members.end());
    for (Node v : unsorted) members[rank_[v]] = v;
}

void SubsetIndex::fill(const Corpus& corpus, bool by_child, const Task& task) {
    entries_.resize(bucket_offset_.back());
    std::vector<std::uint64_t> next(bucket_offset_.begin(), bucket_offset_.end() - 1);
    std::vector<std::uint32_t> place(corpus.node_count());
    joins_.reserve(corpus.total_nodes());
    // The joins of a tree come before its subtrees are put into their buckets.
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        task.check();
        const auto nodes = corpus.nodes(tree);
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            place[nodes[i]] = i;
            const auto children = corpus.children(nodes[i]);
            if (children.empty()) continue;
            const auto join = [&](std::size_t c) {
                const std::uint32_t b = bucket_of_[corpus.first_edge(nodes[i]) + c];
                if (b == kNone) return;
                joins_.push_back({i, place[children[c]], b, static_cast<std::uint32_t>(next[b] - bucket_offset_[b])});
            };
            const std::uint32_t leading = leading_[corpus.production(nodes[i])];
            join(leading);
            for (std::size_t c = 0; c < children.size(); ++c)
                if (c != leading) join(c);
        }
        join_offset_.push_back(joins_.size());
        if (tree >= columns_) continue;
        for (Node v = corpus.limit(tree); v < corpus.limit(tree + 1); ++v) {
            const auto children = corpus.children(v);
            for (std::size_t c = 0; c < children.size(); ++c) {
                const std::uint32_t b = bucket_of_[corpus.first_edge(v) + c];
                if (b != kNone) entries_[next[b]++] = {rank_[v], rank_[children[c]]};
            }
        }
    }
    if (by_child) sort_by_child(corpus);
}

void SubsetIndex::sort_by_child(const Corpus& corpus) {
    std::vector<bool> done(bucket_count());
    for (Node v = 0; v < corpus.limit(columns_); ++v) {
        if (corpus.children(v).size() != 1) continue;
        const std::uint32_t b = bucket_of_[corpus.first_edge(v)];
        if (b == kNone || done[b]) continue;
        done[b] = true;
        is_run_[b] = false;
        std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b]),
                  entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b + 1]),
                  [](const Entry& x, const Entry& y) { return x.child_rank < y.child_rank; });
    }
}

}  // namespace treekernels
