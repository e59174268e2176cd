// The row trees of the elastic tree kernel: each distinct subtree x is a lane of the vectors A(., y).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus.hpp"

namespace treekernels {

// The trees that are compared with the columns. Their corpus may be another one than that of the columns.
struct ElasticRowTrees {
    const Corpus& corpus;
    std::span<const Label> labels{};  // what the columns call each label, kNone for unknown ones; empty if the same

    Label label(Node node) const {
        const Label own = corpus.label(node);
        return labels.empty() ? own : labels[own];
    }
};

// The subtrees of some trees side by side. In each tree they are in order of height: children come before parents,
// and the ancestors of a lane are close together.
class ElasticLanes {
public:
    explicit ElasticLanes(const ElasticRowTrees& rows);
    void load(std::span<const std::uint32_t> trees);

    std::size_t size() const { return nodes_.size(); }
    // As the columns call it.
    Label label(std::uint32_t x) const { return rows_.label(nodes_[x]); }
    std::span<const std::uint32_t> children(std::uint32_t x) const {
        return {edges_.data() + edge_offset_[x], edges_.data() + edge_offset_[x + 1]};
    }
    // Of each edge, in the order of the parents.
    std::span<const std::uint32_t> edge_children() const { return edges_; }
    std::span<const std::uint32_t> edge_parents() const { return edge_parents_; }
    // Of each tree.
    std::span<const std::uint32_t> roots() const { return roots_; }

private:
    const ElasticRowTrees rows_;
    std::vector<std::uint32_t> height_;  // by node
    std::vector<std::uint32_t> lane_;    // by node, of the tree at hand
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> roots_;
    std::vector<std::size_t> edge_offset_;
    std::vector<std::uint32_t> edges_;
    std::vector<std::uint32_t> edge_parents_;
};

}  // namespace treekernels
