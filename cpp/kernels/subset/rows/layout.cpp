#include "kernels/subset/rows/layout.hpp"

#include <algorithm>
#include <tuple>

#include "core/corpus.hpp"

namespace treekernels {

template <class Source>
void SubsetLayout::assign(const Source& source, std::span<const Node> nodes,
                          const std::function<double(Production)>& decay_of, const Task& task) {
    clear();
    count(source, nodes, decay_of, task);
    choose_runs();
    rank_members(source, nodes);
}
template void SubsetLayout::assign(const Dag&, std::span<const Node>, const std::function<double(Production)>&,
                                   const Task&);
template void SubsetLayout::assign(const Corpus&, std::span<const Node>, const std::function<double(Production)>&,
                                   const Task&);

// Costs what was there, not what the DAG has.
void SubsetLayout::clear() {
    for (Production p : productions_) group_of_[p] = kNone;
    productions_.clear();
    groups_.clear();
    buckets_.clear();
    by_edge_.clear();
    edges_.clear();
    edge_begin_.clear();
    positions_.assign(1, 0);
}

// How large groups and buckets are, and which bucket each child is in.
template <class Source>
void SubsetLayout::count(const Source& source, std::span<const Node> nodes,
                         const std::function<double(Production)>& decay_of, const Task& task) {
    if (group_of_.size() < source.production_count()) group_of_.resize(source.production_count(), kNone);
    for (Node node : nodes) {
        edge_begin_.push_back(edges_.size());
        if (node >= rank_of_.size()) rank_of_.resize(node + std::size_t{1});
        const Production p = source.production(node);
        if (p == kNone) continue;
        task.check();
        const auto children = source.children(node);
        if (group_of_[p] == kNone) {
            group_of_[p] = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back({p, 0, 0, decay_of(p)});
            productions_.push_back(p);
            positions_.push_back(positions_.back() + children.size());
        }
        const std::uint32_t g = group_of_[p];
        ++groups_[g].size;
        for (std::uint32_t c = 0; c < children.size(); ++c) {
            const Production q = source.production(children[c]);
            if (q == kNone) continue;
            std::uint32_t b = find_bucket(g, c, q);
            if (b == kNone) {
                b = static_cast<std::uint32_t>(buckets_.size());
                const SubsetEdge edge{g, c, q};
                buckets_.push_back({edge, 0, false, 0, decay_of(q)});
                by_edge_.insert(edge.hash(), b);
            }
            ++buckets_[b].size;
            edges_.push_back(b);
        }
    }
    edge_begin_.push_back(edges_.size());
}

// The position leads where the buckets are largest: there a run saves most.
void SubsetLayout::choose_runs() {
    std::vector<double> squares(positions_.back(), 0.0);
    for (const Bucket& bucket : buckets_) {
        const double size = bucket.size;
        squares[positions_[bucket.edge.group] + bucket.edge.position] += size * size;
    }
    std::vector<std::uint64_t> leading(groups_.size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g)
        leading[g] = static_cast<std::uint64_t>(
            std::max_element(squares.begin() + static_cast<std::ptrdiff_t>(positions_[g]),
                             squares.begin() + static_cast<std::ptrdiff_t>(positions_[g + 1])) -
            squares.begin());
    for (Bucket& bucket : buckets_)
        bucket.is_run = positions_[bucket.edge.group] + bucket.edge.position == leading[bucket.edge.group];
}

// Children come before parents, so that their ranks are known when entries are made of them.
template <class Source>
void SubsetLayout::rank_members(const Source& source, std::span<const Node> nodes) {
    next_rank_.assign(groups_.size() + buckets_.size(), 0);
    next_entry_.resize(buckets_.size());
    std::uint32_t* next_of_group = next_rank_.data();
    std::uint32_t* next_of_run = next_of_group + groups_.size();
    std::uint32_t members = 0;
    for (SubsetGroup& group : groups_) {
        group.begin = members;
        members += group.size;
    }
    member_count_ = members;
    std::uint64_t entries = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
        Bucket& bucket = buckets_[b];
        bucket.begin = next_entry_[b] = entries;
        entries += bucket.size;
        if (!bucket.is_run) continue;
        next_of_run[b] = next_of_group[bucket.edge.group];
        next_of_group[bucket.edge.group] += bucket.size;
    }
    ranks_.resize(entries);
    child_ranks_.resize(entries);
    for (std::size_t number = 0; number < nodes.size(); ++number) {
        const Node node = nodes[number];
        const Production p = source.production(node);
        if (p == kNone) continue;
        const auto buckets = buckets_of(number);
        std::uint32_t* next = &next_of_group[group_of_[p]];
        for (std::uint32_t b : buckets)
            if (buckets_[b].is_run) next = &next_of_run[b];
        const std::uint32_t rank = rank_of_[node] = (*next)++;
        auto bucket = buckets.begin();
        for (Node child : source.children(node)) {
            if (source.is_leaf(child)) continue;
            const std::uint64_t entry = next_entry_[*bucket++]++;
            ranks_[entry] = rank;
            child_ranks_[entry] = rank_of_[child];
        }
    }
}

void SubsetLayout::sort_by_child(std::uint32_t b) {
    Bucket& bucket = buckets_[b];
    bucket.is_run = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
    for (std::uint64_t at = bucket.begin; at < bucket.begin + bucket.size; ++at)
        entries.emplace_back(child_ranks_[at], ranks_[at]);
    std::ranges::sort(entries);
    for (std::size_t i = 0; i < entries.size(); ++i)
        std::tie(child_ranks_[bucket.begin + i], ranks_[bucket.begin + i]) = entries[i];
}

}  // namespace treekernels
