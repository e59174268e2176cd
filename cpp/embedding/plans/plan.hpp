// What has to be composed for some trees, in which order and where: each distinct subtree once, in as few places as are
// needed at a time. The same plan serves every block of the vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "embedding/plans/production_chains.hpp"
#include "embedding/vectors/composition.hpp"

namespace treekernels {

enum class Fragments {
    subset,   // s(n) = n <> (c1 + w s(c1)) <> ...
    subtree,  // s(n) = n <> w s(c1) <> ..., with the label alone for a leaf
    whole,    // of the tree as a single fragment: as before, with w = 1, and nothing but the root counts
};

// A child in a composition: its label, what is below it, or both.
struct Edge {
    std::uint32_t label;  // a place in Plan::labels; kNone if what is below stands alone
    std::uint32_t slot;   // where the vector of what is below it is; kNone if it is cut, or a leaf
};

// Compose a vector into a slot, unless it is there already, and add it to the tree.
struct Step {
    std::uint64_t first_edge;
    std::uint32_t edges;  // none if the slot has the vector already
    std::uint32_t label;
    std::uint32_t slot;
    bool large;  // its elements could become too large for the number type
    double count;
};

struct PlannedLabel {
    Stream stream;
    double scale;
    std::uint64_t uses;
};

struct Plan {
    std::size_t first_tree = 0;
    std::vector<std::uint64_t> tree_end;  // of each tree's steps
    std::vector<bool> large_tree;
    std::vector<Step> steps;
    std::vector<Edge> edges;
    std::vector<PlannedLabel> labels;
    std::size_t slots = 0;
};

struct PlanParameters {
    Fragments fragments;
    double weight;   // the square root of the decay
    bool own_heads;  // whether a label has another vector where it is the head of a production
    std::uint64_t seed;
    unsigned link_length;   // of the chains in `kept`
    const KeySet* kept;     // null: nothing is pruned
    std::size_t max_slots;  // a plan of more than one tree needs no more than these
    std::size_t max_trees;
};

// Makes plans for the trees of a forest, in order. Reads the DAG: its lock must be held.
class Planner {
public:
    Planner(const Dag& dag, std::span<const Node> roots, const PlanParameters& parameters, double label_bound,
            double growth);
    ~Planner();

    // The next trees; nothing when there are none left. `scale_of` gives the scale of a label that is met first.
    std::optional<Plan> next(const std::function<double(const Stream&)>& scale_of, const Task& task);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace treekernels
