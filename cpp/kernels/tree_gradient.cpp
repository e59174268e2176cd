#include "kernels/tree_gradient.hpp"

#include <stdexcept>

#include "kernels/partial/gradient.hpp"
#include "kernels/subset/gradient.hpp"
#include "kernels/subtree/gradient.hpp"

namespace treekernels {

namespace {

[[noreturn]] void refuse() { throw std::invalid_argument("this kernel has no derivatives"); }

}  // namespace

LabelPlaces label_places(const TreeKernel& kernel, GradientPlaces places, const Dag& dag) {
    const bool by_depth = std::holds_alternative<PartialKernel>(kernel);
    auto of_label = places.by_label(dag, by_depth ? places.vertical_decay : places.decay);
    return {std::move(places), std::move(of_label)};
}

void fill_tree_gradient(const Corpus& corpus, const TreeKernel& kernel, const LabelPlaces& places, bool normalize,
                        GradientView out, const Execution& execution) {
    const auto make = [&]<class Real>(const Corpus& some, const Task& task) -> std::unique_ptr<Gradients<Real>> {
        const std::size_t columns = some.tree_count();
        if (const auto* subtrees = std::get_if<SubtreeKernel>(&kernel))
            return subtree_gradients<Real>(some, subtrees->parameters, places);
        if (const auto* subsets = std::get_if<SubsetKernel>(&kernel))
            return subset_gradients<Real>(some, columns, subsets->parameters, places);
        if (const auto* partial = std::get_if<PartialKernel>(&kernel))
            return partial_gradients<Real>(some, columns, partial->parameters(), places, task);
        refuse();
    };
    fill_gradient(corpus, make, places.width(), normalize, out, execution);
}

}  // namespace treekernels
