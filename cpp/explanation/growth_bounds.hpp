// How much the factor of an embedding can still become, while a path or an elastic tree grows.
#pragma once

#include <vector>

#include "explanation/subtrees.hpp"

namespace treekernels {

// Of each subtree, at least what the best path down from its root brings together with all others of the same labels,
// where each label after the root's has the factor `each`.
std::vector<double> path_bounds(const Subtrees& subtrees, double each, const Task& task);

// Of each subtree, at least how often the most frequent label occurs below its root. It is exact as long as the
// labels of all subtrees take no more than `most` numbers.
std::vector<double> label_peaks(const Subtrees& subtrees, std::size_t most, const Task& task);

}  // namespace treekernels
