// Long chains of nodes with one child each.
//
// Among nodes of such a chain, C(u, v) of the subset-tree kernel is decay + decay^2 + ... over the productions in which
// the ways down from u and from v agree. A chain of a million equal nodes has 10^12 such pairs, but its ways down are
// the suffixes of a string: in a suffix tree the pairs become products of counts, one for each edge of that tree.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/corpus.hpp"

namespace treekernels {

// The number of productions on the way down from each of some nodes of a Dag or a Corpus: its own, and on as long as
// there is one child. Children come before parents, and place(node) is where one stands.
template <class Source, class Nodes, class Place>
std::vector<std::uint32_t> ways_down(const Source& source, const Nodes& nodes, Place place, const Task& task) {
    std::vector<std::uint32_t> ways;
    ways.reserve(nodes.size());
    for (Node node : nodes) {
        task.check();
        const auto children = source.children(node);
        const bool goes_on = children.size() == 1 && !source.is_leaf(children[0]);
        ways.push_back(goes_on ? 1 + ways[place(children[0])] : !children.empty());
    }
    return ways;
}

class UnaryPaths {
public:
    // Chains up to this length are not worth the trouble.
    static constexpr std::uint32_t kLong = 64;

    // Null where no chain of the corpus is long.
    static std::unique_ptr<UnaryPaths> find(const Corpus& corpus, double decay, const Task& task);

    // decay^2 + ... + decay^m, where m >= 1 productions agree on the ways down from a and b.
    double beyond_first(Node a, Node b) const { return beyond_first_[agreement(a, b)]; }

    // The edges of the suffix tree: the weight of each, where the way down of a node ends, and what is above an edge.
    // An edge has a smaller number than the one above it.
    const std::vector<double>& edge_weights() const { return edge_weight_; }
    std::uint32_t edge_of(Node node) const { return edge_of_[node]; }
    std::uint32_t edge_above(std::uint32_t edge) const { return edge_above_[edge]; }

private:
    UnaryPaths(const Corpus& corpus, std::vector<std::uint32_t> lengths, double decay, const Task& task);
    std::uint32_t agreement(Node a, Node b) const;
    void rank(const Corpus& corpus, const Task& task);
    void build_tree(const Corpus& corpus, double decay);

    std::vector<std::uint32_t> length_;  // of the way down from each node
    // By level k: the rank of the first 2^k productions, and the node 2^k further down (kNone beyond the end).
    std::vector<std::vector<std::uint32_t>> ranks_;
    std::vector<std::vector<Node>> jumps_;
    std::vector<double> beyond_first_;
    std::vector<double> edge_weight_;
    std::vector<std::uint32_t> edge_of_;
    std::vector<std::uint32_t> edge_above_;
};

}  // namespace treekernels
