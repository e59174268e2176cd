// The weighted forest of the subtree kernel: two trees share what they have of identical subtrees.
#pragma once

#include "kernels/subtree/subtree.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

std::unique_ptr<WeightedForest> make_subtree_forest(SubtreeParameters parameters, std::size_t outputs);
std::unique_ptr<Responder> make_subtree_responder(SubtreeParameters parameters, std::size_t outputs, const Dag& dag);
std::unique_ptr<TreeNorm> make_subtree_norm(SubtreeParameters parameters, const Dag& dag);

// The product of the decays of all internal nodes of every subtree of a DAG, or a leaf's own weight; made when first
// asked for.
class SubtreeWeights {
public:
    SubtreeWeights(const Dag& dag, SubtreeParameters parameters) : dag_(dag), parameters_(std::move(parameters)) {}
    double operator()(Node node) {
        if (weights_.empty()) weigh();
        return weights_[node];
    }

private:
    void weigh() {
        parameters_.resolve(dag_);
        weights_.reserve(dag_.size());
        for (Node next = 0; next < dag_.size(); ++next) {
            double weight = dag_.is_leaf(next) ? parameters_.leaf_weight : parameters_.decay_of(dag_.production(next));
            for (Node child : dag_.children(next))
                if (!dag_.is_leaf(child)) weight *= weights_[child];
            weights_.push_back(weight);
        }
    }

    const Dag& dag_;
    SubtreeParameters parameters_;
    std::vector<double> weights_;
};

}  // namespace treekernels
