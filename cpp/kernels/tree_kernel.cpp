#include "kernels/tree_kernel.hpp"

#include <stdexcept>

#include "kernels/corpus_norm.hpp"

namespace treekernels {

namespace {

// What `make` makes of a kernel that has a weighted forest.
template <class Make>
auto learnable(const TreeKernel& kernel, Make make) {
    using Made = decltype(make(SubsetKernel{}));
    if (!has_weighted_forest(kernel)) throw std::invalid_argument("this kernel has no weighted forest");
    return std::visit(
        [&](const auto& chosen) -> Made {
            if constexpr (HasWeightedForest<std::decay_t<decltype(chosen)>>)
                return make(chosen);
            else
                throw std::invalid_argument("this kernel has no weighted forest");
        },
        kernel);
}

}  // namespace

void resolve_labels(TreeKernel& kernel, const Dag& dag) {
    std::visit(
        [&](auto& chosen) {
            if constexpr (requires { chosen.resolve(dag); }) chosen.resolve(dag);
        },
        kernel);
}

CountDamping count_damping(const TreeKernel& kernel) {
    return std::visit([](const auto& chosen) { return damping_of(chosen); }, kernel);
}

bool has_weighted_forest(const TreeKernel& kernel) {
    if (const auto* subset = std::get_if<SubsetKernel>(&kernel); subset && subset->parameters.cut_weight != 1.0)
        return false;
    return std::visit([](const auto& chosen) { return HasWeightedForest<std::decay_t<decltype(chosen)>>; }, kernel);
}

std::unique_ptr<WeightedForest> make_forest(const TreeKernel& kernel, std::size_t outputs) {
    return learnable(kernel, [&](const auto& chosen) { return chosen.weighted_forest(outputs); });
}

std::unique_ptr<Responder> make_responder(const TreeKernel& kernel, std::size_t outputs, const Dag& dag,
                                          std::size_t bytes) {
    return learnable(kernel, [&](const auto& chosen) { return chosen.responder(outputs, dag, bytes); });
}

std::unique_ptr<WeightedTrees> make_weighted_trees(const TreeKernel& kernel, std::size_t outputs, const Dag& dag) {
    return std::visit(
        [&](const auto& chosen) -> std::unique_ptr<WeightedTrees> {
            if constexpr (HasWeightedTrees<std::decay_t<decltype(chosen)>>)
                return chosen.weighted_trees(outputs, dag);
            else
                return nullptr;
        },
        kernel);
}

std::unique_ptr<Responder> make_rough_responder(const TreeKernel& kernel, std::size_t outputs, const Dag& dag,
                                                std::size_t bytes) {
    return learnable(kernel, [&](const auto& chosen) -> std::unique_ptr<Responder> {
        if constexpr (requires { chosen.rough_responder(outputs, dag, bytes); })
            return chosen.rough_responder(outputs, dag, bytes);
        else
            return chosen.responder(outputs, dag, bytes);
    });
}

std::unique_ptr<TreeNorm> make_tree_norm(const TreeKernel& kernel, const Dag& dag) {
    return learnable(kernel, [&](const auto& chosen) { return chosen.tree_norm(dag); });
}

}  // namespace treekernels
