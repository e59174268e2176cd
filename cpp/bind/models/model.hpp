// A weighted forest with its kernel's place in a sum, as Python holds it.
#pragma once

#include "bind/bind.hpp"
#include "learners/summand.hpp"

namespace treekernels {

template <class T>
using WholeMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A forest and how its kernel takes part in a sum. Its kernel and outputs stay as they are.
struct Model {
    Model(TreeKernel kernel, bool normalize, double weight, std::size_t outputs)
        : term{std::move(kernel), normalize, weight}, forest(make_forest(term.kernel, outputs)) {
        if (outputs == 0) throw nb::value_error("a forest needs at least one output");
    }
    // The forest and its DAG change together, so that they have one lock.
    SharedMutex& mutex() const { return forest->dag().mutex(); }

    TreeTerm term;
    std::unique_ptr<WeightedForest> forest;
};

// Whether to add trees to a model, or to score them against it, takes no time.
inline bool is_brief(const Model& model, const Dag& dag, const ConstVector<Node>& roots) {
    return model.forest->size() < kBriefNodes && is_brief(dag, span_of(roots), kBriefComparison);
}

inline std::span<double> span_of_all(WholeMatrix<double>& matrix) { return {matrix.data(), matrix.size()}; }

template <class T>
void check_shape(const WholeMatrix<T>& matrix, std::size_t rows, std::size_t width) {
    if (matrix.shape(0) != rows || matrix.shape(1) != width) throw nb::value_error("a matrix has another shape");
}

}  // namespace treekernels
