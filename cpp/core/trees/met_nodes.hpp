// Places for nodes that were met, children before parents, to be forgotten all at once and at no cost. The nodes may be
// those of a DAG or others that have numbers.
//
// The place 0 is for all nodes that count nothing.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/prefetch.hpp"

namespace treekernels {

class MetNodes {
public:
    // Nodes have smaller numbers than `count`.
    explicit MetNodes(std::size_t count, std::uint32_t first = 1) : number_(count, 0), first_(first) {}

    void clear() {
        // Numbers go on where those of the forgotten nodes ended, so that these are too small.
        const std::size_t used = nodes_.size();
        nodes_.assign(1, kNone);
        first_ += static_cast<std::uint32_t>(used);
        if (first_ < kNone - number_.size() - 1) return;
        std::ranges::fill(number_, 0U);
        first_ = 1;
    }

    // It is asked for soon.
    void expect(Node node) const { prefetch(&number_[node]); }
    bool knows(Node node) const { return number_[node] >= first_; }
    // Of a node that is known.
    std::uint32_t place(Node node) const {
        TREEKERNELS_ASSERT(knows(node));
        return number_[node] - first_;
    }
    // Of a node that is not known yet.
    void add(Node node) {
        TREEKERNELS_ASSERT(!knows(node));
        number_[node] = first_ + static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(node);
    }
    void leave_out(Node node) { number_[node] = first_; }

    // All that is below a node of a DAG, and the node itself.
    void add_below(const Dag& dag, Node root, bool without_leaves) {
        const auto settled = [&](Node node) {
            if (knows(node)) return true;
            if (!without_leaves || !dag.is_leaf(node)) return false;
            leave_out(node);
            return true;
        };
        if (settled(root)) return;
        stack_.assign(1, {root, 0});
        while (!stack_.empty()) {
            auto& [node, next] = stack_.back();
            const auto children = dag.children(node);
            while (next < children.size() && settled(children[next])) ++next;
            if (next < children.size()) {
                const Node child = children[next++];
                stack_.emplace_back(child, 0);
            } else {
                add(node);
                stack_.pop_back();
            }
        }
    }

    // By place. The first is none.
    const std::vector<Node>& nodes() const { return nodes_; }

private:
    std::vector<std::uint32_t> number_;  // by node: its place and `first_`, or less if it is not known
    std::uint32_t first_;
    std::vector<Node> nodes_{kNone};
    std::vector<std::pair<Node, std::uint32_t>> stack_;
};

}  // namespace treekernels
