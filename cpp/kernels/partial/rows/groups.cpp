#include "kernels/partial/rows/groups.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace treekernels {

namespace {

// Sorts by the upper halves of numbers, digit by digit.
void sort_by_rank(std::vector<std::uint64_t>& values, std::vector<std::uint64_t>& spare) {
    constexpr unsigned kBits = 11;
    constexpr std::size_t kFew = 256;
    if (values.size() <= kFew) {
        std::ranges::sort(values);
        return;
    }
    const std::uint64_t largest = std::ranges::max(values) >> 32;
    spare.resize(values.size());
    std::vector<std::size_t> next(std::size_t{1} << kBits);
    for (unsigned shift = 0; largest >> shift != 0; shift += kBits) {
        const auto digit = [&](std::uint64_t value) { return value >> (32 + shift) & (next.size() - 1); };
        std::ranges::fill(next, 0);
        for (std::uint64_t value : values) ++next[digit(value)];
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        for (std::uint64_t value : values) spare[next[digit(value)]++] = value;
        values.swap(spare);
    }
}

}  // namespace

const ProductionGroups& GroupFinder::operator()(Production production, Node end) {
    if (uses_[production] < kWorthKeeping) {
        find(production, end, latest_);
        return latest_;
    }
    if (const auto known = kept_.find(production); known != kept_.end()) return known->second;
    if (kept_bytes_ > kBudget) {
        kept_.clear();
        kept_bytes_ = 0;
    }
    ProductionGroups result;  // without the spare room that the latest ones have
    find(production, static_cast<Node>(index_.nodes().size()), result);
    sort(result);
    kept_bytes_ += 128 + result.groups.capacity() * sizeof(MatchGroup) + result.cells.capacity() * sizeof(ChildCell) +
                   (result.ranks.size() + result.child_ranks.size()) * sizeof(std::uint32_t);
    return kept_[production] = std::move(result);
}

void GroupFinder::find(Production production, Node end, ProductionGroups& result) {
    finder_.find(production, end, matches_);
    result.groups.clear();
    result.cells.clear();
    group_of_.clear();
    NumberIndex known;
    std::vector<ChildCell> shifted;
    for (const ShapeMatch& match : matches_.matches) {
        if (match.cell_count > kMostCells) {
            group_of_.push_back(static_cast<std::uint32_t>(result.groups.size()));
            result.groups.push_back({match.similarity, 0, match.cell_count, match.shape, 0, 0, 0});
            continue;
        }
        // Only how far columns are from each other matters.
        const auto cells = matches_.cells_of(match);
        shifted.assign(cells.begin(), cells.end());
        const std::uint32_t least = std::ranges::min(cells, {}, &ChildCell::column).column;
        std::uint64_t hash = mix(0, std::bit_cast<std::uint64_t>(match.similarity));
        for (ChildCell& cell : shifted) {
            cell.column -= least;
            hash = mix(mix(hash, std::uint64_t{cell.row} << 32 | cell.column),
                       std::bit_cast<std::uint64_t>(cell.similarity));
        }
        std::uint32_t group = known.find(hash, [&](std::uint32_t number) {
            const MatchGroup& other = result.groups[number];
            return other.similarity == match.similarity && std::ranges::equal(result.cells_of(other), shifted);
        });
        if (group == kNone) {
            group = static_cast<std::uint32_t>(result.groups.size());
            known.insert(hash, group);
            result.groups.push_back({match.similarity, result.cells.size(), shifted.size(), match.shape, 0, 0, 0});
            result.cells.insert(result.cells.end(), shifted.begin(), shifted.end());
        }
        group_of_.push_back(group);
    }
    fill(end, result);
}

// Puts the subtrees of the matches into their groups.
void GroupFinder::fill(Node end, ProductionGroups& result) const {
    const auto below = [&](Shape shape) {
        const auto members = index_.members(shape);
        if (members.back() < end) return members.size();
        return static_cast<std::size_t>(std::ranges::lower_bound(members, end) - members.begin());
    };
    for (std::size_t i = 0; i < group_of_.size(); ++i)
        result.groups[group_of_[i]].size += below(matches_.matches[i].shape);
    std::size_t ranks = 0, child_ranks = 0;
    for (MatchGroup& group : result.groups) {
        group.first = ranks;
        group.first_child = child_ranks;
        ranks += group.size;
        if (group.cell_count <= kMostCells) child_ranks += group.size * group.cell_count;
    }
    result.ranks.resize(ranks);
    result.child_ranks.resize(child_ranks);
    std::vector<std::size_t> next(result.groups.size(), 0);
    for (std::size_t i = 0; i < group_of_.size(); ++i) {
        const ShapeMatch& match = matches_.matches[i];
        const MatchGroup& group = result.groups[group_of_[i]];
        const std::size_t size = below(match.shape), at = next[group_of_[i]];
        std::copy_n(index_.ranks(match.shape), size, result.ranks.data() + group.first + at);
        next[group_of_[i]] += size;
        if (match.cell_count > kMostCells) continue;
        const auto cells = matches_.cells_of(match);
        for (std::size_t k = 0; k < cells.size(); ++k)
            std::copy_n(index_.child_ranks(match.shape, cells[k].column), size,
                        result.child_ranks.data() + group.first_child + k * group.size + at);
    }
}

void GroupFinder::sort(ProductionGroups& result) {
    for (const MatchGroup& group : result.groups) {
        std::uint32_t* ranks = result.ranks.data() + group.first;
        if (std::is_sorted(ranks, ranks + group.size)) continue;
        order_.resize(group.size);
        for (std::size_t i = 0; i < group.size; ++i) order_[i] = std::uint64_t{ranks[i]} << 32 | i;
        sort_by_rank(order_, spare_);
        sorted_.resize(group.size);
        const auto apply = [&](std::uint32_t* values) {
            for (std::size_t i = 0; i < group.size; ++i) sorted_[i] = values[static_cast<std::uint32_t>(order_[i])];
            std::ranges::copy(sorted_, values);
        };
        apply(ranks);
        if (group.cell_count > kMostCells) continue;
        for (std::size_t k = 0; k < group.cell_count; ++k)
            apply(result.child_ranks.data() + group.first_child + k * group.size);
    }
}

}  // namespace treekernels
