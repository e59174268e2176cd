// Gram matrices of tree kernels.
#pragma once

#include <memory>

#include "gram/gram_matrix.hpp"
#include "gram/pairs/pair_norms.hpp"
#include "kernels/tree_kernel.hpp"

namespace treekernels {

// The trees of a corpus under a kernel.
class TreeSource {
public:
    // The kernel's labels are resolved.
    TreeSource(Corpus corpus, TreeKernel kernel, Algorithm algorithm)
        : corpus_(std::make_unique<Corpus>(std::move(corpus))),
          kernel_(std::make_unique<TreeKernel>(std::move(kernel))),
          algorithm_(algorithm) {}

    std::size_t count() const { return corpus_->tree_count(); }
    std::size_t identities() const { return corpus_->node_count(); }
    std::uint32_t identity(std::size_t tree) const { return corpus_->root(tree); }

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(std::size_t columns, unsigned threads, const Task& task) const {
        return std::visit(
            [&](const auto& kernel) -> std::unique_ptr<Rows<Real>> {
                if (algorithm_ == Algorithm::corpus)
                    return kernel.template rows<Real>(*corpus_, columns, threads, task);
                if constexpr (requires { kernel.template pairs<Real>(*corpus_, pair_algorithm(), task); })
                    return std::make_unique<PairRows<Real>>(
                        kernel.template pairs<Real>(*corpus_, pair_algorithm(), task));
                throw std::invalid_argument("this kernel is not computed pair by pair");
            },
            *kernel_);
    }
    template <class Real>
    Norms<Real> norms(const Task& task) const {
        return std::visit(
            [&](const auto& kernel) -> Norms<Real> {
                if constexpr (requires { kernel.template norms<Real>(*corpus_, task); }) {
                    return kernel.template norms<Real>(*corpus_, task);
                } else {
                    const auto alone = [&kernel](const Corpus& corpus, const Task& shared) {
                        return kernel.template rows<Real>(corpus, 1, 1, shared);
                    };
                    return pair_norms<Real>(*corpus_,
                                            kernel.template pairs<Real>(*corpus_, PairAlgorithm::merged, task), alone);
                }
            },
            *kernel_);
    }

private:
    PairAlgorithm pair_algorithm() const {
        return algorithm_ == Algorithm::qtk ? PairAlgorithm::quadratic : PairAlgorithm::merged;
    }

    // Kept where they are when the source is moved: what is made of them refers to them.
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<TreeKernel> kernel_;
    Algorithm algorithm_;
};

using Gram = GramMatrix<TreeSource>;

}  // namespace treekernels
