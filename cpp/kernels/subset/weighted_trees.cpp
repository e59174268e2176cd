#include "kernels/subset/weighted_trees.hpp"

#include "kernels/subset/table_scorer.hpp"
#include "models/root_weights.hpp"

namespace treekernels {

namespace {

class SubsetTrees final : public WeightedTrees {
public:
    SubsetTrees(SubsetParameters parameters, std::size_t outputs, const Dag& dag)
        : table_(dag, parameters, outputs), weights_(dag, outputs, parameters.damping) {}

    void assign(std::span<const Node> roots, std::span<const double> alphas, const Task& task) override {
        weights_.assign(roots, alphas, task);
        table_.assign(weights_.nodes(), weights_.values(), task);
    }
    std::unique_ptr<BatchScorer> scorer(const Dag& source, const TreeLists* lists) const override {
        return std::make_unique<SubsetTableScorer>(table_, source, lists);
    }
    TreeLists::Of looks_at() const override {
        return table_.parameters().leaf_weight == 0.0 ? TreeLists::Of::inner_nodes : TreeLists::Of::all;
    }

private:
    SubsetTable table_;
    RootWeights weights_;
};

}  // namespace

std::unique_ptr<WeightedTrees> make_subset_trees(SubsetParameters parameters, std::size_t outputs, const Dag& dag) {
    return std::make_unique<SubsetTrees>(parameters, outputs, dag);
}

}  // namespace treekernels
