// C of one subtree with many subtrees whose children match its own in the same way, from the C of these children.
#pragma once

#include <cstdint>
#include <span>

#include "core/wide.hpp"
#include "kernels/partial/matches.hpp"

namespace treekernels {

// How the C of the two children in a cell is known.
template <class Real>
struct CellSource {
    enum class Kind { constant, single, by_rank, by_lane };
    Kind kind;
    Real constant;               // C as the labels alone give it
    const Real* beyond;          // what C has beyond that, by rank or by lane
    const std::uint32_t* ranks;  // of the column's child, for each lane
    std::uint32_t rank;          // the only one that has something beyond, and what
    Real value;
};

template <class Real>
struct LaneGroup {
    std::span<const ChildCell> cells;
    const CellSource<Real>* sources;
    const Real* powers;  // of the decay
    Real weight;         // of a pair of children
    Real scale;          // of all
    Real at_rest;        // what all lanes have whose children have nothing beyond their labels
    Real rest;           // what is of no interest
    bool few_ranks;      // no source is by rank or by lane
    const std::uint32_t* ranks;
    std::size_t lanes;
    Real* row;  // where C is put by rank, if anywhere
};

// Sums up all child subsequences that the cells allow, for each lane. Lists the ranks that have more than `rest`, and
// how much more; says how many there are.
std::size_t evaluate(const LaneGroup<double>& group, std::uint32_t* ranks, double* more);
std::size_t evaluate(const LaneGroup<Wide>& group, std::uint32_t* ranks, Wide* more);

// The same sum where no child has anything beyond its label: with the bits that a lane has then.
template <class Real>
Real evaluate_at_rest(std::span<const ChildCell> cells, Real leaf_value, const Real* powers, Real weight, Real scale) {
    Real ending[kMostCells];
    Real total(0.0);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Real factor(1.0);
        for (std::size_t l = 0; l < k; ++l)
            if (cells[l].row < cells[k].row && cells[l].column < cells[k].column)
                factor +=
                    powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)] * ending[l];
        ending[k] = leaf_value * Real(cells[k].similarity) * weight * factor;
        total += ending[k];
    }
    return scale * total;
}

// Adds factor * from to a vector.
void add_multiple(double* to, const double* from, std::size_t size, double factor);
void add_multiple(double* to, const float* from, std::size_t size, double factor);
void add_multiple(Wide* to, const Wide* from, std::size_t size, Wide factor);

}  // namespace treekernels
