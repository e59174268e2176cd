// What is left of two trees when what is equal at their edges is taken away.
//
// With unit costs, roots with the same label become each other in some best mapping, and equal first or last trees of
// two forests as well: whatever their nodes are mapped to instead gains no more.
#pragma once

#include <cstdint>
#include <span>

#include "core/dag.hpp"

namespace treekernels {

struct TrimmedTrees {
    Node a, b;  // roots, of which only some children are left
    std::span<const Node> a_children, b_children;
    bool trimmed;  // whether anything was taken away
};

inline TrimmedTrees trim(const Dag& dag, Node a, Node b) {
    bool trimmed = false;
    for (;;) {
        auto one = dag.children(a), two = dag.children(b);
        if (dag.label(a) != dag.label(b)) return {a, b, one, two, trimmed};
        while (!one.empty() && !two.empty() && one.front() == two.front()) {
            one = one.subspan(1);
            two = two.subspan(1);
            trimmed = true;
        }
        while (!one.empty() && !two.empty() && one.back() == two.back()) {
            one = one.first(one.size() - 1);
            two = two.first(two.size() - 1);
            trimmed = true;
        }
        if (one.size() != 1 || two.size() != 1 || dag.label(one[0]) != dag.label(two[0]))
            return {a, b, one, two, trimmed};
        a = one[0];
        b = two[0];
        trimmed = true;
    }
}

}  // namespace treekernels
