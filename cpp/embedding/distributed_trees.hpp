// Distributed trees: vectors whose dot products estimate a tree kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"
#include "embedding/parameters.hpp"
#include "embedding/vectors/composition.hpp"

namespace treekernels {

template <class T>
class Embedding {
public:
    explicit Embedding(const EmbeddingParameters& parameters);

    // One row for each root. Nothing is pruned if `kept` is null. `memory` bounds, in bytes, what the vectors of
    // subtrees take; `max_trees` how many trees are worked on together. A tree's row does not depend on either, nor on
    // the other trees. Throws Overflow when an element is too large for T.
    void transform(const Dag& dag, std::span<const Node> roots, const KeySet* kept, std::size_t memory,
                   std::size_t max_trees, MatrixView<T> out, const Execution& execution) const;

    // The vectors of a label, as that of a child or of a head, and of two vectors composed.
    std::vector<T> label(std::string_view text, bool head) const;
    std::vector<T> compose(std::span<const T> a, std::span<const T> b) const;

    std::size_t dimension() const { return parameters_.dimension; }

private:
    EmbeddingParameters parameters_;
    std::unique_ptr<Composition<T>> composition_;
};

}  // namespace treekernels
