#include "kernels/partial/matches.hpp"

#include <algorithm>
#include <tuple>

namespace treekernels {

const ProductionMatches& MatchFinder::operator()(Production production) {
    if (const auto found = matches_.find(production); found != matches_.end()) return found->second;
    if (match_bytes_ > kMatchBudget) {
        matches_.clear();
        match_bytes_ = 0;
    }
    ProductionMatches& result = matches_[production];
    find(production, static_cast<Node>(index_.nodes().size()), result);
    result.matches.shrink_to_fit();
    result.cells.shrink_to_fit();
    match_bytes_ += 64 + result.matches.size() * sizeof(ShapeMatch) + result.cells.size() * sizeof(ChildCell);
    return result;
}

template <class Found>
void MatchFinder::visit_labels(std::uint32_t label_class, Found found) const {
    const std::span<const RowChild> all(row_children_);
    for (std::size_t begin = 0, after; begin < all.size(); begin = after) {
        for (after = begin; after < all.size() && all[after].label == all[begin].label;) ++after;
        found(all.subspan(begin, after - begin), index_.children_with(label_class, all[begin].label));
    }
}

void MatchFinder::find(Production production, Node end, ProductionMatches& result) {
    result.matches.clear();
    result.cells.clear();
    const Label label = rows_.label(production);
    if (label == kNone) return;
    const std::uint32_t label_class = similarity_.class_of(label);
    row_children_.clear();
    const auto labels = rows_.child_labels(production);
    for (std::uint32_t row = 0; row < labels.size(); ++row)
        if (labels[row] != kNone)
            similarity_.visit(labels[row], [&](Label other, double similarity) {
                row_children_.push_back({other, row, similarity});
            });
    std::erase_if(row_children_, [](const RowChild& child) { return child.similarity == 0.0; });
    std::ranges::sort(row_children_, {}, [](const RowChild& child) { return std::pair(child.label, child.row); });

    // Cells are counted before they are listed: a production may have a million children.
    touched_.clear();
    visit_labels(label_class, [&](auto rows, auto columns) {
        for (const auto& column : columns) {
            if (count_[column.shape] == 0) touched_.push_back(column.shape);
            count_[column.shape] += rows.size();
        }
    });
    std::ranges::sort(touched_);
    std::size_t cells = 0;
    for (Shape shape : touched_) {
        const std::size_t count = std::exchange(count_[shape], 0);
        const double similarity = similarity_(label, index_.shapes().label(shape));
        if (similarity == 0.0 || index_.members(shape).front() >= end) continue;
        result.matches.push_back({shape, similarity, cells, count});
        if (count > kMostCells) continue;
        cells += count;
        count_[shape] = cells;  // where its cells end; they are put in from there
    }
    result.cells.resize(cells);
    visit_labels(label_class, [&](auto rows, auto columns) {
        for (const auto& column : columns) {
            if (count_[column.shape] == 0) continue;
            for (const RowChild& row : rows)
                result.cells[--count_[column.shape]] = {row.row, column.position, row.similarity};
        }
    });
    for (const ShapeMatch& match : result.matches) {
        count_[match.shape] = 0;
        if (match.cell_count < 2 || match.cell_count > kMostCells) continue;
        const auto first = result.cells.begin() + static_cast<std::ptrdiff_t>(match.first_cell);
        std::sort(first, first + static_cast<std::ptrdiff_t>(match.cell_count),
                  [](const ChildCell& a, const ChildCell& b) {
                      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
                  });
    }
}

}  // namespace treekernels
