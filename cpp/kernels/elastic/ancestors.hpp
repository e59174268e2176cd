// What lies above each lane of the elastic tree kernel: C(x, y) is a part of A for x and all that contains it.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/elastic/lanes.hpp"

namespace treekernels {

// Something to be added to a lane and all lanes above it.
template <class Real>
struct Raised {
    std::uint32_t lane;
    Real value;
};

// Some neighbouring lanes, to add to all of them at once, and the number of ways from each down to another lane.
template <class Real>
struct AncestorBlock {
    using Ways = std::conditional_t<std::is_same_v<Real, float>, float, double>;
    // As many as are added at once.
    static constexpr std::size_t kSize = std::is_floating_point_v<Real> ? 64 / sizeof(Real) : 1;
    std::uint32_t number;
    Ways ways[kSize];
};

struct AncestorRange {
    std::size_t begin, end;
};

template <class Real>
class Ancestors {
public:
    explicit Ancestors(const ElasticLanes& lanes) : lanes_(lanes) {}
    // To be called when other trees have been loaded.
    void load();
    // The length of a vector over the lanes: that of whole blocks.
    std::size_t width() const { return (lanes_.size() + kBlock - 1) / kBlock * kBlock; }
    void spread(std::span<const Raised<Real>> raised, Real* sum);
    // Whether the blocks above each lane are known; there may be too many.
    bool has_blocks() const { return !ranges_.empty(); }
    std::span<const AncestorBlock<Real>> blocks(std::uint32_t lane) const {
        return {blocks_.data() + ranges_[lane].begin, blocks_.data() + ranges_[lane].end};
    }

private:
    static constexpr std::size_t kBlock = AncestorBlock<Real>::kSize;

    // Hands all that lies above a parent down to a child whose blocks begin there. False if a number is too large.
    bool hand_down(std::uint32_t parent, std::size_t times, std::size_t begin);
    AncestorBlock<Real>& block(std::uint32_t number, std::size_t begin);
    void spread_by_edges(std::span<const Raised<Real>> raised, Real* sum);

    const ElasticLanes& lanes_;
    std::vector<AncestorRange> ranges_;  // of blocks, by lane; none where there would be too many
    std::vector<AncestorBlock<Real>> blocks_;
    std::vector<std::size_t> place_;  // by number of a block, for the lane at hand
    std::vector<Real> gathered_;
};

}  // namespace treekernels
