#include "kernels/partial/rows/lanes.hpp"

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kLanes = 32;

// C of the children in a cell, for some lanes.
template <class Real>
TREEKERNELS_INLINE void load(const CellSource<Real>& source, std::size_t begin, std::size_t lanes, Real* values) {
    const Real constant = source.constant;
    switch (source.kind) {
        case CellSource<Real>::Kind::constant:
            for (std::size_t t = 0; t < lanes; ++t) values[t] = constant;
            break;
        case CellSource<Real>::Kind::single: {
            const std::uint32_t* ranks = source.ranks + begin;
            const std::uint32_t rank = source.rank;
            const Real beyond = constant + source.value;
            for (std::size_t t = 0; t < lanes; ++t) values[t] = ranks[t] == rank ? beyond : constant;
            break;
        }
        case CellSource<Real>::Kind::by_rank: {
            const std::uint32_t* ranks = source.ranks + begin;
            const Real* beyond = source.beyond;
            for (std::size_t t = 0; t < lanes; ++t) values[t] = constant + beyond[ranks[t]];
            break;
        }
        case CellSource<Real>::Kind::by_lane: {
            const Real* beyond = source.beyond + begin;
            for (std::size_t t = 0; t < lanes; ++t) values[t] = constant + beyond[t];
            break;
        }
    }
}

// Whether one of some lanes has the one rank that a source knows.
template <class Real>
TREEKERNELS_INLINE bool any_has(const CellSource<Real>& source, std::size_t begin, std::size_t lanes) {
    const std::uint32_t* ranks = source.ranks + begin;
    const std::uint32_t rank = source.rank;
    std::uint32_t same = 0;
    for (std::size_t t = 0; t < lanes; ++t) same |= ranks[t] == rank;
    return same != 0;
}

// With as many cells as the first number, unless that is 0, and as many lanes as the second.
template <std::size_t Cells, std::size_t Lanes, class Real>
TREEKERNELS_INLINE void evaluate_some(const LaneGroup<Real>& group, std::size_t begin, std::size_t some, Real* total) {
    const auto cells = group.cells;
    const std::size_t cell_count = Cells == 0 ? cells.size() : Cells, lanes = Lanes == 0 ? some : Lanes;
    const Real weight = group.weight, scale = group.scale;
    Real ending[Cells == 0 ? kMostCells : Cells][kLanes];  // sum of all that ends with a cell
    load(group.sources[0], begin, lanes, ending[0]);
    for (std::size_t t = 0; t < lanes; ++t) total[t] = ending[0][t] = ending[0][t] * weight;
    for (std::size_t k = 1; k < cell_count; ++k) {
        Real factor[kLanes];
        for (std::size_t t = 0; t < lanes; ++t) factor[t] = Real(1.0);
        for (std::size_t l = 0; l < k; ++l) {
            if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;
            const Real power =
                group.powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)];
            const Real* before = ending[l];
            for (std::size_t t = 0; t < lanes; ++t) factor[t] += power * before[t];
        }
        load(group.sources[k], begin, lanes, ending[k]);
        for (std::size_t t = 0; t < lanes; ++t) {
            ending[k][t] = ending[k][t] * weight * factor[t];
            total[t] += ending[k][t];
        }
    }
    for (std::size_t t = 0; t < lanes; ++t) total[t] = scale * total[t];
    if (Real* row = group.row) {
        const std::uint32_t* ranks = group.ranks + begin;
        for (std::size_t t = 0; t < lanes; ++t) row[ranks[t]] = total[t];
    }
}

// Lanes are taken by so many that their numbers stay in the nearest cache.
template <std::size_t Cells, class Real>
TREEKERNELS_INLINE std::size_t evaluate_lanes(const LaneGroup<Real>& group, std::uint32_t* ranks, Real* more) {
    const Real rest = group.rest;
    std::size_t listed = 0;
    Real total[kLanes];
    for (std::size_t next = 0; next < group.lanes;) {
        // The last of many lanes are taken together with some that have been done.
        const std::size_t begin = next > 0 && next + kLanes > group.lanes ? group.lanes - kLanes : next;
        const std::size_t lanes = group.lanes - begin < kLanes ? group.lanes - begin : kLanes;
        const std::size_t first = next - begin;
        next = begin + lanes;
        bool busy = !group.few_ranks;
        for (std::size_t k = 0; k < group.cells.size() && !busy; ++k)
            busy = group.sources[k].kind == CellSource<Real>::Kind::single && any_has(group.sources[k], begin, lanes);
        const std::uint32_t* lane_ranks = group.ranks + begin;
        if (!busy) {
            if (Real* row = group.row)
                for (std::size_t t = 0; t < lanes; ++t) row[lane_ranks[t]] = group.at_rest;
            if (!(rest < group.at_rest)) continue;
            for (std::size_t t = 0; t < lanes; ++t) total[t] = group.at_rest;
        } else if (lanes == kLanes) {
            evaluate_some<Cells, kLanes>(group, begin, lanes, total);
        } else {
            evaluate_some<Cells, 0>(group, begin, lanes, total);
        }
        for (std::size_t t = first; t < lanes; ++t) {
            ranks[listed] = lane_ranks[t];
            more[listed] = total[t] - rest;
            listed += rest < total[t];
        }
    }
    return listed;
}

template <class Real>
TREEKERNELS_INLINE std::size_t evaluate_cells(const LaneGroup<Real>& group, std::uint32_t* ranks, Real* more) {
    if (group.cells.size() == 1) return evaluate_lanes<1>(group, ranks, more);
    if (group.cells.size() == 2) return evaluate_lanes<2>(group, ranks, more);
    return evaluate_lanes<0>(group, ranks, more);
}

template <class Real, class From>
TREEKERNELS_INLINE void add_all(Real* to, const From* from, std::size_t size, Real factor) {
    for (std::size_t i = 0; i < size; ++i) to[i] += factor * Real(from[i]);
}

}  // namespace

std::size_t evaluate(const LaneGroup<double>& group, std::uint32_t* ranks, double* more) {
    std::size_t listed = 0;
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { listed = evaluate_cells(group, ranks, more); });
    return listed;
}
std::size_t evaluate(const LaneGroup<Wide>& group, std::uint32_t* ranks, Wide* more) {
    return evaluate_cells(group, ranks, more);
}

void add_multiple(double* to, const double* from, std::size_t size, double factor) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(to, from, size, factor); });
}
void add_multiple(double* to, const float* from, std::size_t size, double factor) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(to, from, size, factor); });
}
void add_multiple(Wide* to, const Wide* from, std::size_t size, Wide factor) { add_all(to, from, size, factor); }

}  // namespace treekernels
