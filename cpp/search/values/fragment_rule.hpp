// What a search knows of its kernel, which is one whose fragments never cut through a production: subset trees, or
// whole subtrees. The one rule for both is that of kernels/subset/rule.hpp, with cuts that weigh 1 or 0: so a leaf and
// a node, which bring the root of that, need not be told from two nodes that are apart.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/subset/rule.hpp"
#include "kernels/tree_kernel.hpp"
#include "search/segments/segment.hpp"

namespace treekernels {

struct FragmentRule : SubsetRule<double> {
    double decay;
    double leaf_weight;
    CountDamping damping = CountDamping::linear;
    std::shared_ptr<const FactorTable> table = nullptr;  // none where all productions have the decay

    // None for kernels that are searched in another way.
    static std::optional<FragmentRule> of(const TreeKernel& kernel) {
        const auto rule = [](const auto& parameters, double cut_weight) {
            return FragmentRule{with_cut_weight(cut_weight), parameters.decay, parameters.leaf_weight,
                                parameters.damping, parameters.table};
        };
        if (const auto* subset = std::get_if<SubsetKernel>(&kernel); subset && subset->parameters.cut_weight == 1.0)
            return rule(subset->parameters, 1.0);
        if (const auto* subtree = std::get_if<SubtreeKernel>(&kernel)) return rule(subtree->parameters, 0.0);
        return std::nullopt;
    }

    bool whole() const { return cut == 0.0; }

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
};

}  // namespace treekernels
