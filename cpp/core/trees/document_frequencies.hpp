// In how many trees each production and each label occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

// Of all productions of the DAG.
std::vector<std::uint64_t> production_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task);
// Of all labels, be they on inner nodes or leaves.
std::vector<std::uint64_t> label_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task);

// Keys as trees of their own: a production as a node with leaves below it, a label as a leaf.
struct DocumentFrequencies {
    std::vector<Node> keys;
    std::vector<std::uint64_t> counts;
};
// Of the productions or labels that occur in some of the trees. The keys are put into another DAG.
DocumentFrequencies document_frequencies(const Dag& dag, std::span<const Node> roots, bool labels, Dag& keys,
                                         const Task& task);

}  // namespace treekernels
