// Values of trees that are too large for the search, as a Gram matrix has them.
#pragma once

#include <span>
#include <vector>

#include "kernels/tree_kernel.hpp"
#include "search/segments/segment.hpp"

namespace treekernels {

// Between a tree of a DAG and some columns of a segment; an empty list stands for all of them.
std::vector<double> gram_values(const TreeKernel& kernel, bool normalize, const Dag& dag, Node root,
                                const Segment& segment, std::span<const std::uint32_t> columns, const Task& task);

}  // namespace treekernels
