// The distinct subtrees of a DAG, or of some of its trees, as arrays that no longer change: what searches for the
// fragments of a model look at, while the DAG itself may grow.
//
// Children come before their parents. Numbers are signed and wide, as NumPy likes its indices, and -1 stands for none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

using Index = std::int64_t;

// Bounds on the weights of fragments grow no further than this.
inline constexpr double kLargestBound = 1e300;

class Subtrees {
public:
    // All of a DAG; each has the number that it has there.
    Subtrees(const Dag& dag, const Task& task);
    // Those below some roots. Labels, productions and subtrees go by the numbers of another DAG, `known`, which may be
    // the same; -1 for what it does not have.
    Subtrees(const Dag& dag, std::span<const Node> roots, const Dag& known, const Task& task);

    std::size_t size() const { return labels_.size(); }
    std::span<const Index> labels() const { return labels_; }
    // -1 for a leaf as well.
    std::span<const Index> productions() const { return productions_; }
    // Where the children of each begin among all children, and at last their number.
    std::span<const Index> child_offsets() const { return child_offsets_; }
    std::span<const Index> children() const { return children_; }
    std::span<const Index> children(std::size_t subtree) const {
        return children().subspan(child_offsets_[subtree], child_offsets_[subtree + 1] - child_offsets_[subtree]);
    }
    // The number of each in the DAG that is known, and where the roots are.
    std::span<const Index> numbers() const { return numbers_; }
    std::span<const Index> roots() const { return roots_; }

private:
    std::vector<Index> labels_, productions_, child_offsets_{0}, children_, numbers_, roots_;
};

// Adds what each subtree has, a row of `width` values, to its children, once for each time that it has them.
void spread_down(const Subtrees& subtrees, std::span<double> values, std::size_t width, const Task& task);

// The productions of each subtree; equal ones count as often as they occur.
std::vector<double> production_counts(const Subtrees& subtrees, const Task& task);

// The subtrees by production: those of number p are at `offsets[p]` to `offsets[p + 1]`, ascending.
struct ProductionPlaces {
    std::vector<Index> offsets;
    std::vector<Index> places;
};
ProductionPlaces places_by_production(const Subtrees& subtrees);

// For each of several sets of subtrees, by the numbers of the DAG that is known, how many roots have one of the set at
// or below them. The sets stand one after the other, cut by offsets.
std::vector<Index> count_roots_with(const Subtrees& subtrees, std::span<const Index> offsets,
                                    std::span<const Index> members, const Task& task);

}  // namespace treekernels
