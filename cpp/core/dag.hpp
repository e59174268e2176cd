// The DAG of distinct subtrees: equal subtrees are one node, whatever tree they come from.
//
// Children always have smaller numbers than their parents, so that a loop over ascending numbers is a
// bottom-up traversal of all trees at once. It knows nothing of kernels, files or Python.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "core/memory/number_index.hpp"
#include "core/threads/locks.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

using Label = std::uint32_t;
using Production = std::uint32_t;
using Node = std::uint32_t;

// The DAG as plain arrays, for pickling and files. Offsets have one entry more than what they cut.
struct DagArrays {
    std::string label_text;
    std::vector<std::uint64_t> label_offsets;
    std::vector<Label> node_labels;
    std::vector<std::uint64_t> child_offsets;
    std::vector<Node> children;
};

// Whatever is interned is there as a whole or, when memory runs out, not at all.
class Dag {
public:
    Dag() = default;
    Dag(const Dag&) = delete;
    Dag& operator=(const Dag&) = delete;

    // Throws std::invalid_argument when the arrays do not describe a DAG.
    static void fill_from(Dag& empty, const DagArrays& arrays);

    // Decides what a label is: throws std::invalid_argument for an empty text, and for one with a NUL character.
    Label intern_label(std::string_view text);
    // kNone for a text that is not a label.
    Label find_label(std::string_view text) const;
    // The children must not be those of a node of this DAG in place: they would move as it grows.
    Node intern_node(Label label, std::span<const Node> children);
    // kNone where there is none; a label or child may be kNone too.
    Node find_node(Label label, std::span<const Node> children) const;
    Production find_production(Label label, std::span<const Label> children) const;
    // Interns what `roots` of `other` reach, and says where each root went. Labels may be changed on the way. When that
    // fails, some of it may be there, and does no harm.
    using Relabel = std::function<std::string_view(std::string_view)>;
    std::vector<Node> import(const Dag& other, std::span<const Node> roots, const Task& task,
                             const Relabel& relabel = std::identity());

    std::size_t size() const { return node_label_.size(); }
    std::size_t label_count() const { return label_offset_.size() - 1; }
    std::size_t production_count() const { return production_node_.size(); }

    std::string_view label_text(Label label) const {
        TREEKERNELS_ASSERT(label < label_count());
        return std::string_view(label_text_)
            .substr(label_offset_[label], label_offset_[label + 1] - label_offset_[label]);
    }
    Label label(Node node) const {
        TREEKERNELS_ASSERT(node < size());
        return node_label_[node];
    }
    // kNone for a leaf.
    Production production(Node node) const {
        TREEKERNELS_ASSERT(node < size());
        return node_production_[node];
    }
    // A node that has the production.
    Node production_node(Production production) const {
        TREEKERNELS_ASSERT(production < production_count());
        return production_node_[production];
    }
    std::span<const Node> children(Node node) const {
        TREEKERNELS_ASSERT(node < size());
        return {children_.data() + child_offset_[node], children_.data() + child_offset_[node + 1]};
    }
    std::size_t edge_count() const { return children_.size(); }
    bool is_leaf(Node node) const {
        TREEKERNELS_ASSERT(node < size());
        return child_offset_[node] == child_offset_[node + 1];
    }

    // Held shared by readers and exclusively by those who add nodes to a DAG that others may be reading.
    SharedMutex& mutex() const { return mutex_; }

private:
    static std::uint64_t node_hash(Label label, std::span<const Node> children);
    // Of children, each of which `label_of` gives the label of.
    template <class LabelOf>
    static std::uint64_t production_hash(Label label, std::span<const std::uint32_t> children, LabelOf label_of);
    template <class LabelOf>
    Production find_production(std::uint64_t hash, Label label, std::span<const std::uint32_t> children,
                               LabelOf label_of) const;

    std::string label_text_;
    std::vector<std::uint64_t> label_offset_{0};
    std::vector<Label> node_label_;
    std::vector<Production> node_production_;
    std::vector<std::uint64_t> child_offset_{0};
    std::vector<Node> children_;
    std::vector<Node> production_node_;  // the first node with each production stands for it

    NumberIndex label_index_;
    NumberIndex node_index_;
    NumberIndex production_index_;
    mutable SharedMutex mutex_;
};

// The nodes that `roots` reach, each once, children before parents, in order of first use.
class Reach {
public:
    enum class Of { all, inner_nodes };

    explicit Reach(const Dag& dag, const Task* task = nullptr, Of kind = Of::all)
        : dag_(dag), task_(task), without_leaves_(kind == Of::inner_nodes), place_(dag.size(), kNone) {}
    // Appends what is new below `root` to `nodes()`.
    void add(Node root);
    // Forgets all nodes, at the cost of their number.
    void clear() {
        for (Node node : nodes_) place_[node] = kNone;
        nodes_.clear();
    }
    const std::vector<Node>& nodes() const { return nodes_; }
    // The place of a reached node in `nodes()`; kNone for others.
    std::uint32_t place(Node node) const {
        TREEKERNELS_ASSERT(node < place_.size());
        return place_[node];
    }

private:
    bool leaves_out(Node node) const { return without_leaves_ && dag_.is_leaf(node); }

    const Dag& dag_;
    const Task* task_;
    const bool without_leaves_;
    std::vector<std::uint32_t> place_;
    std::vector<Node> nodes_;
    std::vector<std::pair<Node, std::uint32_t>> stack_;
};

DagArrays export_arrays(const Dag& dag, std::span<const Node> roots, std::vector<Node>& new_roots);

// Nodes and depth of the tree unfolded from each root. A shared subtree counts as often as it occurs; counts
// stop at the largest 64-bit number.
struct TreeSizes {
    std::vector<std::uint64_t> nodes;
    std::vector<std::uint64_t> depth;
};
TreeSizes tree_sizes(const Dag& dag, std::span<const Node> roots);

}  // namespace treekernels
