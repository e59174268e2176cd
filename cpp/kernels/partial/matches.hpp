// Which children of one production match which of another: the same for all subtrees that have them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gram/labels/label_similarity.hpp"
#include "kernels/partial/index.hpp"

namespace treekernels {

// A pair of children, one of each side, whose labels match.
struct ChildCell {
    std::uint32_t row, column;
    double similarity;
};

// A production and a shape of the columns, with some matching children.
struct ShapeMatch {
    Shape shape;
    double similarity;  // of the parents' labels
    std::size_t first_cell;
    std::size_t cell_count;
};
struct ProductionMatches {
    std::vector<ShapeMatch> matches;
    std::vector<ChildCell> cells;  // by row, then by column
};

// With more cells than this a table of all child pairs is cheaper than looking at all pairs of cells.
inline constexpr std::size_t kMostCells = 24;

// Finds them for a production when first asked for, and keeps some.
class MatchFinder {
public:
    // Of productions that are among the shapes of the rows.
    MatchFinder(const PartialShapes& rows, const PartialIndex& index, const LabelSimilarity& similarity)
        : rows_(rows), index_(index), similarity_(similarity) {}
    // Valid until the next call. A match with too many cells has their number only.
    const ProductionMatches& operator()(Production production);

private:
    static constexpr std::size_t kMatchBudget = std::size_t{64} << 20;

    void find_matches(Production production, ProductionMatches& result) const;
    void add_cells(Production production, ShapeMatch& match, std::vector<ChildCell>& cells) const;

    const PartialShapes& rows_;
    const PartialIndex& index_;
    const LabelSimilarity& similarity_;
    std::unordered_map<Production, ProductionMatches> matches_;
    std::size_t match_bytes_ = 0;
};

}  // namespace treekernels
