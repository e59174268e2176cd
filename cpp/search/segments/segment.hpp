// Trees of an index that do not change any more, and where each kind of node occurs in them.
//
// A segment is nothing but arrays. They may be those of a file that is mapped into memory, of which check_arrays() has
// looked at every number before a segment was made of it: a damaged file gives an error, and nothing else.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// The production of a node or, numbered after all productions, the label of a leaf.
using NodeKind = std::uint32_t;
// What fragments are told apart by; see query_tree.hpp. A kind or, numbered after all kinds, an edge.
using Feature = std::uint32_t;
// A production, a position, and the production of the child there.
struct ProductionEdge {
    Production parent;
    std::uint32_t position;
    Production child;
    friend auto operator<=>(const ProductionEdge&, const ProductionEdge&) = default;
};
// The number of a tree in order of insertion.
using Item = std::uint32_t;

struct SegmentArrays {
    std::span<const std::uint8_t> label_text;
    std::span<const std::uint64_t> label_offsets;
    // The labels of each production: first its own, then those of the children.
    std::span<const std::uint64_t> production_offsets;
    std::span<const Label> production_labels;
    std::span<const std::uint32_t> edges;  // three numbers each
    // The distinct subtrees: first the leaves, then those that have only leaves below them, then all others, children
    // before parents. The ranges say where the first and the second end.
    std::span<const std::uint32_t> ranges;
    std::span<const NodeKind> node_kinds;
    std::span<const std::uint32_t> child_offsets;
    std::span<const Node> children;
    // Columns are the distinct trees. The norm of one that is too large to be compared here is infinite.
    std::span<const Node> column_roots;
    std::span<const double> column_norms;
    std::span<const std::uint32_t> large_columns;
    std::span<const std::uint32_t> item_offsets;
    std::span<const Item> items;
    // By feature: the columns that have it, ascending, and the length of their part in it; see tree_bounds.hpp.
    std::span<const std::uint64_t> posting_offsets;
    std::span<const std::uint32_t> posting_columns;
    std::span<const float> posting_weights;
};

class Segment {
public:
    struct Postings {
        std::span<const std::uint32_t> columns;
        std::span<const float> weights;
    };

    // The owner keeps the arrays alive. They fit each other: the builder made them, or check_arrays() looked at them.
    Segment(const SegmentArrays& arrays, std::shared_ptr<const void> owner);
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    const SegmentArrays& arrays() const { return arrays_; }
    std::size_t label_count() const { return arrays_.label_offsets.size() - 1; }
    std::size_t production_count() const { return arrays_.production_offsets.size() - 1; }
    std::size_t kind_count() const { return production_count() + label_count(); }
    std::size_t edge_count() const { return arrays_.edges.size() / 3; }
    std::size_t feature_count() const { return kind_count() + edge_count(); }
    // Nodes below this are leaves, and those below that have only leaves as children.
    Node leaf_end() const { return arrays_.ranges[0]; }
    Node flat_end() const { return arrays_.ranges[1]; }
    std::size_t node_count() const { return arrays_.node_kinds.size(); }
    std::size_t column_count() const { return arrays_.column_roots.size(); }
    std::size_t item_count() const { return arrays_.items.size(); }

    std::string_view label_text(Label label) const {
        const auto& offsets = arrays_.label_offsets;
        return {reinterpret_cast<const char*>(arrays_.label_text.data()) + offsets[label],
                offsets[label + 1] - offsets[label]};
    }
    std::span<const Label> production_labels(Production production) const {
        const auto& offsets = arrays_.production_offsets;
        return arrays_.production_labels.subspan(offsets[production], offsets[production + 1] - offsets[production]);
    }
    // kNone for what does not occur here; a label may be kNone too.
    Label find_label(std::string_view text) const;
    Production find_production(std::span<const Label> labels) const;
    // The feature of an edge, or kNone.
    Feature find_edge(const ProductionEdge& edge) const;

    NodeKind kind(Node node) const { return arrays_.node_kinds[node]; }
    bool is_leaf_kind(NodeKind kind) const { return kind >= production_count(); }
    bool is_leaf(Node node) const { return is_leaf_kind(kind(node)); }
    Label label(Node node) const {
        const NodeKind kind = this->kind(node);
        return is_leaf_kind(kind) ? static_cast<Label>(kind - production_count()) : production_labels(kind).front();
    }
    // All smaller than the node: walks downwards end.
    std::span<const Node> children(Node node) const {
        const std::uint32_t begin = arrays_.child_offsets[node];
        return arrays_.children.subspan(begin, arrays_.child_offsets[node + 1] - begin);
    }
    Node root(std::size_t column) const { return arrays_.column_roots[column]; }
    // K(x, x); 0 for a tree without fragments, or one that is not there.
    double norm(std::size_t column) const { return arrays_.column_norms[column]; }
    std::span<const Item> items(std::size_t column) const {
        const std::uint32_t begin = arrays_.item_offsets[column];
        return arrays_.items.subspan(begin, arrays_.item_offsets[column + 1] - begin);
    }
    Postings postings(Feature feature) const {
        const auto begin = arrays_.posting_offsets[feature], count = arrays_.posting_offsets[feature + 1] - begin;
        return {arrays_.posting_columns.subspan(begin, count), arrays_.posting_weights.subspan(begin, count)};
    }
    // The largest that is finite.
    double largest_norm() const { return largest_norm_; }
    std::size_t bytes() const;

    static void require(bool sound) {
        if (!sound) [[unlikely]]
            throw std::invalid_argument("the index is damaged: its parts do not fit each other");
    }

private:
    static std::uint64_t hash(std::span<const Label> labels);
    static std::uint64_t hash(const ProductionEdge& edge) {
        return mix(mix(mix(hash_secret(), edge.parent), edge.position), edge.child);
    }
    ProductionEdge edge(std::size_t number) const {
        return {arrays_.edges[3 * number], arrays_.edges[3 * number + 1], arrays_.edges[3 * number + 2]};
    }

    SegmentArrays arrays_;
    std::shared_ptr<const void> owner_;
    NumberIndex label_index_;
    NumberIndex production_index_;
    NumberIndex edge_index_;
    double largest_norm_ = 0.0;
};

// Throws std::invalid_argument for arrays of a file that do not fit each other, or whose items are not among those that
// an index has. `met` has 1 for each item that is there so far.
void check_arrays(const SegmentArrays& arrays, std::span<std::uint8_t> met, const Task& task);

// Copies trees of a segment into a DAG, and says where each column went. An empty list stands for all columns.
std::vector<Node> copy_columns(const Segment& segment, std::span<const std::uint32_t> columns, Dag& dag,
                               const Task& task);

}  // namespace treekernels
