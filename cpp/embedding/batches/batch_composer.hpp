// Carries out plans, a block of the vectors at a time: composes the vectors of subtrees and adds them up to trees.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"
#include "embedding/batches/batch.hpp"
#include "embedding/parameters.hpp"
#include "embedding/vectors/vector_buffer.hpp"

namespace treekernels {

// One of these belongs to each thread.
template <class T>
class BatchComposer {
public:
    BatchComposer(const Composition<T>& composition, const EmbeddingParameters& parameters)
        : composition_(composition), parameters_(parameters), weight_(static_cast<T>(parameters.step_weight())) {}

    // Writes a block of the batch's rows. Without exponents of their own, they are done unless they are to be
    // normalised; the rest is left to the finisher.
    void run(Batch& batch, std::size_t block, MatrixView<T> out, Task& task);

private:
    T* slot(std::uint32_t number) const { return slots_.data() + number * stride_; }
    T* spare(std::size_t number) const { return spare_.data() + number * stride_; }
    void fetch(const T* vector) const;

    void make_label(const PlannedLabel& label, T* out) const;
    const T* label(const Plan& plan, std::uint32_t number, T* room) const;
    Operand<T> operand(const Plan& plan, const Edge& edge, T* room) const;
    Operand<T> scaled_operand(const Plan& plan, const Edge& edge, T* room, std::int64_t& exponent) const;

    void compose(const Plan& plan, const Step& step);
    void compose_large(const Plan& plan, const Step& step);
    std::int32_t rescale(T* vector) const;
    void add(const Step& step, bool large, T* sum, std::int32_t& exponent) const;
    void write(Batch& batch, std::size_t tree, const T* sum, std::int32_t exponent, MatrixView<T> out) const;

    const Composition<T>& composition_;
    const EmbeddingParameters& parameters_;
    T weight_;
    std::size_t block_ = 0, width_ = 0, stride_ = 0, cached_labels_ = 0;
    VectorBuffer<T> slots_, spare_, labels_;
    std::vector<std::int32_t> slot_exponent_;
};

}  // namespace treekernels
