// The inner loops of the subset-tree kernel: rows of C from those of children, by the buckets of a table. What they add
// beyond the sums of groups and buckets is multiplied with weights on the way, where there are any.
#pragma once

#include <array>
#include <vector>

#include "core/simd.hpp"
#include "kernels/subset/row.hpp"

namespace treekernels {

// Numbers that are summed side by side, as many on every machine: so the sums have the same bits.
inline constexpr std::size_t kLanes = 8;

// The weights of some outputs times a number, added up.
template <std::size_t Width>
struct Sums {
    TREEKERNELS_INLINE void add(double factor, const double* weights, std::size_t) {
        for (std::size_t k = 0; k < Width; ++k) sums[k] += factor * weights[k];
    }
    void add_to(double* to, std::size_t outputs) const {
        for (std::size_t k = 0; k < outputs; ++k) to[k] += sums[k];
    }
    std::array<double, Width> sums{};
};
// Of any width.
template <>
struct Sums<0> {
    explicit Sums(std::size_t width) : sums(width, 0.0) {}
    void add(double factor, const double* weights, std::size_t width) {
        for (std::size_t k = 0; k < width; ++k) sums[k] += factor * weights[k];
    }
    void add_to(double* to, std::size_t outputs) const {
        for (std::size_t k = 0; k < outputs; ++k) to[k] += sums[k];
    }
    std::vector<double> sums;
};
template <std::size_t Width>
auto make_sums(std::size_t width) {
    if constexpr (Width == 0)
        return Sums<0>(width);
    else
        return Sums<Width>();
}

// A run of subtrees at rest is multiplied by 1 + C of a child. What that adds beyond `base` is summed with the weights,
// and written if it is needed.
template <bool write, bool respond>
TREEKERNELS_INLINE double raise_single(double* values, const double* below, const std::uint32_t* child_ranks,
                                       std::size_t count, double decay, double base, const double* weights) {
    std::array<double, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double by = decay * below[child_ranks[i + lane]];
            if constexpr (write) values[i + lane] = decay + by;
            if constexpr (respond) sums[lane] += (by - base) * weights[i + lane];
        }
    }
    for (std::size_t lane = 0; i < count; ++i, ++lane) {
        const double by = decay * below[child_ranks[i]];
        if constexpr (write) values[i] = decay + by;
        if constexpr (respond) sums[lane] += (by - base) * weights[i];
    }
    double sum = 0.0;
    for (double part : sums) sum += part;
    return sum;
}

template <std::size_t Width, bool write, bool respond>
TREEKERNELS_INLINE void raise_run(double* values, const double* below, const std::uint32_t* child_ranks,
                                  std::size_t count, double decay, double base, const double* weights,
                                  std::size_t width, std::size_t outputs, double* response) {
    if constexpr (Width == 1) {
        const double sum = raise_single<write, respond>(values, below, child_ranks, count, decay, base, weights);
        if constexpr (respond) response[0] += sum;
    } else {
        auto sums = make_sums<Width>(width);
        for (std::size_t i = 0; i < count; ++i) {
            const double by = decay * below[child_ranks[i]];
            if constexpr (write) values[i] = decay + by;
            if constexpr (respond) sums.add(by - base, weights + i * (Width ? Width : width), width);
        }
        if constexpr (respond) sums.add_to(response, outputs);
    }
}

// What comes after the first child: the subtrees are listed, and some are raised already.
template <std::size_t Width, bool write, bool respond, class Below>
TREEKERNELS_INLINE void raise_listed(SubsetRow<double>* row, double* values, const std::uint32_t* ranks,
                                     const std::uint32_t* child_ranks, std::size_t count, Below below, double decay,
                                     double base, const double* weights, std::size_t width, std::size_t outputs,
                                     double* response) {
    auto sums = make_sums<Width>(width);
    std::uint32_t* raised = nullptr;
    std::size_t raised_count = 0;
    if constexpr (write) {
        row->make_room(count + 1);  // one more is written than is kept
        raised = row->raised.data();
        raised_count = row->raised_count;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t rank = ranks[i];
        const double old = values ? values[rank] : decay;
        const double by = old * below(child_ranks[i]);
        if constexpr (write) {
            const double higher = old + by;
            values[rank] = higher;
            raised[raised_count] = rank;
            raised_count += !(decay < old) & (decay < higher);
        }
        if constexpr (respond) sums.add(by - base, weights + rank * (Width ? Width : width), width);
    }
    if constexpr (write) row->raised_count = raised_count;
    if constexpr (respond) sums.add_to(response, outputs);
}

}  // namespace treekernels
