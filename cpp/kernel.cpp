#include "kernel.hpp"

#include "elastic.hpp"
#include "partial.hpp"
#include "subset.hpp"
#include "subtree.hpp"

namespace treekernels {

TreeKernel::TreeKernel(KernelParameters parameters, std::size_t label_count)
    : parameters_(std::move(parameters)), similarity_(label_count) {
    for (const auto& similar : parameters_.similarity) similarity_.set(similar.a, similar.b, similar.value);
    similarity_.finish();
}

template <class Real>
std::unique_ptr<Rows<Real>> TreeKernel::corpus_rows(const Corpus& corpus, std::size_t columns) const {
    const auto& p = parameters_;
    switch (p.kind) {
        case Kind::subtree:
            return subtree_rows<Real>(corpus, columns, {p.decay, p.leaf_weight});
        case Kind::subset:
            return subset_rows<Real>(corpus, columns, {p.decay, p.leaf_weight});
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
std::unique_ptr<Rows<Real>> TreeKernel::rows(const Corpus& corpus, std::size_t columns) const {
    if (parameters_.algorithm == Algorithm::corpus) return corpus_rows<Real>(corpus, columns);
    return std::make_unique<PairRows<Real>>(pairs<Real>(corpus));
}

template <class Real>
Real NormWorker<Real>::operator()(std::size_t tree, const Task& task) {
    // A pair keeps C of all its node pairs, a row only what is still needed.
    constexpr double kMostKept = 1 << 24;
    if (pairs_.self_memory(tree) <= kMostKept) return (*pair_)(tree, tree, task);
    const Corpus alone(corpus_, tree, task);
    const auto rows = kernel_.corpus_rows<Real>(alone, 1);
    Real norm(0.0);
    rows->worker()->row(0, 1, &norm, task);
    return norm;
}

template std::unique_ptr<Rows<double>> TreeKernel::rows(const Corpus&, std::size_t) const;
template std::unique_ptr<Rows<Wide>> TreeKernel::rows(const Corpus&, std::size_t) const;
template std::unique_ptr<Pairs<double>> TreeKernel::pairs(const Corpus&) const;
template std::unique_ptr<Pairs<Wide>> TreeKernel::pairs(const Corpus&) const;
template class NormWorker<double>;
template class NormWorker<Wide>;

}  // namespace treekernels
