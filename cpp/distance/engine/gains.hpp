// What a distance is computed from: how much is gained when one node becomes another, over deleting the one and
// inserting the other.
//
// The distance of two forests is what it costs to delete all of the one and to insert all of the other, less the most
// that nodes which become each other can gain together. Gains are never below zero, since nodes need not become each
// other; and what the first k nodes gain grows with k, which is why rows of such numbers are quick to compute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/simd.hpp"

namespace treekernels {

// Of two trees, by the kinds of their nodes. With unit costs, kinds are labels.
template <class T>
struct Gains {
    bool unit = true;
    std::vector<std::uint32_t> a_kind, b_kind;  // by preorder number
    std::size_t b_kinds = 0;
    std::vector<T> table;  // by kind of a, then of b

    T operator()(std::uint32_t a, std::uint32_t b) const {
        if (unit) return static_cast<T>(1 + (a_kind[a] == b_kind[b]));
        return table[a_kind[a] * b_kinds + b_kind[b]];
    }

    // For a node of a and all nodes of b, whose kinds are given in some order.
    TREEKERNELS_INLINE void row(std::uint32_t a, const std::uint32_t* kinds, std::size_t count, T* out) const {
        const std::uint32_t kind = a_kind[a];
        if (unit) {
            for (std::size_t b = 0; b < count; ++b) out[b] = static_cast<T>(kinds[b] == kind ? 2 : 1);
        } else {
            const T* gains = table.data() + kind * b_kinds;
            for (std::size_t b = 0; b < count; ++b) out[b] = gains[kinds[b]];
        }
    }

    // Whose nodes those of b become, in the other direction.
    Gains turned() const {
        Gains result{unit, b_kind, a_kind, b_kinds == 0 ? 0 : table.size() / b_kinds, {}};
        result.table.resize(table.size());
        for (std::size_t a = 0; a < result.b_kinds; ++a)
            for (std::size_t b = 0; b < b_kinds; ++b) result.table[b * result.b_kinds + a] = table[a * b_kinds + b];
        return result;
    }
};

}  // namespace treekernels
