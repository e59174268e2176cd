// Chains of productions, and which of them are frequent: what distributed trees are pruned by.
//
// A chain is a production, a child's position in it, the production of that child, and so on. A fragment can occur in
// two trees only if each chain in it does. Chains are known by hashes of their labels' texts, so that they mean the
// same in every forest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// Hashes of the productions of a DAG, made when first asked for.
class ProductionKeys {
public:
    explicit ProductionKeys(const Dag& dag)
        : dag_(dag), of_label_(dag.label_count()), of_production_(dag.production_count()) {}
    // Of an inner node.
    std::uint64_t operator()(Node node);

private:
    const Dag& dag_;
    std::vector<std::uint64_t> of_label_, of_production_;
};

// The empty chain, a chain with one more production, and one that goes on to a child.
inline constexpr std::uint64_t kNoChain = 0;
std::uint64_t with_production(std::uint64_t chain, std::uint64_t production_key);
std::uint64_t with_position(std::uint64_t chain, std::size_t position);

// The chains of at most `length` productions that occur in at least `min_trees` of the trees, ascending.
std::vector<std::uint64_t> frequent_chains(const Dag& dag, std::span<const Node> roots, std::uint32_t min_trees,
                                           unsigned length, Task& task);

// A set of keys that are hashes already.
class KeySet {
public:
    explicit KeySet(std::span<const std::uint64_t> keys);
    bool contains(std::uint64_t key) const {
        for (std::size_t at = NumberHash()(key) & mask_;; at = (at + 1) & mask_) {
            if (slots_[at] == key) return true;
            if (slots_[at] == kEmpty) return false;
        }
    }

private:
    static constexpr std::uint64_t kEmpty = 0;  // a hash that does not occur, or would do no harm
    std::size_t mask_;
    std::vector<std::uint64_t> slots_;
};

// The nodes of one tree, each once, children before parents, in the order a reader meets their ends; and how often each
// occurs in the tree. A function of the tree alone, whatever else is in its DAG.
class TreeWalk {
public:
    explicit TreeWalk(const Dag& dag) : dag_(dag), met_(dag.size(), kNone), place_(dag.size()) {}
    void walk(Node root, const Task& task);
    std::span<const Node> nodes() const { return nodes_; }
    double count(std::size_t place) const { return counts_[place]; }

private:
    const Dag& dag_;
    std::uint32_t walks_ = 0;
    std::vector<std::uint32_t> met_;    // the last walk that met a node
    std::vector<std::uint32_t> place_;  // in nodes_, of that walk
    std::vector<Node> nodes_;
    std::vector<double> counts_;
    std::vector<std::pair<Node, std::uint32_t>> stack_;
};

}  // namespace treekernels
