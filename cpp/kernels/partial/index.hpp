// Where the partial-tree kernel finds the column subtrees that match a subtree in label and in at least one child.
//
// Subtrees are ordered by label class, then by shape (a production, or the label of a leaf), then by number: what
// matches is the same for all subtrees of a shape, so that C can be computed for many of them in one go.
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

    // Of the whole corpus.
    const PartialShapes& shapes() const { return shapes_; }

    // The columns' shapes of a class, those that have a child of a given label among them, and their subtrees.
    std::span<const Shape> shapes_of_class(std::uint32_t label_class) const { return class_shapes_[label_class]; }
    std::span<const Shape> shapes_with_child(std::uint32_t label_class, Label child) const;
    std::span<const Node> members(Shape shape) const { return shape_nodes_[shape]; }

    // Ranks number the subtrees of a class; places number all subtrees.
    std::size_t class_size(std::uint32_t label_class) const { return class_size_[label_class]; }
    std::uint32_t first_rank(Shape shape) const { return shape_rank_[shape]; }
    std::uint32_t first_place(Shape shape) const { return static_cast<std::uint32_t>(shape_nodes_.offset[shape]); }
    // The ranks of child `position` of all members of a shape.
    const std::uint32_t* child_ranks(Shape shape, std::size_t position) const {
        return child_rank_.data() + child_rank_offset_[shape] + position * members(shape).size();
    }
    // The indexed subtrees by place: place p has node `nodes()[p]`.
    const std::vector<Node>& nodes() const { return shape_nodes_.items; }
    // And the other way round.
    std::vector<std::uint32_t> places() const {
        std::vector<std::uint32_t> result(nodes().size());
        for (std::size_t p = 0; p < result.size(); ++p) result[nodes()[p]] = static_cast<std::uint32_t>(p);
        return result;
    }

private:
    PartialShapes shapes_;
    Grouping shape_nodes_;
    Grouping class_shapes_;
    std::vector<std::size_t> class_size_;
    std::vector<std::uint32_t> shape_rank_;
    std::vector<std::uint64_t> child_rank_offset_;
    std::vector<std::uint32_t> child_rank_;
    struct ChildKey {
        std::uint32_t label_class;
        Label child;
        bool operator==(const ChildKey&) const = default;
    };
    std::vector<ChildKey> child_keys_;
    NumberIndex child_key_index_;
    std::vector<std::vector<Shape>> child_key_shapes_;
};

}  // namespace treekernels
