// The distinct subtrees of many trees of a DAG, tree after tree, for algorithms that go through them again and again.
//
// The subtrees are numbered by the tree that has them first, with all that is asked of them side by side. So a tree
// takes a few lines of memory, where a DAG has its nodes all over the place. Trees that share most of what they have
// would take far more memory than the DAG, and so large ones have no list.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/prefetch.hpp"

namespace treekernels {

class TreeLists {
public:
    enum class Of { all, inner_nodes };

    static constexpr std::size_t kLargest = 256;  // nodes of a tree that has a list

    struct Entry {
        std::uint32_t subtree;  // its number
        std::uint32_t count;    // how often it occurs in the tree
    };
    struct Edge {
        std::uint32_t position;  // among the children
        std::uint32_t child;     // number of a subtree
        Production production;   // of the child
    };
    struct Subtree {
        Node node;
        Production production;
        std::uint32_t first_edge;
    };

    explicit TreeLists(const Dag& dag, Of kind = Of::all) : dag_(dag), without_leaves_(kind == Of::inner_nodes) {}

    // Makes lists of some trees, and forgets all others. Neighbours that share subtrees take less time.
    void assign(std::span<const Node> roots, const Task& task);

    // Children before parents; nothing for a tree that has no list.
    std::optional<std::span<const Entry>> find(Node root) const {
        TREEKERNELS_ASSERT(root < begin_.size());
        if (begin_[root] == kNone) return std::nullopt;
        const std::size_t begin = begin_[root];
        return std::span<const Entry>(entries_).subspan(begin + 1, entries_[begin].count);
    }

    std::size_t subtree_count() const { return subtrees_.empty() ? 0 : subtrees_.size() - 1; }
    const Subtree& subtree(std::uint32_t number) const { return subtrees_[number]; }
    // To the children of a subtree that are no leaves.
    std::span<const Edge> edges(std::uint32_t number) const {
        return {edges_.data() + subtrees_[number].first_edge, edges_.data() + subtrees_[number + 1].first_edge};
    }

    // Ask for the list of a tree that is needed soon: first for where it is, then for the list itself.
    void expect(Node root) const { prefetch(&begin_[root]); }
    void expect_list(Node root) const {
        if (begin_[root] == kNone) return;
        prefetch(&entries_[begin_[root]]);
        prefetch(&entries_[std::min<std::size_t>(begin_[root] + 8, entries_.size() - 1)]);
    }
    // And for subtrees, and the edges of one that has been looked at.
    void expect_subtree(std::uint32_t number) const { prefetch(&subtrees_[number]); }
    void expect_edges(std::uint32_t number) const { prefetch(edges_.data() + subtrees_[number].first_edge); }

private:
    static constexpr double kUnmet = -1.0;

    bool leaves_out(Node node) const { return without_leaves_ && dag_.is_leaf(node); }
    void list(Node root);
    bool find_nodes(Node root);
    bool count_nodes();
    std::uint32_t number(Node node);

    const Dag& dag_;
    const bool without_leaves_;
    std::vector<std::uint32_t> begin_;  // by root: of its list, or kNone
    std::vector<Entry> entries_;        // before those of a tree there is one that has their number
    std::vector<Subtree> subtrees_;     // and one behind the last
    std::vector<Edge> edges_;

    // While lists are made.
    std::vector<double> count_;          // by node: in the tree at hand
    std::vector<Node> nodes_;            // of that tree
    std::vector<std::uint32_t> number_;  // by node
};

}  // namespace treekernels
