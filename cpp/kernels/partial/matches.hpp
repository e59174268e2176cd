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
    bool operator==(const ChildCell&) const = default;
};

// A production and a shape of the columns, with some matching children.
struct ShapeMatch {
    Shape shape;
    double similarity;  // of the parents' labels
    std::size_t first_cell;
    std::size_t cell_count;
};
struct ProductionMatches {
    std::vector<ShapeMatch> matches;  // by shape
    std::vector<ChildCell> cells;     // by row, then by column

    std::span<const ChildCell> cells_of(const ShapeMatch& match) const {
        return {cells.data() + match.first_cell, match.cell_count};
    }
};

// With more cells than this a table of all child pairs is cheaper than looking at all pairs of cells.
inline constexpr std::size_t kMostCells = 24;

class MatchFinder {
public:
    // Of productions that are among the shapes of the rows.
    MatchFinder(const PartialShapes& rows, const PartialIndex& index, const LabelSimilarity& similarity)
        : rows_(rows), index_(index), similarity_(similarity), count_(index.shapes().size(), 0) {}

    // Those with shapes that have subtrees below the end. A match with too many cells has their number only.
    void find(Production production, Node end, ProductionMatches& result);
    // The same with all shapes, found when first asked for. Some are kept; valid until the next call.
    const ProductionMatches& operator()(Production production);

private:
    static constexpr std::size_t kMatchBudget = std::size_t{64} << 20;

    // A child of the production, and a label that matches its own.
    struct RowChild {
        Label label;
        std::uint32_t row;
        double similarity;
    };
    // Calls found(row children, children of shapes) for each label that matches some.
    template <class Found>
    void visit_labels(std::uint32_t label_class, Found found) const;

    const PartialShapes& rows_;
    const PartialIndex& index_;
    const LabelSimilarity& similarity_;
    std::vector<std::size_t> count_;  // of cells by shape; 0 between calls
    std::vector<RowChild> row_children_;
    std::vector<Shape> touched_;
    std::unordered_map<Production, ProductionMatches> matches_;
    std::size_t match_bytes_ = 0;
};

}  // namespace treekernels
