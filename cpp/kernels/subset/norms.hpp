// Norms of the subset-tree kernel: C of all pairs of a tree's nodes that have the same production.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "kernels/subset/subset.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

// `Source` is a Dag or a Corpus, which may grow where productions weigh alike.
template <class Real, class Source>
class SubsetSelfPairs {
public:
    static constexpr std::size_t kMostNodes = 1024;  // all pairs of more would take too much memory

    SubsetSelfPairs(const Source& source, SubsetParameters parameters)
        : source_(source), parameters_(std::move(parameters)) {}

    // Of the distinct nodes of a tree, children before parents.
    Real operator()(std::span<const Node> nodes, std::span<const double> counts) {
        size_ = nodes.size();
        if (c_.size() < size_ * size_) c_.resize(size_ * size_);
        before_.resize(size_);
        Real norm(0.0);
        for (std::uint32_t i = 0; i < size_; ++i) norm += meet(nodes, counts, i);
        for (Node node : nodes)
            if (!source_.is_leaf(node)) newest_[source_.production(node)] = kNone;
        return norm;
    }

private:
    // What node i of the tree adds, with itself and with the nodes before it.
    Real meet(std::span<const Node> nodes, std::span<const double> counts, std::uint32_t i) {
        const Node u = nodes[i];
        if (u >= place_.size()) place_.resize(2 * std::size_t{u} + 1);
        place_[u] = i;
        if (source_.is_leaf(u)) return Real(parameters_.leaf_weight * counts[i] * counts[i]);
        const Production p = source_.production(u);
        if (p >= newest_.size()) newest_.resize(2 * std::size_t{p} + 1, kNone);
        const Real decay(parameters_.decay_of(p));
        Real others(0.0);
        for (std::uint32_t j = newest_[p]; j != kNone; j = before_[j])
            others += (c_[i * size_ + j] = pair(u, nodes[j], decay)) * Real(counts[j]);
        before_[i] = newest_[p];
        newest_[p] = i;
        const Real self = c_[i * size_ + i] = pair(u, u, decay);
        return (others * Real(2.0) + self * Real(counts[i])) * Real(counts[i]);
    }

    // C of two nodes of the same production, from its decay `c` and from that of their children.
    Real pair(Node u, Node v, Real c) const {
        const auto u_children = source_.children(u), v_children = source_.children(v);
        for (std::size_t k = 0; k < u_children.size(); ++k) {
            const Node x = std::max(u_children[k], v_children[k]), y = std::min(u_children[k], v_children[k]);
            if (source_.production(x) == source_.production(y) && !source_.is_leaf(x))
                c *= Real(1.0) + c_[place_[x] * size_ + place_[y]];
        }
        return c;
    }

    const Source& source_;
    const SubsetParameters parameters_;
    std::size_t size_ = 0;               // nodes of the tree
    std::vector<Real> c_;                // of node i and node j < i, at i * size + j, if they have the same production
    std::vector<std::size_t> place_;     // of a node in the tree
    std::vector<std::uint32_t> newest_;  // node of a production in the tree, and for each node the one before it
    std::vector<std::uint32_t> before_;
};

template <class Real>
std::unique_ptr<Norms<Real>> subset_norms(const Corpus& corpus, SubsetParameters parameters);

// The same for trees of a DAG, one after the other.
std::unique_ptr<TreeNorm> make_subset_norm(SubsetParameters parameters, const Dag& dag);

}  // namespace treekernels
