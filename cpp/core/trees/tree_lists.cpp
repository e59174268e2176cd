#include "core/trees/tree_lists.hpp"

#include <algorithm>
#include <limits>

namespace treekernels {

void TreeLists::assign(std::span<const Node> roots, const Task& task) {
    begin_.assign(dag_.size(), kNone);
    count_.assign(dag_.size(), kUnmet);
    number_.assign(dag_.size(), kNone);
    entries_.clear();
    subtrees_.clear();
    edges_.clear();
    for (Node root : roots) {
        task.check();
        if (begin_[root] == kNone) list(root);
    }
    subtrees_.push_back({kNone, kNone, static_cast<std::uint32_t>(edges_.size())});
    count_ = {};
    number_ = {};
}

void TreeLists::list(Node root) {
    nodes_.clear();
    const bool small = leaves_out(root) || find_nodes(root);
    const bool fits = entries_.size() < kNone - kLargest - 1 && edges_.size() < kNone - kLargest * kLargest;
    if (small && fits && count_nodes()) {
        begin_[root] = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({kNone, static_cast<std::uint32_t>(nodes_.size())});
        for (Node node : nodes_) entries_.push_back({number(node), static_cast<std::uint32_t>(count_[node])});
    }
    for (Node node : nodes_) count_[node] = kUnmet;
}

// False if there are too many.
bool TreeLists::find_nodes(Node root) {
    nodes_.push_back(root);
    count_[root] = 0.0;
    std::size_t edges = 0;
    for (std::size_t next = 0; next < nodes_.size(); ++next) {
        edges += dag_.children(nodes_[next]).size();
        if (edges > kLargest * kLargest) return false;
        for (Node child : dag_.children(nodes_[next])) {
            if (count_[child] != kUnmet || leaves_out(child)) continue;
            if (nodes_.size() == kLargest) return false;
            count_[child] = 0.0;
            nodes_.push_back(child);
        }
    }
    return true;
}

// Parents have larger numbers: going down, a node's count is complete before it is handed on. False if one is too large
// for an entry.
bool TreeLists::count_nodes() {
    std::ranges::sort(nodes_);
    if (!nodes_.empty()) count_[nodes_.back()] = 1.0;
    for (std::size_t next = nodes_.size(); next-- > 0;) {
        if (count_[nodes_[next]] > std::numeric_limits<std::uint32_t>::max()) return false;
        for (Node child : dag_.children(nodes_[next]))
            if (!leaves_out(child)) count_[child] += count_[nodes_[next]];
    }
    return true;
}

// Its children have numbers.
std::uint32_t TreeLists::number(Node node) {
    if (number_[node] != kNone) return number_[node];
    subtrees_.push_back({node, dag_.production(node), static_cast<std::uint32_t>(edges_.size())});
    const auto children = dag_.children(node);
    for (std::uint32_t c = 0; c < children.size(); ++c)
        if (!dag_.is_leaf(children[c])) edges_.push_back({c, number_[children[c]], dag_.production(children[c])});
    return number_[node] = static_cast<std::uint32_t>(subtrees_.size() - 1);
}

}  // namespace treekernels
