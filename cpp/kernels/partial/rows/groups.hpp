// The column subtrees that match a production, by how they do: those whose children match in the same way, whatever
// their shapes are, can be compared with a subtree all at once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/partial/index.hpp"
#include "kernels/partial/matches.hpp"

namespace treekernels {

struct MatchGroup {
    double similarity;       // of the parents' labels
    std::size_t first_cell;  // of the group's, whose columns may be shifted
    std::size_t cell_count;  // with too many, a group is a shape, and has none
    Shape shape;             // of one of the subtrees
    std::size_t first, size;
    std::size_t first_child;
};

struct ProductionGroups {
    std::vector<MatchGroup> groups;
    std::vector<ChildCell> cells;
    std::vector<std::uint32_t> ranks;        // of the subtrees, ascending in each group if they are sorted
    std::vector<std::uint32_t> child_ranks;  // by group, cell and subtree

    std::span<const ChildCell> cells_of(const MatchGroup& group) const {
        return {cells.data() + group.first_cell, group.cell_count};
    }
    const std::uint32_t* ranks_of(const MatchGroup& group) const { return ranks.data() + group.first; }
    // Of the columns' children in a cell.
    const std::uint32_t* child_ranks_of(const MatchGroup& group, std::size_t cell) const {
        return child_ranks.data() + group.first_child + cell * group.size;
    }
};

// Finds the groups of a production, and keeps some.
class GroupFinder {
public:
    // Of productions that are among the shapes of the rows. `uses` says how often each will be asked for.
    GroupFinder(const PartialShapes& rows, const PartialIndex& index, const LabelSimilarity& similarity,
                std::span<const std::uint32_t> uses)
        : index_(index), uses_(uses), finder_(rows, index, similarity) {}

    // Valid until the next call. Sorted by rank if there are more than those with numbers below `end`.
    const ProductionGroups& operator()(Production production, Node end);

private:
    static constexpr std::size_t kBudget = std::size_t{96} << 20;
    static constexpr std::uint32_t kWorthKeeping = 4;  // uses

    void find(Production production, Node end, ProductionGroups& result);
    void fill(Node end, ProductionGroups& result) const;
    void sort(ProductionGroups& result);

    const PartialIndex& index_;
    const std::span<const std::uint32_t> uses_;
    MatchFinder finder_;
    ProductionMatches matches_;
    std::vector<std::uint32_t> group_of_;  // by match
    std::unordered_map<Production, ProductionGroups> kept_;
    std::size_t kept_bytes_ = 0;
    ProductionGroups latest_;
    std::vector<std::uint64_t> order_, spare_;
    std::vector<std::uint32_t> sorted_;
};

}  // namespace treekernels
