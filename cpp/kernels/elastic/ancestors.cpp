#include "kernels/elastic/ancestors.hpp"

#include <limits>

#include "core/memory/simd.hpp"
#include "core/wide.hpp"

namespace treekernels {

template <class Real>
void Ancestors<Real>::load() {
    const std::size_t most = 128 * lanes_.size() / kBlock;
    const auto parents = lanes_.edge_parents();
    const Grouping edges =
        group(parents.size(), lanes_.size(), [&](std::size_t e) { return lanes_.edge_children()[e]; });
    blocks_.clear();
    ranges_.assign(lanes_.size(), {});
    place_.assign(width() / kBlock, std::numeric_limits<std::size_t>::max());
    // Parents have larger numbers: what lies above them is known when it is handed down.
    for (auto x = static_cast<std::uint32_t>(lanes_.size()); x-- > 0;) {
        const std::size_t begin = blocks_.size();
        block(x / kBlock, begin).ways[x % kBlock] = 1.0;
        bool fits = true;
        for (auto above = edges[x]; !above.empty();) {
            const std::uint32_t parent = parents[above.front()];
            std::size_t times = 1;
            while (times < above.size() && parents[above[times]] == parent) ++times;
            fits = fits && hand_down(parent, times, begin);
            above = above.subspan(times);
        }
        ranges_[x] = {begin, blocks_.size()};
        if (!fits || blocks_.size() > most) return ranges_.clear();
    }
}

template <class Real>
bool Ancestors<Real>::hand_down(std::uint32_t parent, std::size_t times, std::size_t begin) {
    bool fits = true;
    for (std::size_t b = ranges_[parent].begin; b < ranges_[parent].end; ++b) {
        const AncestorBlock<Real> from = blocks_[b];
        auto& to = block(from.number, begin);
        for (std::size_t i = 0; i < kBlock; ++i) {
            using Ways = AncestorBlock<Real>::Ways;
            to.ways[i] += static_cast<Ways>(times) * from.ways[i];
            fits = fits && to.ways[i] <= std::numeric_limits<Ways>::max();
        }
    }
    return fits;
}

// That of the lane at hand, which is made if need be.
template <class Real>
AncestorBlock<Real>& Ancestors<Real>::block(std::uint32_t number, std::size_t begin) {
    if (place_[number] < begin || place_[number] >= blocks_.size()) {
        place_[number] = blocks_.size();
        blocks_.push_back({number, {}});
    }
    return blocks_[place_[number]];
}

namespace {

template <class Real>
TREEKERNELS_INLINE void add_all(std::span<const Raised<Real>> raised, const AncestorRange* ranges,
                                const AncestorBlock<Real>* blocks, Real* sum) {
    constexpr std::size_t kSize = AncestorBlock<Real>::kSize;
    for (const auto& [x, value] : raised) {
        for (std::size_t b = ranges[x].begin; b < ranges[x].end; ++b) {
            Real* lanes = sum + blocks[b].number * kSize;
            Real added[kSize];  // all before any is written: the compiler cannot know that nothing overlaps
            for (std::size_t i = 0; i < kSize; ++i) added[i] = lanes[i] + value * Real(blocks[b].ways[i]);
            for (std::size_t i = 0; i < kSize; ++i) lanes[i] = added[i];
        }
    }
}
void add_blocks(std::span<const Raised<float>> raised, const AncestorRange* ranges, const AncestorBlock<float>* blocks,
                float* sum) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(raised, ranges, blocks, sum); });
}
void add_blocks(std::span<const Raised<double>> raised, const AncestorRange* ranges,
                const AncestorBlock<double>* blocks, double* sum) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all(raised, ranges, blocks, sum); });
}
void add_blocks(std::span<const Raised<Wide>> raised, const AncestorRange* ranges, const AncestorBlock<Wide>* blocks,
                Wide* sum) {
    add_all(raised, ranges, blocks, sum);
}

}  // namespace

template <class Real>
void Ancestors<Real>::spread(std::span<const Raised<Real>> raised, Real* sum) {
    if (raised.empty()) return;
    ranges_.empty() ? spread_by_edges(raised, sum) : add_blocks(raised, ranges_.data(), blocks_.data(), sum);
}

template <class Real>
void Ancestors<Real>::spread_by_edges(std::span<const Raised<Real>> raised, Real* sum) {
    gathered_.assign(lanes_.size(), Real(0.0));
    for (const auto& [x, value] : raised) gathered_[x] = value;
    for (std::uint32_t x = 0; x < lanes_.size(); ++x) {
        for (std::uint32_t child : lanes_.children(x)) gathered_[x] += gathered_[child];
        sum[x] += gathered_[x];
    }
}

template class Ancestors<float>;
template class Ancestors<double>;
template class Ancestors<Wide>;

}  // namespace treekernels
