// What a Gram matrix looks at: the distinct subtrees of its trees, and how often each occurs in each tree.
//
// Subtrees are numbered anew in order of first use, children before parents. So the subtrees of the first
// t trees are the numbers below limit(t): a matrix can be filled from its upper left corner, and the columns
// of an unsymmetric one come first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/count_damping.hpp"

namespace treekernels {

class Corpus {
public:
    // The roots of `columns` and then those of `rows`; all are nodes of `dag`.
    Corpus(const Dag& dag, std::span<const Node> columns, std::span<const Node> rows, unsigned threads,
           const Task& task, CountDamping damping = CountDamping::linear);

    // The columns are weighted sums of subtrees, all of the same ones: children before parents, and with all that is
    // below them. `weights` has one number for each subtree and column, subtree after subtree.
    Corpus(const Dag& dag, std::span<const Node> subtrees, std::span<const double> weights, std::span<const Node> rows,
           const Task& task, CountDamping damping = CountDamping::linear);

    // One tree of another corpus, alone.
    Corpus(const Corpus& whole, std::size_t tree, const Task& task);

    Corpus(Corpus&&) = default;
    Corpus& operator=(Corpus&&) = default;

    // Makes leaves of the nodes that are marked. What was below them stays in its trees, on its own.
    void cut(const std::vector<bool>& marked);

    std::size_t tree_count() const { return root_.size(); }
    std::size_t node_count() const { return label_.size(); }
    std::size_t label_count() const { return label_count_; }
    std::size_t production_count() const { return production_count_; }

    Label label(Node node) const {
        TREEKERNELS_ASSERT(node < node_count());
        return label_[node];
    }
    Production production(Node node) const {
        TREEKERNELS_ASSERT(node < node_count());
        return production_[node];
    }
    bool is_leaf(Node node) const { return production(node) == kNone; }
    std::span<const Node> children(Node node) const {
        TREEKERNELS_ASSERT(node + 1 < child_offset_.size());
        return {children_.data() + child_offset_[node], children_.data() + child_offset_[node + 1]};
    }
    // Where the children of a node begin among those of all nodes: a place to keep facts about edges.
    std::uint64_t first_edge(Node node) const {
        TREEKERNELS_ASSERT(node <= node_count());
        return child_offset_[node];
    }
    std::uint64_t edge_count() const { return children_.size(); }

    Node root(std::size_t tree) const {
        TREEKERNELS_ASSERT(tree < tree_count());
        return root_[tree];
    }
    // The distinct subtrees of a tree, ascending, and how often each occurs in it, or how much that counts.
    std::span<const Node> nodes(std::size_t tree) const {
        TREEKERNELS_ASSERT(tree < tree_.size());
        return {tree_[tree].nodes, tree_[tree].size};
    }
    std::span<const double> counts(std::size_t tree) const {
        TREEKERNELS_ASSERT(tree < tree_.size());
        return {tree_[tree].counts, tree_[tree].size};
    }
    // The number of different subtrees of each tree, added up.
    std::size_t total_nodes() const { return total_nodes_; }
    // The number of subtrees in the trees 0 .. trees-1.
    Node limit(std::size_t trees) const {
        TREEKERNELS_ASSERT(trees < limit_.size());
        return limit_[trees];
    }

private:
    // The distinct subtrees of some trees, one tree after the other.
    struct Counts {
        std::vector<std::uint64_t> ends;
        std::vector<Node> nodes;
        std::vector<double> counts;
    };
    // When a node was last met, while counting.
    struct Seen {
        std::uint32_t tree = kNone;
        std::uint32_t place = 0;  // in that tree
    };
    struct Tree {
        const Node* nodes;
        const double* counts;
        std::size_t size;
    };
    // Numbers what is new in a tree.
    void number(const Dag& dag, Node root, Reach& reach);
    void append(const Dag& dag, const Reach& reach);
    Counts count_trees(std::size_t first, std::size_t last, std::vector<Seen>& seen, const Task& task) const;
    void keep(std::vector<Counts> counts);

    std::size_t label_count_;
    std::size_t production_count_;
    CountDamping damping_;
    std::vector<Label> label_;
    std::vector<Production> production_;
    std::vector<std::uint64_t> child_offset_{0};
    std::vector<Node> children_;
    std::vector<Node> root_;
    std::vector<Node> limit_{0};
    std::vector<Counts> counts_;
    std::vector<Tree> tree_;  // where it is in `counts_`
    std::size_t total_nodes_ = 0;
};

// For each of `key_count` keys, the list of its items: `offset[key] .. offset[key + 1]` of `items`.
struct Grouping {
    std::vector<std::uint64_t> offset;
    std::vector<std::uint32_t> items;

    std::span<const std::uint32_t> operator[](std::size_t key) const {
        TREEKERNELS_ASSERT(key + 1 < offset.size());
        return {items.data() + offset[key], items.data() + offset[key + 1]};
    }
};

// Items 0 .. count-1 by key, ascending within a key; an item whose key is kNone is left out.
template <class KeyOf>
Grouping group(std::size_t count, std::size_t key_count, KeyOf key_of) {
    Grouping result;
    result.offset.assign(key_count + 1, 0);
    for (std::size_t item = 0; item < count; ++item)
        if (const std::uint32_t key = key_of(item); key != kNone) {
            TREEKERNELS_ASSERT(key < key_count);
            ++result.offset[key + 1];
        }
    for (std::size_t key = 0; key < key_count; ++key) result.offset[key + 1] += result.offset[key];
    result.items.resize(result.offset[key_count]);
    std::vector<std::uint64_t> next(result.offset.begin(), result.offset.end() - 1);
    for (std::size_t item = 0; item < count; ++item)
        if (const std::uint32_t key = key_of(item); key != kNone)
            result.items[next[key]++] = static_cast<std::uint32_t>(item);
    return result;
}

}  // namespace treekernels
