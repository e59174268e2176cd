// Gram matrices of tree kernels.
#pragma once

#include <memory>

#include "gram_of.hpp"
#include "kernel.hpp"

namespace treekernels {

// The trees of a corpus under a kernel.
class TreeSource {
public:
    TreeSource(Corpus corpus, KernelParameters parameters)
        : corpus_(std::make_unique<Corpus>(std::move(corpus))),
          kernel_(std::make_unique<TreeKernel>(std::move(parameters), corpus_->label_count())) {}

    std::size_t count() const { return corpus_->tree_count(); }
    std::size_t identities() const { return corpus_->node_count(); }
    std::uint32_t identity(std::size_t tree) const { return corpus_->root(tree); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(std::size_t columns, unsigned threads) const {
        return kernel_->rows<Real>(*corpus_, columns, threads);
    }
    template <class Real>
    std::unique_ptr<Norms<Real>> norms() const {
        return kernel_->norms<Real>(*corpus_);
    }

private:
    // Kept where they are when the source is moved: what is made of them refers to them.
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<TreeKernel> kernel_;
};

// Compiled in gram.cpp, and nowhere else.
extern template class GramOf<TreeSource>;
using Gram = GramOf<TreeSource>;

}  // namespace treekernels
