// C of two subtrees of the same kind from that of their children, for the kernels whose fragments never cut through a
// production: subset trees, and whole subtrees.
#pragma once

#include <optional>

#include "kernels/tree_kernel.hpp"

namespace treekernels {

struct FragmentRule {
    double decay;
    double leaf_weight;
    bool whole;  // subtrees down to the leaves only

    // None for kernels that are searched in another way: also those with weights of productions or damped counts.
    static std::optional<FragmentRule> of(const TreeKernel& kernel) {
        const auto rule = [](const auto& parameters, bool whole) -> std::optional<FragmentRule> {
            if (parameters.table || parameters.damping != CountDamping::linear) return std::nullopt;
            return FragmentRule{parameters.decay, parameters.leaf_weight, whole};
        };
        if (const auto* subset = std::get_if<SubsetKernel>(&kernel)) return rule(subset->parameters, false);
        if (const auto* subtree = std::get_if<SubtreeKernel>(&kernel)) return rule(subtree->parameters, true);
        return std::nullopt;
    }

    // Of two subtrees of the same production; `child(k)` is C of their children number k, if these are of the same
    // production too, or else one of the two below.
    template <class ChildValue>
    double operator()(std::size_t children, ChildValue child) const {
        double value = decay;
        for (std::size_t k = 0; k < children; ++k) {
            const double below = child(k);
            if (below == kEqualLeaves) continue;
            if (whole)
                value = below == kDifferent ? 0.0 : value * below;
            else if (below != kDifferent)
                value *= 1.0 + below;
        }
        return value;
    }
    static constexpr double kDifferent = -1.0;
    static constexpr double kEqualLeaves = -2.0;
};

}  // namespace treekernels
