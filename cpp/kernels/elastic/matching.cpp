#include "kernels/elastic/matching.hpp"

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

template <class Real>
TREEKERNELS_INLINE void sum_all(const MatchingLanes<Real>& matching, std::span<const Real* const> columns,
                                Real* values) {
    const std::uint32_t* first = matching.first_child.data();
    const std::uint32_t* second = matching.second_child.data();
    const std::size_t with_one = matching.with_one, with_few = matching.with_few();
    if (columns.size() == 1) {
        const Real* a = columns[0];
        for (std::size_t m = 0; m < with_one; ++m) values[m] = a[first[m]];
        for (std::size_t m = with_one; m < with_few; ++m) values[m] = a[first[m]] + a[second[m]];
        return;
    }
    if (columns.size() == 2) {
        const Real *a = columns[0], *b = columns[1];
        for (std::size_t m = 0; m < with_one; ++m) values[m] = a[first[m]] + b[first[m]];
        for (std::size_t m = with_one; m < with_few; ++m) {
            const Real begun = a[first[m]];
            values[m] = begun + b[first[m]] + (a[second[m]] + b[second[m]] * (Real(1.0) + begun));
        }
        return;
    }
    for (std::size_t m = 0; m < with_one; ++m) {
        values[m] = columns[0][first[m]];
        for (std::size_t j = 1; j < columns.size(); ++j) values[m] += columns[j][first[m]];
    }
    for (std::size_t m = with_one; m < with_few; ++m) {
        Real begun = columns[0][first[m]], ended = columns[0][second[m]];
        for (std::size_t j = 1; j < columns.size(); ++j) {
            ended += columns[j][second[m]] * (Real(1.0) + begun);
            begun += columns[j][first[m]];
        }
        values[m] = begun + ended;
    }
}

template <class Real>
TREEKERNELS_INLINE void spread_all(const MatchingLanes<Real>& matching, const Real* values, Real* sum) {
    constexpr std::size_t kSize = AncestorBlock<Real>::kSize;
    const auto* ways = matching.ways.data();
    for (const auto& [lane, block] : matching.rises) {
        Real* lanes = sum + block * kSize;
        const Real value = values[lane];
        Real added[kSize];  // all before any is written: the compiler cannot know that nothing overlaps
        for (std::size_t i = 0; i < kSize; ++i) added[i] = lanes[i] + value * Real(ways[i]);
        for (std::size_t i = 0; i < kSize; ++i) lanes[i] = added[i];
        ways += kSize;
    }
}

}  // namespace

void sum_few_children(const MatchingLanes<float>& matching, std::span<const float* const> columns, float* values) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { sum_all(matching, columns, values); });
}
void sum_few_children(const MatchingLanes<double>& matching, std::span<const double* const> columns, double* values) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { sum_all(matching, columns, values); });
}
void sum_few_children(const MatchingLanes<Wide>& matching, std::span<const Wide* const> columns, Wide* values) {
    sum_all(matching, columns, values);
}

void spread_values(const MatchingLanes<float>& matching, const float* values, float* sum) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { spread_all(matching, values, sum); });
}
void spread_values(const MatchingLanes<double>& matching, const double* values, double* sum) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { spread_all(matching, values, sum); });
}
void spread_values(const MatchingLanes<Wide>& matching, const Wide* values, Wide* sum) {
    spread_all(matching, values, sum);
}

}  // namespace treekernels
