#include "kernels/partial/matches.hpp"

#include <algorithm>

namespace treekernels {

const ProductionMatches& MatchFinder::operator()(Production production) {
    if (const auto found = matches_.find(production); found != matches_.end()) return found->second;
    if (match_bytes_ > kMatchBudget) {
        matches_.clear();
        match_bytes_ = 0;
    }
    ProductionMatches& result = matches_[production];
    find_matches(production, result);
    match_bytes_ += 64 + result.matches.size() * sizeof(ShapeMatch) + result.cells.size() * sizeof(ChildCell);
    return result;
}

void MatchFinder::find_matches(Production production, ProductionMatches& result) const {
    const Label label = rows_.label(production);
    if (label == kNone) return;
    const std::uint32_t label_class = similarity_.class_of(label);
    std::vector<Label> labels;
    for (Label child : rows_.child_labels(production))
        if (child != kNone) similarity_.visit(child, [&](Label other, double) { labels.push_back(other); });
    std::ranges::sort(labels);
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    std::vector<Shape> shapes;
    for (Label child : labels) {
        const auto found = index_.shapes_with_child(label_class, child);
        shapes.insert(shapes.end(), found.begin(), found.end());
    }
    std::ranges::sort(shapes);
    shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
    for (Shape shape : shapes) {
        const double similarity = similarity_(label, index_.shapes().label(shape));
        if (similarity == 0.0) continue;
        ShapeMatch match{shape, similarity, result.cells.size(), 0};
        add_cells(production, match, result.cells);
        if (match.cell_count > 0) result.matches.push_back(match);
    }
    result.matches.shrink_to_fit();
    result.cells.shrink_to_fit();
}

// Leaves out the cells, but not their number, where there are too many of them.
void MatchFinder::add_cells(Production production, ShapeMatch& match, std::vector<ChildCell>& cells) const {
    const auto rows = rows_.child_labels(production);
    const auto columns = index_.shapes().child_labels(match.shape);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == kNone) continue;
        for (std::uint32_t j = 0; j < columns.size(); ++j) {
            const double similarity = similarity_(rows[i], columns[j]);
            if (similarity == 0.0) continue;
            if (++match.cell_count > kMostCells) {
                cells.resize(match.first_cell);
                return;
            }
            cells.push_back({i, j, similarity});
        }
    }
}

}  // namespace treekernels
