// The one idea of the subset-tree kernel: C of two nodes from C of their children.
//
// C(u, v) sums up the fragments that two nodes have in common at their roots. Where productions differ there are none,
// and C is 0. Where they are the same, a fragment starts with that production, and at each child it stops, or goes on
// with a fragment that the two children have in common:
//
//     C(u, v) = decay * product over their children x, y of factor(x, y)
//
//     factor(x, y) = cut + C(x, y)    of two nodes that have children; C is 0 where their productions differ
//                    sqrt(cut)        of a leaf and a node that has children: each tree brings the root of its weight
//                    1                of two leaves, which leave no choice
//
// The weight of a cut is 1 for subset trees as most know them; sigma in the papers. If it is 0, fragments are never cut
// off, and what is left are whole subtrees.
//
// Numbers are double; `Wide`, where those would overflow; or of either with derivatives (gram/gradients/dual.hpp).
#pragma once

#include <cmath>
#include <cstddef>

#include "core/memory/simd.hpp"

namespace treekernels {

template <class Number>
struct SubsetRule {
    Number cut{1.0};       // the weight of a cut
    Number half_cut{1.0};  // and its root

    static SubsetRule with_cut_weight(double weight) { return {Number(weight), Number(std::sqrt(weight))}; }

    // The factor of two children: of nodes with the same production, whose C is `c`, or with two; and where leaves are.
    TREEKERNELS_INLINE auto nodes(const Number& c) const { return cut + c; }
    TREEKERNELS_INLINE Number apart() const { return cut; }
    TREEKERNELS_INLINE Number leaf_and_node() const { return half_cut; }
    TREEKERNELS_INLINE Number leaves() const { return Number(1.0); }

    // C of two nodes of the same production. `factor(k)` is one of the above, for their children number k.
    template <class Factor>
    TREEKERNELS_INLINE Number operator()(Number decay, std::size_t children, Factor factor) const {
        for (std::size_t k = 0; k < children; ++k) decay *= factor(k);
        return decay;
    }

    // What C rises by when it is multiplied by the factor of two nodes, where a cut weighs 1. Sums over many C need not
    // subtract again what all of them have.
    static TREEKERNELS_INLINE Number rise(Number c, Number below) { return c * below; }
};

}  // namespace treekernels
