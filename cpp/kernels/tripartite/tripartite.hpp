// Gram matrices of sentence pairs under the tripartite kernel.
#pragma once

#include <memory>

#include "gram/gram_matrix.hpp"
#include "kernels/tripartite/placeholders.hpp"

namespace treekernels {

// The third is the second without what is shared among constraints: for benchmarks.
enum class PairsAlgorithm { tables, inclusion_exclusion, inclusion_exclusion_anew, maximum };

// Sentence pairs under the kernel.
class PairsSource {
public:
    PairsSource(AnchoredPairs examples, PairsAlgorithm algorithm, double decay)
        : examples_(std::make_unique<AnchoredPairs>(std::move(examples))), algorithm_(algorithm), decay_(decay) {}

    std::size_t count() const { return examples_->count(); }
    std::size_t identities() const { return examples_->identities(); }
    std::uint32_t identity(std::size_t pair) const { return examples_->identity(pair); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(std::size_t columns, unsigned threads, const Task& task) const;
    template <class Real>
    Norms<Real> norms(const Task& task) const;

    template <class Real>
    std::unique_ptr<PairWorker<Real>> worker() const;

private:
    // Kept where they are when the source is moved: what is made of them refers to them.
    std::unique_ptr<AnchoredPairs> examples_;
    PairsAlgorithm algorithm_;
    double decay_;
};

using PairsGram = GramMatrix<PairsSource>;

}  // namespace treekernels
