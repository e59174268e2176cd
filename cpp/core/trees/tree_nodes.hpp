// One tree of a DAG as a list of its distinct subtrees.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/memory/room.hpp"
#include "core/trees/count_damping.hpp"

namespace treekernels {

// The distinct subtrees of a tree, ascending, children before parents, and how often each occurs, or
// how much that counts.
class TreeNodes {
public:
    TreeNodes(const Dag& dag, std::span<const Node> nodes, std::span<const double> counts)
        : dag_(&dag), nodes_(nodes), counts_(counts) {
        TREEKERNELS_ASSERT(!nodes.empty() && nodes.size() == counts.size() && std::ranges::is_sorted(nodes));
    }
    const Dag& dag() const { return *dag_; }
    Node root() const { return nodes_.back(); }
    std::span<const Node> nodes() const { return nodes_; }
    std::span<const double> counts() const { return counts_; }

private:
    const Dag* dag_;
    std::span<const Node> nodes_;
    std::span<const double> counts_;
};

// Makes them, one tree after the other.
class TreeView {
public:
    explicit TreeView(const Dag& dag, CountDamping damping = CountDamping::linear) : dag_(&dag), damping_(damping) {}

    // Valid until the next call. The DAG may have grown in the meantime.
    TreeNodes operator()(Node root) {
        count_.resize(dag_->size(), -1.0);
        nodes_.assign(1, root);
        count_[root] = 0.0;
        for (std::size_t next = 0; next < nodes_.size(); ++next) {
            for (Node child : dag_->children(nodes_[next])) {
                if (count_[child] >= 0.0) continue;
                count_[child] = 0.0;
                nodes_.push_back(child);
            }
        }
        std::ranges::sort(nodes_);
        // Parents have larger numbers: going down, a node's count is complete before it is handed on.
        count_[root] = 1.0;
        for (std::size_t next = nodes_.size(); next-- > 0;)
            for (Node child : dag_->children(nodes_[next])) count_[child] += count_[nodes_[next]];
        counts_.clear();
        for (Node node : nodes_) {
            counts_.push_back(count_[node]);
            count_[node] = -1.0;
        }
        damp(counts_, damping_);
        return {*dag_, nodes_, counts_};
    }

    // The distinct subtrees of a tree for which something does not hold that also holds for all below if it does for a
    // subtree: ascending, children before parents. Valid until the next call.
    template <class Holds>
    std::span<const Node> without(Node root, Holds holds) {
        count_.resize(dag_->size(), -1.0);
        nodes_.clear();
        const auto meet = [&](Node node) {
            if (count_[node] >= 0.0 || holds(node)) return;
            nodes_.push_back(node);
            count_[node] = 0.0;
        };
        meet(root);
        for (std::size_t next = 0; next < nodes_.size(); ++next)
            for (Node child : dag_->children(nodes_[next])) meet(child);
        for (Node node : nodes_) count_[node] = -1.0;
        std::ranges::sort(nodes_);
        return nodes_;
    }

    // After this, no tree of the DAG as it is takes more memory.
    void make_room() {
        count_.resize(dag_->size(), -1.0);
        treekernels::make_room(nodes_, dag_->size() - nodes_.size());
        treekernels::make_room(counts_, dag_->size() - counts_.size());
    }

private:
    const Dag* dag_;
    CountDamping damping_;
    std::vector<Node> nodes_;
    std::vector<double> counts_;
    std::vector<double> count_;  // by node of the DAG; -1 outside of a call
};

}  // namespace treekernels
