// Distributed partial trees: vectors whose dot products estimate the partial-tree kernel.
//
// Children of a node are composed from the right, each with all that may follow it, so that one pass over them sums up
// all subsequences: R(j) = s(j) + s(j) <> D(j), where D(j) = R(j + 1) + decay * D(j + 1) is what may come after child
// j. What a node makes of the sum of all R is the sum of all fragments below it: as many compositions as it has
// children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "core/dag.hpp"
#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"
#include "embedding/vectors/composition.hpp"

namespace treekernels {

struct PartialVectorParameters {
    CompositionKind composition;
    Permutations permutations;
    std::size_t dimension;
    double decay;
    double vertical_decay;
    bool span;  // a decay also for the children that are used
    bool normalize;
    bool own_heads;  // whether a label has another vector where it is the head of some children
    std::uint64_t seed;
};

// The vectors of the labels of some trees, yet to be made.
struct LabelStreams {
    struct Label {
        Stream stream;
        double scale;
    };
    std::vector<std::uint32_t> number;  // by label; kNone for those that the trees do not have
    std::vector<Label> children, heads;
};

template <class T>
class PartialVectors {
public:
    explicit PartialVectors(const PartialVectorParameters& parameters);

    // Of the labels that occur in a corpus. Reads the DAG that it was made of, whose lock must be held.
    LabelStreams streams(const Corpus& corpus, const Dag& dag) const;
    // One row for each tree, which does not depend on the other trees. Throws Overflow when an element is too large.
    void transform(const Corpus& corpus, const LabelStreams& streams, MatrixView<T> out,
                   const Execution& execution) const;

    std::size_t dimension() const { return parameters_.dimension; }

private:
    class Worker;
    void finish(std::size_t row, MatrixView<T> out) const;

    PartialVectorParameters parameters_;
    std::unique_ptr<Composition<T>> composition_;
};

}  // namespace treekernels
