// In how many trees each production and each label occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/tasks.hpp"

namespace treekernels {

// Of all productions of the DAG.
std::vector<std::uint64_t> production_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task);
// Of all labels, be they on inner nodes or leaves.
std::vector<std::uint64_t> label_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task);

}  // namespace treekernels
