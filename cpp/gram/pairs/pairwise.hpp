// Kernels pair by pair, by the fast algorithm of Moschitti's EACL 2006 paper: it looks at the pairs of nodes with equal
// keys, found by merging two sorted lists. It serves as the named algorithm "ftk", and gives the norms of most kernels.
// The quadratic one that it is compared with there is in all_pairs.hpp.
//
// Keys are productions for the subtree and subset-tree kernels, label classes for the partial-tree kernel. A tree is a
// list of distinct subtrees with counts, so a subtree that occurs twice in a tree is looked at once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "gram/interfaces.hpp"

namespace treekernels {

enum class PairAlgorithm { merged, quadratic };

// The distinct subtrees of each tree that have a key, in two orders: bottom-up, and sorted by key.
class KeyedTrees {
public:
    // keys[node] is kNone for nodes that never match. Leaves are children of their parents only if `link_leaves`.
    KeyedTrees(const Corpus& corpus, std::span<const std::uint32_t> keys, bool link_leaves, const Task& task);

    struct Order {
        std::vector<Node> node;
        std::vector<double> count;
        std::vector<std::uint64_t> edge;   // a node's children begin there; one more than nodes in each tree
        std::vector<std::uint32_t> child;  // local number in the same order, kNone where the child has no key
    };
    std::size_t begin(std::size_t tree) const { return tree_offset_[tree]; }
    std::uint32_t size(std::size_t tree) const {
        return static_cast<std::uint32_t>(tree_offset_[tree + 1] - tree_offset_[tree]);
    }
    const Order& bottom_up() const { return bottom_up_; }
    const Order& sorted() const { return sorted_; }
    std::span<const std::uint32_t> children(const Order& order, std::size_t tree, std::uint32_t local) const {
        const std::uint64_t* edge = order.edge.data() + tree_offset_[tree] + tree + local;
        return {order.child.data() + edge[0], order.child.data() + edge[1]};
    }
    // By sorted place: the key, and the number in bottom-up order.
    const std::uint32_t* keys(std::size_t tree) const { return key_.data() + tree_offset_[tree]; }
    const std::uint32_t* from_sorted(std::size_t tree) const { return from_sorted_.data() + tree_offset_[tree]; }
    // How many pairs of nodes of a tree have equal keys.
    double self_pairs(std::size_t tree) const;

private:
    std::vector<std::uint64_t> tree_offset_{0};
    std::vector<std::uint32_t> key_;
    std::vector<std::uint32_t> from_sorted_;
    Order bottom_up_;
    Order sorted_;
};

// The nodes of two trees that have equal keys.
class KeyMatches {
public:
    // The nodes of b that match a node of a are neighbours in sorted order; what is kept of them stands at place + i.
    struct Matches {
        std::uint32_t begin = 0;
        std::uint32_t count = 0;
        std::uint64_t place = 0;
    };

    void merge(const KeyedTrees& trees, std::size_t a, std::size_t b) {
        const std::uint32_t *a_key = trees.keys(a), *b_key = trees.keys(b);
        const std::uint32_t* a_local = trees.from_sorted(a);
        const std::uint32_t a_size = trees.size(a), b_size = trees.size(b);
        matches_.assign(a_size, {});
        matched_.clear();
        marks_.assign((a_size + 63) / 64, 0);
        for (std::uint32_t i = 0, j = 0; i < a_size && j < b_size;) {
            const std::uint32_t x = a_key[i], y = b_key[j];
            if (x == y) [[unlikely]] {
                const std::uint32_t begin = j;
                while (j < b_size && b_key[j] == x) ++j;
                for (; i < a_size && a_key[i] == x; ++i) {
                    matches_[a_local[i]] = {begin, j - begin, 0};
                    marks_[a_local[i] / 64] |= std::uint64_t{1} << (a_local[i] % 64);
                }
                continue;
            }
            // Without a branch: which of the two is smaller cannot be predicted.
            i += x < y;
            j += y < x;
        }
        for (std::uint32_t word = 0; word < marks_.size(); ++word)
            for (std::uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1)
                matched_.push_back(64 * word + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }

    // The nodes of a with any match, in bottom-up order.
    const std::vector<std::uint32_t>& matched() const { return matched_; }
    Matches& operator[](std::uint32_t u) { return matches_[u]; }
    // Where what is kept of a node of a and one of b stands; kNowhere if their keys differ. Both may be kNone.
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
    std::uint64_t find(std::uint32_t u, std::uint32_t v) const {
        if (u == kNone) return kNowhere;
        const Matches& match = matches_[u];
        const std::uint32_t i = v - match.begin;  // wraps around below, as does kNone above
        return i < match.count ? match.place + i : kNowhere;
    }

private:
    std::vector<Matches> matches_;        // by bottom-up number of a's nodes
    std::vector<std::uint32_t> matched_;  // those with any, ascending
    std::vector<std::uint64_t> marks_;
};

// Evaluates K of one pair of trees after another. `Local` computes C of two nodes from that of their children:
//   Real operator()(Node u, Node v, std::span<const std::uint32_t> u_children, std::span<const std::uint32_t>
//   v_children,
//                   lookup, const Task&), where lookup(u_child, v_child) is C of two children, 0 if their keys differ.
template <class Real, class Local>
class PairEvaluator final : public PairWorker<Real> {
public:
    PairEvaluator(const KeyedTrees& trees, Local local) : trees_(trees), local_(std::move(local)) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        matches_.merge(trees_, a, b);
        return sum(a, b, task);
    }

private:
    Real sum(std::size_t a, std::size_t b, const Task& task) {
        const auto& below = trees_.bottom_up();
        const auto& above = trees_.sorted();
        const std::size_t a_begin = trees_.begin(a), b_begin = trees_.begin(b);
        const auto lookup = [this](std::uint32_t u, std::uint32_t v) {
            const std::uint64_t place = matches_.find(u, v);
            return place != KeyMatches::kNowhere ? values_[place] : Real(0.0);
        };
        Real total(0.0);
        values_.clear();
        for (const std::uint32_t u : matches_.matched()) {
            KeyMatches::Matches& match = matches_[u];
            match.place = values_.size();
            task.check();
            Real part(0.0);
            for (std::uint32_t i = 0; i < match.count; ++i) {
                const std::uint32_t v = match.begin + i;
                const Real c = local_(below.node[a_begin + u], above.node[b_begin + v], trees_.children(below, a, u),
                                      trees_.children(above, b, v), lookup, task);
                values_.push_back(c);
                part += c * Real(above.count[b_begin + v]);
            }
            total += part * Real(below.count[a_begin + u]);
        }
        return total;
    }

    const KeyedTrees& trees_;
    Local local_;
    KeyMatches matches_;
    std::vector<Real> values_;
};

template <class Real, class Local>
class KeyedPairs final : public PairValues<Real> {
public:
    KeyedPairs(KeyedTrees trees, Local local) : trees_(std::move(trees)), local_(std::move(local)) {}

    std::unique_ptr<PairWorker<Real>> worker() const override {
        return std::make_unique<PairEvaluator<Real, Local>>(trees_, local_);
    }
    double self_memory(std::size_t tree) const override { return trees_.self_pairs(tree); }

private:
    KeyedTrees trees_;
    Local local_;
};

}  // namespace treekernels
