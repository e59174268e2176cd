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

// Trees are measured in blocks, in the order in which they were announced: whoever asks for them in another order must
// not have a corpus made again and again.
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
        values_.resize(announced_.size(), kUnknown);
        if (values_[number] == kUnknown) measure(number, task);
        return values_[number];
    }

private:
    static constexpr double kUnknown = -1.0;

    void measure(std::uint32_t number, const Task& task) {
        constexpr std::size_t kTogether = 4096;
        const std::size_t begin = number - number % kTogether;
        std::vector<std::uint32_t> unknown;
        std::vector<Node> roots;
        for (std::size_t i = begin; i < std::min(announced_.size(), begin + kTogether); ++i) {
            if (values_[i] != kUnknown) continue;
            unknown.push_back(static_cast<std::uint32_t>(i));
            roots.push_back(announced_.roots()[i]);
        }
        const Corpus corpus(dag_, roots, std::span<const Node>(), 1U, task, damping_of(kernel_));
        const auto alone = [this](const Corpus& other, const Task& shared) {
            return kernel_.template rows<double>(other, 1, 1, shared);
        };
        const NormWorker<double> norm =
            pair_norms<double>(corpus, kernel_.template pairs<double>(corpus, PairAlgorithm::merged, task), alone)();
        for (std::size_t i = 0; i < unknown.size(); ++i) values_[unknown[i]] = norm(i, task);
    }

    Kernel kernel_;
    const Dag& dag_;
    DistinctTrees announced_;
    std::vector<double> values_;  // in that order
};

}  // namespace treekernels
