// Distances of many pairs of trees, on all threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"
#include "distance/bounds.hpp"
#include "distance/costs.hpp"

namespace treekernels {

// What is asked of distances. What is more than `most` is infinite, and need not be computed.
struct DistanceRequest {
    const Dag& dag;
    const EditCosts& costs;
    double most;
    double most_bytes;  // for a comparison
};

// All advance the task by what they have done: pairs, or queries. Of all `rows` from all `columns`; of the columns from
// each other if there are no rows given and costs are symmetric.
template <class T>
void fill_distances(const DistanceRequest& request, std::span<const Node> rows, std::span<const Node> columns,
                    bool symmetric, MatrixView<T> out, unsigned threads, Task& task);

// Of each tree of `a` from that in the same place of `b`.
std::vector<double> pair_distances(const DistanceRequest& request, std::span<const Node> a, std::span<const Node> b,
                                   unsigned threads, Task& task);

// For each query the trees nearest to it, or as near as `most`: at most `count`, the nearest first, equal ones in
// order.
struct Neighbors {
    std::vector<std::uint64_t> offset{0};
    std::vector<std::uint32_t> tree;
    std::vector<double> distance;
};
// `lists` has the labels of all trees, or nothing if costs are not one for each edit. Only those before the place of
// the query are of interest if they are queries `among` themselves.
Neighbors find_neighbors(const DistanceRequest& request, std::span<const Node> queries, std::span<const Node> trees,
                         const LabelLists& lists, bool among, std::size_t count, unsigned threads, Task& task);

}  // namespace treekernels
