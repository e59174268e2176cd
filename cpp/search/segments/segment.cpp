#include "search/segments/segment.hpp"

#include <algorithm>
#include <cmath>

namespace treekernels {

namespace {

template <class Offset>
bool cuts(std::span<const Offset> offsets, std::size_t count, std::size_t size) {
    return offsets.size() == count + 1 && offsets.front() == 0 && offsets.back() == size;
}

}  // namespace

Segment::Segment(const SegmentArrays& arrays, std::shared_ptr<const void> owner)
    : arrays_(arrays), owner_(std::move(owner)) {
    require(!arrays.label_offsets.empty() && !arrays.production_offsets.empty());
    require(cuts(arrays.label_offsets, label_count(), arrays.label_text.size()));
    require(cuts(arrays.production_offsets, production_count(), arrays.production_labels.size()));
    require(cuts(arrays.child_offsets, node_count(), arrays.children.size()));
    require(cuts(arrays.item_offsets, column_count(), arrays.items.size()));
    require(arrays.column_norms.size() == column_count());
    require(arrays.posting_columns.size() == arrays.posting_weights.size());
    require(arrays.edges.size() % 3 == 0 && arrays.ranges.size() == 2);
    require(leaf_end() <= flat_end() && flat_end() <= node_count());
    require(cuts(arrays.posting_offsets, feature_count(), arrays.posting_columns.size()));
    require(std::ranges::is_sorted(arrays.label_offsets) && std::ranges::is_sorted(arrays.production_offsets) &&
            std::ranges::is_sorted(arrays.posting_offsets));
    for (std::uint32_t column : arrays.large_columns) require(column < column_count());
    for (Label label = 0; label < label_count(); ++label)
        label_index_.insert(std::hash<std::string_view>{}(label_text(label)), label);
    for (Production production = 0; production < production_count(); ++production) {
        const auto labels = production_labels(production);
        require(labels.size() > 1);
        for (Label label : labels) require(label < label_count());
        production_index_.insert(hash(labels), production);
    }
    for (std::uint32_t number = 0; number < edge_count(); ++number) edge_index_.insert(hash(edge(number)), number);
    for (double norm : arrays.column_norms)
        if (std::isfinite(norm)) largest_norm_ = std::max(largest_norm_, norm);
}

std::uint64_t Segment::hash(std::span<const Label> labels) {
    std::uint64_t hash = 0x452821E638D01377ULL;
    for (Label label : labels) hash = mix(hash, label);
    return hash;
}

Label Segment::find_label(std::string_view text) const {
    return label_index_.find(std::hash<std::string_view>{}(text),
                             [&](Label label) { return label_text(label) == text; });
}

Production Segment::find_production(std::span<const Label> labels) const {
    return production_index_.find(
        hash(labels), [&](Production production) { return std::ranges::equal(production_labels(production), labels); });
}

Feature Segment::find_edge(const ProductionEdge& wanted) const {
    const std::uint32_t number =
        edge_index_.find(hash(wanted), [&](std::uint32_t found) { return edge(found) == wanted; });
    return number == kNone ? kNone : static_cast<Feature>(kind_count() + number);
}

std::size_t Segment::bytes() const {
    const SegmentArrays& a = arrays_;
    return a.label_text.size_bytes() + a.label_offsets.size_bytes() + a.production_offsets.size_bytes() +
           a.production_labels.size_bytes() + a.edges.size_bytes() + a.node_kinds.size_bytes() +
           a.child_offsets.size_bytes() + a.children.size_bytes() + a.column_roots.size_bytes() +
           a.column_norms.size_bytes() + a.large_columns.size_bytes() + a.item_offsets.size_bytes() +
           a.items.size_bytes() + a.posting_offsets.size_bytes() + a.posting_columns.size_bytes() +
           a.posting_weights.size_bytes();
}

std::vector<Node> copy_columns(const Segment& segment, std::span<const std::uint32_t> columns, Dag& dag,
                               const Task& task) {
    std::vector<Node> there(segment.node_count(), kNone);
    std::vector<Label> label_there(segment.label_count(), kNone);
    std::vector<Node> open, children, roots;
    const auto label = [&](Label own) {
        if (label_there[own] == kNone) label_there[own] = dag.intern_label(segment.label_text(own));
        return label_there[own];
    };
    std::size_t copied = 0;
    const auto copy = [&](Node root) {
        open.assign(1, root);
        while (!open.empty()) {
            const Node node = open.back();
            const auto own_children = segment.children(node);
            const std::size_t depth = open.size();
            for (Node child : own_children)
                if (there[child] == kNone) open.push_back(child);
            if (open.size() > depth) continue;
            open.pop_back();
            if (there[node] != kNone) continue;
            if (copied++ % 4096 == 0) task.check();
            children.clear();
            for (Node child : own_children) children.push_back(there[child]);
            const NodeKind kind = segment.kind(node);
            const bool leaf = segment.is_leaf_kind(kind);
            Segment::require(leaf == children.empty());
            const auto own_label =
                leaf ? static_cast<Label>(kind - segment.production_count()) : segment.production_labels(kind).front();
            there[node] = dag.intern_node(label(own_label), children);
        }
        return there[root];
    };
    const std::size_t count = columns.empty() ? segment.column_count() : columns.size();
    roots.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Node root = segment.root(columns.empty() ? i : columns[i]);
        roots.push_back(there[root] != kNone ? there[root] : copy(root));
    }
    return roots;
}

}  // namespace treekernels
