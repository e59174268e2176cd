#include "kernels/partial/rows/lanes.hpp"

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

template <class Real>
TREEKERNELS_INLINE void evaluate_lanes(std::span<const ChildCell> cells, const CellSource<Real>* sources,
                                       const Real* powers, Real weight, std::size_t lanes, PartialLanes<Real>& out) {
    for (std::size_t t = 0; t < lanes; ++t) out.total[t] = Real(0.0);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Real* ending = out.ending[k];
        Real factor[kPartialLanes];
        for (std::size_t t = 0; t < lanes; ++t) factor[t] = Real(1.0);
        for (std::size_t l = 0; l < k; ++l) {
            if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;
            const Real power = powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)];
            const Real* before = out.ending[l];
            for (std::size_t t = 0; t < lanes; ++t) factor[t] += power * before[t];
        }
        if (const Real* row = sources[k].row) {
            const std::uint32_t* ranks = sources[k].ranks;
            const Real constant = sources[k].constant;
            for (std::size_t t = 0; t < lanes; ++t) ending[t] = (constant + row[ranks[t]]) * weight * factor[t];
        } else {
            const Real constant = sources[k].constant * weight;
            for (std::size_t t = 0; t < lanes; ++t) ending[t] = constant * factor[t];
        }
        for (std::size_t t = 0; t < lanes; ++t) out.total[t] += ending[t];
    }
}

}  // namespace

void evaluate(std::span<const ChildCell> cells, const CellSource<double>* sources, const double* powers, double weight,
              std::size_t lanes, PartialLanes<double>& out) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { evaluate_lanes(cells, sources, powers, weight, lanes, out); });
}
void evaluate(std::span<const ChildCell> cells, const CellSource<Wide>* sources, const Wide* powers, Wide weight,
              std::size_t lanes, PartialLanes<Wide>& out) {
    evaluate_lanes(cells, sources, powers, weight, lanes, out);
}

}  // namespace treekernels
