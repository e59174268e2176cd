#include "kernel.hpp"

#include "elastic.hpp"
#include "norms.hpp"
#include "partial.hpp"
#include "subset.hpp"
#include "subset_norms.hpp"
#include "subtree.hpp"

namespace treekernels {

TreeKernel::TreeKernel(KernelParameters parameters, std::size_t label_count)
    : parameters_(std::move(parameters)), similarity_(label_count) {
    for (const auto& similar : parameters_.similarity) similarity_.set(similar.a, similar.b, similar.value);
    similarity_.finish();
}

template <class Real>
std::unique_ptr<Rows<Real>> TreeKernel::corpus_rows(const Corpus& corpus, std::size_t columns, unsigned threads) const {
    const auto& p = parameters_;
    switch (p.kind) {
        case Kind::subtree:
            return subtree_rows<Real>(corpus, columns, {p.decay, p.leaf_weight}, threads);
        case Kind::subset:
            return subset_rows<Real>(corpus, columns, {p.decay, p.leaf_weight}, threads);
        case Kind::partial:
            return partial_rows<Real>(corpus, columns, {p.decay, p.vertical_decay, p.span, &similarity_});
        case Kind::elastic:
            return elastic_rows<Real>(corpus, columns, {p.decay, &similarity_});
    }
    return nullptr;
}

template <class Real>
std::unique_ptr<Pairs<Real>> TreeKernel::pairs(const Corpus& corpus) const {
    const auto& p = parameters_;
    const auto algorithm = p.algorithm == Algorithm::qtk ? PairAlgorithm::quadratic : PairAlgorithm::merged;
    switch (p.kind) {
        case Kind::subtree:
            return subtree_pairs<Real>(corpus, {p.decay, p.leaf_weight}, algorithm);
        case Kind::subset:
            return subset_pairs<Real>(corpus, {p.decay, p.leaf_weight}, algorithm);
        case Kind::partial:
            return partial_pairs<Real>(corpus, {p.decay, p.vertical_decay, p.span, &similarity_}, algorithm);
        case Kind::elastic:
            return elastic_pairs<Real>(corpus, {p.decay, &similarity_}, algorithm);
    }
    return nullptr;
}

template <class Real>
std::unique_ptr<Rows<Real>> TreeKernel::rows(const Corpus& corpus, std::size_t columns, unsigned threads) const {
    if (parameters_.algorithm == Algorithm::corpus) return corpus_rows<Real>(corpus, columns, threads);
    return std::make_unique<PairRows<Real>>(pairs<Real>(corpus));
}

template <class Real>
std::unique_ptr<Norms<Real>> TreeKernel::norms(const Corpus& corpus) const {
    const auto& p = parameters_;
    if (p.kind == Kind::subtree) return subtree_norms<Real>(corpus, {p.decay, p.leaf_weight});
    if (p.kind == Kind::subset) return subset_norms<Real>(corpus, {p.decay, p.leaf_weight});
    return std::make_unique<PairNorms<Real>>(corpus, pairs<Real>(corpus),
                                             [this](const Corpus& alone) { return corpus_rows<Real>(alone, 1, 1); });
}

template std::unique_ptr<Rows<double>> TreeKernel::rows(const Corpus&, std::size_t, unsigned) const;
template std::unique_ptr<Rows<Wide>> TreeKernel::rows(const Corpus&, std::size_t, unsigned) const;
template std::unique_ptr<Norms<double>> TreeKernel::norms(const Corpus&) const;
template std::unique_ptr<Norms<Wide>> TreeKernel::norms(const Corpus&) const;

}  // namespace treekernels
