// The rule of the kernel (rule.hpp) for many pairs at once: C of a subtree with all of a layout that have its
// production, from C of its children.
//
// The row of a subtree u starts at rest, with the decay everywhere. For each child of u it is multiplied by 1 + C of
// that child, not for all v, but for those in the bucket of that child's production: for all others, C of the children
// is 0.
//
// Callers seldom want the row itself; they want a sum over it. So each value that rises is shown to a `Rise` on the
// way, and a row is written only if something reads it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "core/memory/simd.hpp"
#include "kernels/subset/rows/row.hpp"
#include "kernels/subset/rule.hpp"

namespace treekernels {

// A `Rise` is told beforehand how much C rises at the least, from the decay, by a child that has the same production.
// A caller who `knows_least` has that from sums over whole buckets, and needs to be shown what goes beyond it. It is
// called with a lane, the rank of the value that rises, and by how much. Lanes are for numbers that are summed side by
// side, as many on every machine: so the sums have the same bits.
struct IgnoredRise {
    static constexpr bool knows_least = true;
    static constexpr std::size_t lanes = 1;
    template <class Real>
    TREEKERNELS_INLINE void begin(Real) {}
    template <class Real>
    TREEKERNELS_INLINE void operator()(std::size_t, std::uint32_t, Real) {}
};

// Sums the rises times the weights of some outputs: `Width` of them, or any number if that is 0.
template <std::size_t Width, bool Least>
class WeightedRise {
public:
    static constexpr bool knows_least = Least;
    static constexpr std::size_t lanes = Width == 1 ? 8 : 1;
    // `weights` are by rank and output; `sums` has `width` numbers, the first `outputs` of which are looked at.
    WeightedRise(const double* weights, std::size_t width, double* sums, std::size_t outputs)
        : weights_(weights), width_(width), sums_(sums), outputs_(outputs) {}

    TREEKERNELS_INLINE void begin(double least) { least_ = Least ? least : 0.0; }
    TREEKERNELS_INLINE void operator()(std::size_t lane, std::uint32_t rank, double by) {
        const double rise = by - least_;
        if constexpr (Width == 0)
            for (std::size_t k = 0; k < outputs_; ++k) sums_[k] += rise * weights_[rank * width_ + k];
        else if constexpr (Width == 1)
            parts_[lane] += rise * weights_[rank];
        else
            for (std::size_t k = 0; k < Width; ++k) parts_[k] += rise * weights_[rank * Width + k];
    }
    TREEKERNELS_INLINE void finish() {
        if constexpr (Width == 1)
            for (double part : parts_) sums_[0] += part;
        else if constexpr (Width > 1)
            for (std::size_t k = 0; k < outputs_; ++k) sums_[k] += parts_[k];
    }

private:
    const double* weights_;
    std::size_t width_;
    double* sums_;
    std::size_t outputs_;
    double least_ = 0.0;
    std::array<double, Width == 1 ? lanes : Width> parts_{};
};

// Multiplies a row by 1 + C of a child, which `below` gives by rank, for the subtrees in a bucket. The row may be
// missing if it is at rest and need not be written.
template <bool write, class Real, class Below, class Rise>
TREEKERNELS_INLINE void multiply(SubsetRow<Real>* row, const SubsetBucket& bucket, Real decay, Real least, Below below,
                                 Rise& rise) {
    const std::uint32_t* ranks = bucket.ranks;
    const std::uint32_t* child_ranks = bucket.child_ranks;
    const std::size_t size = bucket.size;
    const bool at_rest = !row || row->is_at_rest();
    const bool always_raises = decay < decay + least;
    if (at_rest && always_raises && bucket.is_run) {
        const std::uint32_t first = ranks[0];
        Real* values = nullptr;
        if constexpr (write) {
            row->run_begin = first;
            row->run_end = first + size;
            values = row->values.data() + first;
        }
        const auto raise_at = [&](std::size_t lane, std::size_t i) TREEKERNELS_INLINE_LAMBDA {
            const Real by = SubsetRule<Real>::rise(decay, below(child_ranks[i]));
            if constexpr (write) values[i] = decay + by;
            rise(lane, first + static_cast<std::uint32_t>(i), by);
        };
        std::size_t i = 0;
        for (; i + Rise::lanes <= size; i += Rise::lanes)
            for (std::size_t lane = 0; lane < Rise::lanes; ++lane) raise_at(lane, i + lane);
        for (std::size_t lane = 0; i < size; ++i, ++lane) raise_at(lane, i);
        return;
    }
    if constexpr (write) row->make_room(size + 1);  // one more is written than is kept
    if (!row || (at_rest && always_raises)) {
        for (std::size_t i = 0; i < size; ++i) {
            const Real by = SubsetRule<Real>::rise(decay, below(child_ranks[i]));
            if constexpr (write) {
                row->values[ranks[i]] = decay + by;
                row->raised[i] = ranks[i];
            }
            rise(0, ranks[i], by);
        }
        if constexpr (write) row->raised_count = size;
        return;
    }
    Real* values = row->values.data();
    std::uint32_t* raised = row->raised.data();
    std::size_t raised_count = row->raised_count;
    for (std::size_t i = 0; i < size; ++i) {
        const Real old = values[ranks[i]];
        const Real by = SubsetRule<Real>::rise(old, below(child_ranks[i]));
        if constexpr (write) {
            const Real higher = old + by;
            values[ranks[i]] = higher;
            raised[raised_count] = ranks[i];
            raised_count += !(decay < old) & (decay < higher);
        }
        rise(0, ranks[i], by);
    }
    if constexpr (write) row->raised_count = raised_count;
}

// The same for a row at rest and a child at rest: all rise by the least.
template <class Real>
TREEKERNELS_INLINE void raise_by_least(SubsetRow<Real>& row, const SubsetBucket& bucket, Real decay, Real least) {
    if (!(decay < decay + least)) return;
    if (bucket.is_run) {
        row.run_begin = bucket.ranks[0];
        row.run_end = row.run_begin + bucket.size;
        std::fill_n(row.values.data() + row.run_begin, bucket.size, decay + least);
        return;
    }
    row.raised.assign(bucket.ranks, bucket.ranks + bucket.size);
    row.raised_count = bucket.size;
    for (std::uint32_t rank : row.raised) row.values[rank] = decay + least;
}

// Makes the row of a subtree, if it is needed, from those of its children. Joins are in the order of
// add_join(), and bucket_of(join) is the bucket of one. `beyond` is null or, where rows lack a part of C, gives for a
// join what is missing by rank of the child.
template <class Real, class Stored, class Join, class BucketOf, class Rise, class Beyond = std::nullptr_t>
TREEKERNELS_INLINE void raise(SubsetRowKeeper<Real, Stored>& rows, std::uint32_t place, const SubsetGroup& group,
                              std::span<const Join> joins, BucketOf bucket_of, Rise& rise, Beyond beyond = nullptr) {
    constexpr bool complete = std::is_same_v<Beyond, std::nullptr_t>;
    if (joins.empty()) return;  // at rest
    const bool needed = rows.is_needed(place);
    const Real decay(group.decay);
    SubsetRow<Real>* row = needed || joins.size() > 1 ? &rows.make(place, group) : nullptr;
    for (const Join& join : joins) {
        const SubsetBucket bucket = bucket_of(join);
        const Real child_decay(bucket.child_decay);
        const Real least = SubsetRule<Real>::rise(decay, child_decay);
        rise.begin(least);
        // What is read no more need not be written.
        const bool write = needed || &join != &joins.back();
        const auto multiply_by = [&](auto below) TREEKERNELS_INLINE_LAMBDA {
            if (write)
                multiply<true>(row, bucket, decay, least, below, rise);
            else
                multiply<false>(row, bucket, decay, least, below, rise);
        };
        const SubsetRow<Real>* child = rows.find(join.child);
        if constexpr (!complete) {
            multiply_by([&, missing = beyond(join)](std::uint32_t rank) {
                return (child ? child->values[rank] : child_decay) + missing(rank);
            });
        } else if (child) {
            multiply_by([values = child->values.data()](std::uint32_t rank) { return values[rank]; });
        } else if (Rise::knows_least && (!row || row->is_at_rest())) {
            if (write) raise_by_least(*row, bucket, decay, least);
        } else {
            multiply_by([child_decay](std::uint32_t) { return child_decay; });
        }
    }
}

}  // namespace treekernels
