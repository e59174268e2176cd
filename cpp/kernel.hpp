// A tree kernel by name and parameters, and the algorithms that compute it.
#pragma once

#include <memory>
#include <vector>

#include "corpus.hpp"
#include "rows.hpp"
#include "similarity.hpp"

namespace treekernels {

enum class Kind { subtree, subset, partial, elastic };
enum class Algorithm { corpus, ftk, qtk };

struct KernelParameters {
    Kind kind;
    Algorithm algorithm;
    double decay;
    double vertical_decay;  // partial only
    double leaf_weight;     // subtree and subset only
    bool span;              // partial only
    struct Similar {
        Label a, b;
        double value;
    };
    std::vector<Similar> similarity;  // partial and elastic only
};

class TreeKernel {
public:
    // Both must outlive what is made here.
    TreeKernel(KernelParameters parameters, std::size_t label_count);

    template <class Real>
    std::unique_ptr<Rows<Real>> rows(const Corpus& corpus, std::size_t columns, unsigned threads) const;
    template <class Real>
    std::unique_ptr<Norms<Real>> norms(const Corpus& corpus) const;

private:
    template <class Real>
    std::unique_ptr<Rows<Real>> corpus_rows(const Corpus& corpus, std::size_t columns, unsigned threads) const;
    template <class Real>
    std::unique_ptr<Pairs<Real>> pairs(const Corpus& corpus) const;

    KernelParameters parameters_;
    LabelSimilarity similarity_;
};

}  // namespace treekernels
