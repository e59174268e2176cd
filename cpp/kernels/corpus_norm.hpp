// K(tree, tree) for learners, of kernels that are computed on a corpus.
#pragma once

#include <memory>
#include <vector>

#include "core/trees/distinct_trees.hpp"
#include "gram/pairs/pair_norms.hpp"
#include "gram/pairs/pairwise.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

// How a kernel counts what occurs more than once.
template <class Kernel>
CountDamping damping_of(const Kernel& kernel) {
    if constexpr (requires { kernel.damping(); })
        return kernel.damping();
    else
        return CountDamping::linear;
}

// The corpus is made of all trees that were announced, or of the one that is asked for.
template <class Kernel>
class CorpusNorm final : public TreeNorm {
public:
    CorpusNorm(Kernel kernel, const Dag& dag) : kernel_(std::move(kernel)), dag_(dag) { kernel_.resolve(dag); }

    void announce(std::span<const Node> roots) override {
        for (Node root : roots) announced_.insert(root);
    }

    double operator()(const TreeNodes& tree, const Task& task) override {
        announced_.insert(tree.root());
        const std::uint32_t number = announced_.number(tree.root());
        if (number < first_ || number >= first_ + measured_) measure(number, task);
        return (*worker_)(number - first_, task);
    }

private:
    void measure(std::uint32_t number, const Task& task) {
        constexpr std::size_t kMostTogether = 4096;
        const std::size_t end = std::min(announced_.size(), number + kMostTogether);
        const std::size_t count = end - number;
        measured_ = 0;  // until all of it is there: the task may be stopped
        worker_.reset();
        norms_.reset();
        corpus_ = std::make_unique<Corpus>(dag_, announced_.roots().subspan(number, count), std::span<const Node>(), 1U,
                                           task, damping_of(kernel_));
        const auto alone = [this](const Corpus& corpus, const Task& shared) {
            return kernel_.template rows<double>(corpus, 1, 1, shared);
        };
        norms_ = std::make_unique<PairNorms<double>>(
            *corpus_, kernel_.template pairs<double>(*corpus_, PairAlgorithm::merged, task), alone);
        worker_ = norms_->worker();
        first_ = number;
        measured_ = count;
    }

    Kernel kernel_;
    const Dag& dag_;
    DistinctTrees announced_;
    std::unique_ptr<Corpus> corpus_;
    std::size_t first_ = 0, measured_ = 0;
    std::unique_ptr<PairNorms<double>> norms_;
    std::unique_ptr<NormWorker<double>> worker_;
};

}  // namespace treekernels
