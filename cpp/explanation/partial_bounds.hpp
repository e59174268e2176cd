// How much the factor of an embedding of a partial tree can still become, while the tree grows child by child.
#pragma once

#include <vector>

#include "explanation/subtrees.hpp"

namespace treekernels {

// The first two are by place among all children; the place after the last has values too, of nothing being left.
struct PartialBounds {
    std::vector<double> several;  // of any number of children from there on
    std::vector<double> best;     // of one or more, where `several` is 1
};

// `each` is the factor of a node, and `alone` that of one without children.
PartialBounds partial_bounds(const Subtrees& subtrees, double each, double alone, const Task& task);

}  // namespace treekernels
