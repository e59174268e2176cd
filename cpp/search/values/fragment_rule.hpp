// C of two subtrees of the same kind from that of their children, for the kernels whose fragments never cut through a
// production: subset trees, and whole subtrees.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/tree_kernel.hpp"
#include "search/segments/segment.hpp"

namespace treekernels {

struct FragmentRule {
    double decay;
    double leaf_weight;
    bool whole;  // subtrees down to the leaves only
    CountDamping damping = CountDamping::linear;
    std::shared_ptr<const FactorTable> table = nullptr;  // none where all productions have the decay

    // None for kernels that are searched in another way.
    static std::optional<FragmentRule> of(const TreeKernel& kernel) {
        const auto rule = [](const auto& parameters, bool whole) {
            return FragmentRule{parameters.decay, parameters.leaf_weight, whole, parameters.damping, parameters.table};
        };
        if (const auto* subset = std::get_if<SubsetKernel>(&kernel); subset && subset->parameters.cut_weight == 1.0)
            return rule(subset->parameters, false);
        if (const auto* subtree = std::get_if<SubtreeKernel>(&kernel)) return rule(subtree->parameters, true);
        return std::nullopt;
    }

    // What a production of a DAG, or each production of a segment, brings to the fragments that it is part of.
    double factor(const Dag& dag, Production production) const {
        return table ? table->factor(dag, production, decay) : decay;
    }
    std::vector<double> factors(const Segment& segment) const {
        std::vector<double> factors(segment.production_count(), decay);
        std::vector<std::string_view> labels;
        for (Production production = 0; table && production < factors.size(); ++production) {
            labels.clear();
            for (Label label : segment.production_labels(production)) labels.push_back(segment.label_text(label));
            factors[production] = table->factor(labels, decay);
        }
        return factors;
    }

    // Of two subtrees of the same production, which has this factor; `child(k)` is C of their children number k, if
    // these are of the same production too, or else one of the two below.
    template <class ChildValue>
    double operator()(double factor, std::size_t children, ChildValue child) const {
        double value = factor;
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
