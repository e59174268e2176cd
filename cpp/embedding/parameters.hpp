// What distributed trees are made with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "embedding/plans/plan.hpp"
#include "embedding/vectors/composition.hpp"

namespace treekernels {

struct EmbeddingParameters {
    CompositionKind composition;
    Permutations permutations;
    Fragments fragments;
    std::size_t dimension;
    double decay;
    bool normalize;
    bool own_heads;  // whether a label has another vector where it is the head of a production
    std::uint64_t seed;
    unsigned link_length;  // of the chains that are kept

    // What the vector of a subtree is multiplied by on its way up.
    double step_weight() const { return fragments == Fragments::whole ? 1.0 : std::sqrt(decay); }
    // What all elements are multiplied by in the end.
    double factor() const { return step_weight() / std::sqrt(static_cast<double>(dimension)); }
};

}  // namespace treekernels
