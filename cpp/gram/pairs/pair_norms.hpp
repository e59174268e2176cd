// Norms of kernels that have no better way: as a pair of a tree with itself or, where that would keep too much, as the
// one row of a corpus of that tree alone.
#pragma once

#include <functional>
#include <memory>

#include "core/corpus.hpp"
#include "gram/interfaces.hpp"

namespace treekernels {

template <class Real>
using MakeRows = std::function<std::unique_ptr<Rows<Real>>(const Corpus&, const Task&)>;

// K(tree, tree) as the row of a corpus of its own.
template <class Real>
Real norm_alone(const Corpus& corpus, std::size_t tree, const MakeRows<Real>& rows, const Task& task) {
    const Corpus alone(corpus, tree, task);
    Real norm(0.0);
    rows(alone, task)->worker()->row(0, 1, &norm, task);
    return norm;
}

template <class Real>
Norms<Real> pair_norms(const Corpus& corpus, std::shared_ptr<const PairValues<Real>> pairs, MakeRows<Real> rows) {
    return [&corpus, pairs, rows]() -> NormWorker<Real> {
        return [&corpus, pairs, rows, pair = std::shared_ptr<PairWorker<Real>>(pairs->worker())](std::size_t tree,
                                                                                                 const Task& task) {
            // A pair keeps C of all its node pairs, a row only what is still needed.
            constexpr double kMostKept = 1 << 24;
            if (pairs->self_memory(tree) <= kMostKept) return (*pair)(tree, tree, task);
            return norm_alone<Real>(corpus, tree, rows, task);
        };
    };
}

}  // namespace treekernels
