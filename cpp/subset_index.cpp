#include "subset_index.hpp"

#include <algorithm>

namespace treekernels {

SubsetIndex::SubsetIndex(const Corpus& corpus, std::size_t columns, bool by_child) : columns_(columns) {
    const Node end = corpus.limit(columns);
    const std::vector<std::uint32_t> bucket_of = find_buckets(corpus, end);
    const std::vector<std::uint32_t> rank = rank_members(corpus, end, bucket_of);
    fill_buckets(corpus, bucket_of, rank);
    if (by_child) sort_by_child(corpus, end, bucket_of);
    postings_ = Postings(groups_.items.size(), columns, kVectorOfReals, [&](std::size_t tree, auto emit) {
        const auto nodes = corpus.nodes(tree);
        const auto counts = corpus.counts(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (!corpus.is_leaf(nodes[i]))
                emit(group_begin(corpus.production(nodes[i])) + rank[nodes[i]], counts[i]);
    });
}

std::vector<std::uint32_t> SubsetIndex::find_buckets(const Corpus& corpus, Node end) {
    NumberIndex index;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint32_t> bucket_of(corpus.edge_count(), kNone);
    for (Node u = 0; u < corpus.node_count(); ++u) {
        const auto children = corpus.children(u);
        for (std::size_t c = 0; c < children.size(); ++c) {
            if (corpus.is_leaf(children[c])) continue;
            const Key key{corpus.production(u), static_cast<std::uint32_t>(c), corpus.production(children[c])};
            const std::uint64_t hash = mix(mix(mix(0, key.parent), key.position), key.child);
            std::uint32_t bucket = index.find(hash, [&](std::uint32_t b) { return keys_[b] == key; });
            if (bucket == kNone) {
                if (u >= end) continue;  // no column has it
                bucket = static_cast<std::uint32_t>(keys_.size());
                keys_.push_back(key);
                sizes.push_back(0);
                index.insert(hash, bucket);
            }
            bucket_of[corpus.first_edge(u) + c] = bucket;
            if (u < end) ++sizes[bucket];
        }
    }
    bucket_offset_.assign(sizes.size() + 1, 0);
    for (std::size_t b = 0; b < sizes.size(); ++b) bucket_offset_[b + 1] = bucket_offset_[b] + sizes[b];
    return bucket_of;
}

std::vector<std::uint32_t> SubsetIndex::telling_positions(const Corpus& corpus) const {
    std::vector<std::uint64_t> slot(corpus.production_count() + 1, 0);
    for (const Key& key : keys_) slot[key.parent + 1] = std::max<std::uint64_t>(slot[key.parent + 1], key.position + 1);
    for (std::size_t p = 0; p < corpus.production_count(); ++p) slot[p + 1] += slot[p];
    std::vector<double> pairs(slot.back(), 0.0);
    for (std::size_t b = 0; b < keys_.size(); ++b) {
        const auto size = static_cast<double>(bucket_offset_[b + 1] - bucket_offset_[b]);
        pairs[slot[keys_[b].parent] + keys_[b].position] += size * size;
    }
    std::vector<std::uint32_t> best(corpus.production_count(), kNone);
    for (std::size_t p = 0; p < best.size(); ++p) {
        const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(slot[p]);
        const auto last = pairs.begin() + static_cast<std::ptrdiff_t>(slot[p + 1]);
        if (first != last) best[p] = static_cast<std::uint32_t>(std::max_element(first, last) - first);
    }
    return best;
}

std::vector<std::uint32_t> SubsetIndex::rank_members(const Corpus& corpus, Node end,
                                                     const std::vector<std::uint32_t>& bucket_of) {
    groups_ =
        group(end, corpus.production_count(), [&](std::size_t v) { return corpus.production(static_cast<Node>(v)); });
    const std::vector<std::uint32_t> position = telling_positions(corpus);
    std::vector<std::uint32_t> rank(end, kNone);
    for (std::size_t p = 0; p < corpus.production_count(); ++p) {
        const auto begin = groups_.items.begin() + static_cast<std::ptrdiff_t>(groups_.offset[p]);
        const auto last = groups_.items.begin() + static_cast<std::ptrdiff_t>(groups_.offset[p + 1]);
        if (last - begin > 1 && position[p] != kNone)
            std::stable_sort(begin, last, [&](Node a, Node b) {
                return bucket_of[corpus.first_edge(a) + position[p]] < bucket_of[corpus.first_edge(b) + position[p]];
            });
        for (auto member = begin; member != last; ++member) rank[*member] = static_cast<std::uint32_t>(member - begin);
    }
    return rank;
}

void SubsetIndex::fill_buckets(const Corpus& corpus, const std::vector<std::uint32_t>& bucket_of,
                               const std::vector<std::uint32_t>& rank) {
    entries_.resize(bucket_offset_.back());
    std::vector<std::uint64_t> next(bucket_offset_.begin(), bucket_offset_.end() - 1);
    std::vector<std::uint32_t> place(corpus.node_count());
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        const auto nodes = corpus.nodes(tree);
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            place[nodes[i]] = i;
            const auto children = corpus.children(nodes[i]);
            for (std::size_t c = 0; c < children.size(); ++c) {
                const std::uint32_t b = bucket_of[corpus.first_edge(nodes[i]) + c];
                if (b == kNone) continue;
                joins_.push_back({i, place[children[c]], b, static_cast<std::uint32_t>(next[b] - bucket_offset_[b])});
            }
        }
        join_offset_.push_back(joins_.size());
        if (tree >= columns_) continue;
        for (Node v = corpus.limit(tree); v < corpus.limit(tree + 1); ++v) {
            const auto children = corpus.children(v);
            for (std::size_t c = 0; c < children.size(); ++c) {
                const std::uint32_t b = bucket_of[corpus.first_edge(v) + c];
                if (b != kNone) entries_[next[b]++] = {rank[v], rank[children[c]]};
            }
        }
    }
}

void SubsetIndex::sort_by_child(const Corpus& corpus, Node end, const std::vector<std::uint32_t>& bucket_of) {
    std::vector<bool> done(bucket_count());
    for (Node v = 0; v < end; ++v) {
        if (corpus.children(v).size() != 1) continue;
        const std::uint32_t b = bucket_of[corpus.first_edge(v)];
        if (b == kNone || done[b]) continue;
        done[b] = true;
        std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b]),
                  entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b + 1]),
                  [](const Entry& x, const Entry& y) { return x.child_rank < y.child_rank; });
    }
}

}  // namespace treekernels
