// Norms of kernels that have no better way: as a pair of a tree with itself or, where that would keep too much, as the
// one row of a corpus of that tree alone.
#pragma once

#include <functional>
#include <memory>

#include "core/corpus.hpp"
#include "gram/interfaces.hpp"

namespace treekernels {

// K(tree, tree) as the row of a corpus of its own.
template <class Real>
Real norm_alone(const Corpus& corpus, std::size_t tree,
                const std::function<std::unique_ptr<Rows<Real>>(const Corpus&, const Task&)>& rows, const Task& task) {
    const Corpus alone(corpus, tree, task);
    Real norm(0.0);
    rows(alone, task)->worker()->row(0, 1, &norm, task);
    return norm;
}

template <class Real>
class PairNorms final : public Norms<Real> {
public:
    using MakeRows = std::function<std::unique_ptr<Rows<Real>>(const Corpus&, const Task&)>;

    PairNorms(const Corpus& corpus, std::unique_ptr<PairValues<Real>> pairs, MakeRows rows)
        : corpus_(corpus), pairs_(std::move(pairs)), rows_(std::move(rows)) {}

    std::unique_ptr<NormWorker<Real>> worker() const override { return std::make_unique<Worker>(*this); }

private:
    struct Worker final : NormWorker<Real> {
        explicit Worker(const PairNorms& norms) : norms(norms), pair(norms.pairs_->worker()) {}
        Real operator()(std::size_t tree, const Task& task) override {
            // A pair keeps C of all its node pairs, a row only what is still needed.
            constexpr double kMostKept = 1 << 24;
            if (norms.pairs_->self_memory(tree) <= kMostKept) return (*pair)(tree, tree, task);
            return norm_alone<Real>(norms.corpus_, tree, norms.rows_, task);
        }
        const PairNorms& norms;
        std::unique_ptr<PairWorker<Real>> pair;
    };

    const Corpus& corpus_;
    std::unique_ptr<PairValues<Real>> pairs_;
    MakeRows rows_;
};

}  // namespace treekernels
