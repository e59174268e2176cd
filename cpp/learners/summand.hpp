// What learners see of a kernel: a sum of terms, each of which scores the examples of a batch against a model and adds
// them to it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/tree_kernel.hpp"
#include "models/weighted_forest.hpp"

namespace treekernels {

class Summand {
public:
    virtual ~Summand() = default;
    // K(i, i) of an example.
    virtual double norm(std::size_t i, const Task& task) = 0;
    // What alpha of example i is multiplied with in the model. Fails if it can be neither scored nor added.
    virtual double factor(std::size_t, const Task&) { return 1.0; }
    // Fails if one of the examples can be neither scored nor added, or has no norm where that is needed. What it finds
    // out on the way is kept.
    virtual void look_at(std::span<const std::uint32_t>, bool, const Task&) {}
    // The examples that will be scored from now on: in this order, and each added right after that if at all. Only the
    // first so many outputs need be right. A summand may make ready for them, or ignore this.
    virtual void begin(std::span<const std::uint32_t>, std::size_t, const Task&) {}
    // The examples that are likely to be scored and added from now on. Others still may be; this only makes those
    // faster.
    virtual void focus(std::span<const std::uint32_t>, const Task&) {}
    // An example that is scored soon: in so many steps, from 2 to 0. A summand may fetch it from memory meanwhile.
    virtual void expect(std::size_t, unsigned) const {}
    // Adds what example i scores, one number for each column.
    virtual void score(std::size_t i, double* scores, const Task& task) = 0;
    // Only the listed outputs need be right.
    virtual void score(std::size_t i, std::span<const std::uint32_t> outputs, double* scores, const Task& task) {
        if (!outputs.empty()) score(i, scores, task);
    }
    // Adds alpha times example i to the model: whole, or not at all.
    void add(std::size_t i, const double* alpha, const Task& task) {
        prepare_to_add(i, alpha, task);
        add_prepared(i, alpha);
    }
    // Does everything about it that can fail, so that several summands add an example or none does. What has been
    // prepared must be added next; if another summand fails, only the model is of use any more, and not this.
    virtual void prepare_to_add(std::size_t, const double*, const Task&) {}
    virtual void add_prepared(std::size_t i, const double* alpha) = 0;
};

// How a tree kernel takes part in a sum.
struct TreeTerm {
    TreeKernel kernel;
    bool normalize;
    double weight;
};

// Trees against a weighted forest.
std::unique_ptr<Summand> forest_summand(WeightedForest& forest, const TreeTerm& term, const Dag& source,
                                        std::span<const Node> roots, unsigned threads = 1);
// Trees among themselves. Keeps about so many bytes of what it has computed, if that is of use.
std::unique_ptr<Summand> responding_summand(const TreeTerm& term, std::size_t outputs, const Dag& dag,
                                            std::span<const Node> roots, std::size_t bytes, unsigned threads,
                                            const Task& task);

// Sparse vectors, one row each.
struct SparseRows {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> features;
    std::span<const double> values;

    std::size_t size() const { return offsets.size() - 1; }
};

// The linear kernel against explicit weights, `outputs` for each feature.
std::unique_ptr<Summand> linear_summand(std::span<double> weights, std::size_t outputs, double weight, SparseRows rows);

struct Polynomial {
    double degree, gamma, coef0, weight;
};
// The polynomial kernel of vectors among themselves.
std::unique_ptr<Summand> polynomial_summand(Polynomial kernel, std::size_t outputs, std::size_t features,
                                            SparseRows rows);

// Another summand for examples some of which lack the part that it looks at: they score 0, and add nothing.
std::unique_ptr<Summand> missing_summand(std::unique_ptr<Summand> whole, std::span<const std::uint8_t> missing);

// Any kernel, as the Gram matrix of the examples and what they score against the model so far.
template <class T>
std::unique_ptr<Summand> matrix_summand(std::span<const T> gram, std::span<const double> scores, std::size_t outputs);

// What examples score against a model that is somewhere else and stays as it is, and a constant kernel for what is
// added.
std::unique_ptr<Summand> known_scores(std::span<const double> scores, std::size_t outputs, double constant);

}  // namespace treekernels
