#include "search/segments/segment.hpp"

#include <algorithm>
#include <cmath>

namespace treekernels {

Segment::Segment(const SegmentArrays& arrays, std::shared_ptr<const void> owner)
    : arrays_(arrays), owner_(std::move(owner)) {
    for (Label label = 0; label < label_count(); ++label) label_index_.insert(text_hash(label_text(label)), label);
    for (Production production = 0; production < production_count(); ++production)
        production_index_.insert(hash(production_labels(production)), production);
    for (std::uint32_t number = 0; number < edge_count(); ++number) edge_index_.insert(hash(edge(number)), number);
    for (double norm : arrays.column_norms)
        if (std::isfinite(norm)) largest_norm_ = std::max(largest_norm_, norm);
}

std::uint64_t Segment::hash(std::span<const Label> labels) {
    std::uint64_t hash = hash_secret();
    for (Label label : labels) hash = mix(hash, label);
    return hash;
}

Label Segment::find_label(std::string_view text) const {
    return label_index_.find(text_hash(text), [&](Label label) { return label_text(label) == text; });
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
            there[node] = dag.intern_node(label(segment.label(node)), children);
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
