// Where the partial-tree kernel finds the column subtrees that match a subtree in label and in at least one child.
//
// Subtrees are ordered by label class, then by number. A shape is a production, or the label of a leaf: what matches is
// the same for all subtrees of a shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "core/memory/number_index.hpp"
#include "gram/labels/label_similarity.hpp"

namespace treekernels {

using Shape = std::uint32_t;

// The shapes of all subtrees of a corpus. A production is one by the number that it has.
class PartialShapes {
public:
    // Labels may be known by other numbers, kNone for one that matches nothing: then these are given, by label.
    explicit PartialShapes(const Corpus& corpus, std::vector<Label> numbers = {});

    Shape shape(Node node) const {
        return corpus_.is_leaf(node) ? static_cast<Shape>(corpus_.production_count()) + corpus_.label(node)
                                     : corpus_.production(node);
    }
    Label label_of(Node node) const { return number(corpus_.label(node)); }
    Label label(Shape shape) const { return shape_label_[shape]; }
    std::span<const Label> child_labels(Shape shape) const {
        return {child_label_.data() + child_label_offset_[shape], child_label_.data() + child_label_offset_[shape + 1]};
    }
    std::size_t size() const { return shape_label_.size(); }

    // The children of all shapes, one shape after the other.
    std::span<const Label> all_child_labels() const { return child_label_; }
    std::uint64_t first_child(Shape shape) const { return child_label_offset_[shape]; }

private:
    Label number(Label label) const { return numbers_.empty() ? label : numbers_[label]; }

    const Corpus& corpus_;
    std::vector<Label> numbers_;
    std::vector<Label> shape_label_;
    std::vector<std::uint64_t> child_label_offset_;
    std::vector<Label> child_label_;
};

class PartialIndex {
public:
    PartialIndex(const Corpus& corpus, std::size_t columns, const LabelSimilarity& similarity, const Task& task);

    const Corpus& corpus() const { return corpus_; }
    // Of the whole corpus.
    const PartialShapes& shapes() const { return shapes_; }

    // The columns' shapes of a class, and their subtrees, ascending.
    std::span<const Shape> shapes_of_class(std::uint32_t label_class) const { return class_shapes_[label_class]; }
    std::span<const Node> members(Shape shape) const { return shape_nodes_[shape]; }

    // A child of one of the columns' shapes.
    struct ShapeChild {
        Shape shape;
        std::uint32_t position;
    };
    // Those with a label below a label of a class, by shape and position.
    std::span<const ShapeChild> children_with(std::uint32_t label_class, Label child) const;
    // How many subtrees have such children, each counted once for each of them.
    std::size_t parents_with(std::uint32_t label_class, Label child) const;

    // Ranks number the subtrees of a class, ascending; places number all subtrees, class by class.
    std::size_t class_size(std::uint32_t label_class) const { return class_nodes_[label_class].size(); }
    std::uint32_t first_place(std::uint32_t label_class) const {
        return static_cast<std::uint32_t>(class_nodes_.offset[label_class]);
    }
    std::uint32_t rank(Node node) const { return rank_[node]; }
    // How many subtrees of a class have smaller numbers than `end`.
    std::uint32_t ranks_below(std::uint32_t label_class, Node end) const {
        const auto nodes = class_nodes_[label_class];
        return static_cast<std::uint32_t>(std::ranges::lower_bound(nodes, end) - nodes.begin());
    }
    // The ranks of the members of a shape, and of child `position` of all members.
    const std::uint32_t* ranks(Shape shape) const { return shape_rank_.data() + shape_nodes_.offset[shape]; }
    const std::uint32_t* child_ranks(Shape shape, std::size_t position) const {
        return child_rank_.data() + child_rank_offset_[shape] + position * members(shape).size();
    }
    // The indexed subtrees by place: place p has node `nodes()[p]`.
    const std::vector<Node>& nodes() const { return class_nodes_.items; }
    // And the other way round.
    std::vector<std::uint32_t> places() const {
        std::vector<std::uint32_t> result(nodes().size());
        for (std::size_t p = 0; p < result.size(); ++p) result[nodes()[p]] = static_cast<std::uint32_t>(p);
        return result;
    }

private:
    struct ChildKey {
        std::uint32_t label_class;
        Label child;
        bool operator==(const ChildKey&) const = default;
    };
    std::uint32_t find_key(std::uint32_t label_class, Label child) const;
    void list_children(const LabelSimilarity& similarity);

    const Corpus& corpus_;
    PartialShapes shapes_;
    Grouping shape_nodes_;
    Grouping class_shapes_;
    Grouping class_nodes_;
    std::vector<std::uint32_t> rank_;        // by node
    std::vector<std::uint32_t> shape_rank_;  // by shape, as its members
    std::vector<std::uint64_t> child_rank_offset_;
    std::vector<std::uint32_t> child_rank_;

    std::vector<ChildKey> child_keys_;
    NumberIndex child_key_index_;
    std::vector<std::uint64_t> key_offset_;
    std::vector<ShapeChild> key_children_;
    std::vector<std::size_t> key_parents_;
};

}  // namespace treekernels
