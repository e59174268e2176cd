// C of one subtree with up to kPartialLanes subtrees of one shape, from the C of the matching children.
#pragma once

#include <cstdint>
#include <span>

#include "core/wide.hpp"
#include "kernels/partial/matches.hpp"

namespace treekernels {

inline constexpr std::size_t kPartialLanes = 32;

template <class Real>
struct PartialLanes {
    Real ending[kMostCells][kPartialLanes];  // sum of all that ends with a cell
    Real total[kPartialLanes];
};

template <class Real>
struct CellSource {
    Real constant;               // C as the labels alone give it
    const Real* row;             // what C of the row's child has beyond that, by rank; null where it is nothing
    const std::uint32_t* ranks;  // of the column's child, for each lane
};

// Sums up all child subsequences that the cells allow, for each lane.
void evaluate(std::span<const ChildCell> cells, const CellSource<double>* sources, const double* powers, double weight,
              std::size_t lanes, PartialLanes<double>& out);
void evaluate(std::span<const ChildCell> cells, const CellSource<Wide>* sources, const Wide* powers, Wide weight,
              std::size_t lanes, PartialLanes<Wide>& out);

}  // namespace treekernels
