// One tree, laid out to be compared with many others: its distinct subtrees, grouped by kind, and what each feature
// adds to K(tree, tree).
//
// A fragment has one feature: the kind of its root, if none of its children goes on; or else the edge to the last child
// that does. The fragments of one feature make a kernel of their own, so that K is a sum of kernels, one for each
// feature. That is what the bounds of the search rest on (tree_bounds.hpp). Whole subtrees have their kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"
#include "search/segments/segment.hpp"
#include "search/values/fragment_rule.hpp"

namespace treekernels {

class QueryTree {
public:
    // Trees with more pairs of subtrees of one kind are compared as in a Gram matrix, which keeps less in memory.
    static constexpr double kMostPairs = 1 << 22;

    // `Source` has children(node), kind(node), and factor(production). `places` has kNone for every node of it, before
    // and after.
    template <class Source>
    void read(const Source& source, Node root, CountDamping damping, std::vector<std::uint32_t>& places,
              const Task& task);

    // What each feature adds to K(tree, tree), and all of them. Requires !is_large(). Infinite if it is no double.
    void measure(const FragmentRule& rule, const Task& task);

    std::size_t size() const { return group_.size(); }
    std::uint32_t root() const { return static_cast<std::uint32_t>(size() - 1); }
    std::span<const std::uint32_t> children(std::uint32_t node) const {
        return {children_.data() + child_offset_[node], children_.data() + child_offset_[node + 1]};
    }
    bool is_leaf(std::uint32_t node) const { return child_offset_[node] == child_offset_[node + 1]; }
    // How often it occurs, damped.
    double count(std::uint32_t node) const { return count_[node]; }
    std::uint32_t group(std::uint32_t node) const { return group_[node]; }
    // The place of a subtree in its group.
    std::uint32_t rank(std::uint32_t node) const { return rank_[node]; }

    std::size_t group_count() const { return group_kind_.size(); }
    // The kind as the source numbers it.
    NodeKind group_kind(std::uint32_t group) const { return group_kind_[group]; }
    // What the production brings to a fragment.
    double factor(std::uint32_t group) const { return factor_[group]; }
    std::span<const std::uint32_t> members(std::uint32_t group) const {
        return {members_.data() + group_offset_[group], members_.data() + group_offset_[group + 1]};
    }
    // The node of the source that a node is.
    Node node(std::uint32_t node) const { return nodes_[node]; }

    // Features are the groups and, after them, the edges: a parent and a position stand for each.
    struct EdgeExample {
        std::uint32_t parent, position;
    };
    std::size_t feature_count() const { return group_count() + edges_.size(); }
    std::span<const EdgeExample> edges() const { return edges_; }
    double feature_norm(std::size_t feature) const { return feature_norm_[feature]; }
    double norm() const { return norm_; }
    bool is_large() const { return pairs_ > kMostPairs; }

private:
    void group_nodes();
    void find_edges();

    std::vector<NodeKind> kind_;  // by node, as is all that follows
    std::vector<std::uint32_t> child_offset_;
    std::vector<std::uint32_t> children_;
    std::vector<double> count_;
    std::vector<std::uint32_t> group_, rank_;
    std::vector<NodeKind> group_kind_;  // by group
    std::vector<double> factor_;
    std::vector<std::uint32_t> group_offset_, members_;
    std::vector<EdgeExample> edges_;
    std::vector<double> feature_norm_;
    std::vector<std::uint32_t> edge_feature_;  // by place among `children_`
    double norm_ = 0.0;
    double pairs_ = 0.0;
    // Memory for read() and measure().
    std::vector<Node> nodes_;
    std::vector<std::pair<Node, std::uint32_t>> open_;
    std::vector<std::pair<NodeKind, std::uint32_t>> by_kind_;
    std::vector<std::pair<ProductionEdge, std::uint32_t>> by_edge_;
    std::vector<std::size_t> first_value_;
    std::vector<double> values_;
};

template <class Source>
void QueryTree::read(const Source& source, Node root, CountDamping damping, std::vector<std::uint32_t>& places,
                     const Task& task) {
    struct Clear {
        std::vector<std::uint32_t>& places;
        const std::vector<Node>& nodes;
        ~Clear() {
            for (Node node : nodes) places[node] = kNone;
        }
    };
    nodes_.clear();
    kind_.clear();
    const Clear clear{places, nodes_};
    open_.assign(1, {root, 0});
    while (!open_.empty()) {
        auto& [node, next] = open_.back();
        const auto children = source.children(node);
        while (next < children.size() && places[children[next]] != kNone) ++next;
        if (next < children.size()) {
            const Node child = children[next++];
            open_.emplace_back(child, 0);
            continue;
        }
        if (nodes_.size() % 4096 == 4095) task.check();
        nodes_.push_back(node);
        places[node] = static_cast<std::uint32_t>(nodes_.size() - 1);
        kind_.push_back(source.kind(node));
        open_.pop_back();
    }
    child_offset_.assign(1, 0);
    children_.clear();
    for (Node node : nodes_) {
        for (Node child : source.children(node)) children_.push_back(places[child]);
        child_offset_.push_back(static_cast<std::uint32_t>(children_.size()));
    }
    // Parents come later: going down, a count is complete before it is handed on.
    count_.assign(nodes_.size(), 0.0);
    count_.back() = 1.0;
    for (std::size_t i = nodes_.size(); i-- > 0;)
        for (std::uint32_t child : children(static_cast<std::uint32_t>(i))) count_[child] += count_[i];
    damp(count_, damping);
    group_nodes();
    factor_.clear();
    for (std::uint32_t group = 0; group < group_count(); ++group)
        factor_.push_back(is_leaf(members(group).front()) ? 0.0 : source.factor(group_kind(group)));
}

}  // namespace treekernels
