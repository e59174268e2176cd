#include "embedding/batches/batch_composer.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "embedding/vectors/add_scaled.hpp"

namespace treekernels {

namespace {

template <class T>
double sum_of_squares(const T* values, std::size_t size) {
    double sums[8] = {};
    for (std::size_t i = 0; i < size; ++i) {
        const double value = static_cast<double>(values[i]);
        sums[i % 8] += value * value;
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// value * 2^exponent
template <class T>
T power(T value, std::int64_t exponent) {
    return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
}

}  // namespace

template <class T>
void BatchComposer<T>::run(Batch& batch, std::size_t block, MatrixView<T> out, Task& task) {
    const Plan& plan = batch.plan;
    block_ = block;
    width_ = composition_.width(block);
    stride_ = (width_ + 15) / 16 * 16;
    slots_.reserve(plan.slots * stride_);
    spare_.reserve(6 * stride_);
    slot_exponent_.assign(plan.slots, 0);
    cached_labels_ = std::min(plan.labels.size(), kLabelCacheBytes / (stride_ * sizeof(T)));
    labels_.reserve(cached_labels_ * stride_);
    for (std::size_t label = 0; label < cached_labels_; ++label) {
        if (label % 64 == 0) task.check();
        make_label(plan.labels[label], labels_.data() + label * stride_);
    }
    std::size_t at = 0;
    for (std::size_t tree = 0; tree < plan.tree_end.size(); ++tree) {
        T* sum = spare(5);
        std::fill_n(sum, width_, T(0));
        std::int32_t exponent = 0;
        for (; at < plan.tree_end[tree]; ++at) {
            task.check();
            const Step& step = plan.steps[at];
            if (at + 1 < plan.steps.size() && plan.steps[at + 1].edges == 0) fetch(slot(plan.steps[at + 1].slot));
            if (step.edges > 0) step.large ? compose_large(plan, step) : compose(plan, step);
            if (step.count > 0) add(step, plan.large_tree[tree], sum, exponent);
        }
        write(batch, tree, sum, exponent, out);
        task.advance(1);
    }
}

// Vectors of subtrees that were met some trees ago are in a farther cache by now: begins to read one.
template <class T>
void BatchComposer<T>::fetch(const T* vector) const {
#ifdef __GNUC__
    for (std::size_t i = 0; i < width_; i += 64 / sizeof(T)) __builtin_prefetch(vector + i);
#endif
}

template <class T>
void BatchComposer<T>::make_label(const PlannedLabel& label, T* out) const {
    composition_.label(block_, label.stream, label.scale, out);
}

template <class T>
const T* BatchComposer<T>::label(const Plan& plan, std::uint32_t number, T* room) const {
    if (number < cached_labels_) return labels_.data() + number * stride_;
    make_label(plan.labels[number], room);
    return room;
}

template <class T>
Operand<T> BatchComposer<T>::operand(const Plan& plan, const Edge& edge, T* room) const {
    Operand<T> result;
    if (edge.label != kNone) result.label = label(plan, edge.label, room);
    if (edge.slot != kNone) {
        result.vector = slot(edge.slot);
        result.weight = weight_;
    }
    return result;
}

// From the right: the last two children, then what is left of them, and the parent at the end.
template <class T>
void BatchComposer<T>::compose(const Plan& plan, const Step& step) {
    const Edge* edges = plan.edges.data() + step.first_edge;
    Operand<T> right = operand(plan, edges[step.edges - 1], spare(1));
    for (std::uint32_t child = step.edges - 1; child-- > 0;) {
        T* out = spare(2 + child % 2);
        composition_.compose(block_, operand(plan, edges[child], spare(0)), right, out);
        right = {out, nullptr, T(1)};
    }
    composition_.compose(block_, {label(plan, step.label, spare(0)), nullptr, T(1)}, right, slot(step.slot));
    slot_exponent_[step.slot] = 0;
}

// The same with an exponent beside each vector.
template <class T>
void BatchComposer<T>::compose_large(const Plan& plan, const Step& step) {
    const Edge* edges = plan.edges.data() + step.first_edge;
    std::int64_t exponent = 0;
    Operand<T> right = scaled_operand(plan, edges[step.edges - 1], spare(1), exponent);
    for (std::uint32_t child = step.edges - 1; child-- > 0;) {
        T* out = spare(2 + child % 2);
        composition_.compose(block_, scaled_operand(plan, edges[child], spare(0), exponent), right, out);
        exponent += rescale(out);
        right = {out, nullptr, T(1)};
    }
    composition_.compose(block_, {label(plan, step.label, spare(0)), nullptr, T(1)}, right, slot(step.slot));
    exponent += rescale(slot(step.slot));
    constexpr std::int64_t kLimit = 1 << 30;
    if (std::abs(exponent) > kLimit) throw Overflow("a tree is too large");
    slot_exponent_[step.slot] = static_cast<std::int32_t>(exponent);
}

template <class T>
Operand<T> BatchComposer<T>::scaled_operand(const Plan& plan, const Edge& edge, T* room, std::int64_t& exponent) const {
    Operand<T> result = operand(plan, edge, room);
    const std::int32_t own = edge.slot == kNone ? 0 : slot_exponent_[edge.slot];
    if (own == 0) return result;
    if (result.label && own < 0) {
        result.weight = power(result.weight, own);
    } else {
        exponent += own;
        if (result.label) {
            const T factor = power(T(1), -own);
            for (std::size_t i = 0; i < width_; ++i) room[i] = factor * result.label[i];
            result.label = room;
        }
    }
    return result;
}

// Takes out a power of two when elements have become large or small, and gives its exponent.
template <class T>
std::int32_t BatchComposer<T>::rescale(T* vector) const {
    T largest = 0;
    for (std::size_t i = 0; i < width_; ++i) largest = std::max(largest, std::abs(vector[i]));
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest);
    if (std::abs(exponent) <= 30) return 0;
    const T factor = power(T(1), -exponent);
    for (std::size_t i = 0; i < width_; ++i) vector[i] *= factor;
    return exponent;
}

template <class T>
void BatchComposer<T>::add(const Step& step, bool large, T* sum, std::int32_t& exponent) const {
    if (!large) return add_scaled(slot(step.slot), static_cast<T>(step.count), width_, sum);
    int more = 0;
    const double count = std::frexp(step.count, &more);
    const std::int32_t own = slot_exponent_[step.slot] + more;
    if (own > exponent) {
        const T factor = power(T(1), static_cast<std::int64_t>(exponent) - own);
        for (std::size_t i = 0; i < width_; ++i) sum[i] *= factor;
        exponent = own;
    }
    add_scaled(slot(step.slot), power(static_cast<T>(count), static_cast<std::int64_t>(own) - exponent), width_, sum);
}

template <class T>
void BatchComposer<T>::write(Batch& batch, std::size_t tree, const T* sum, std::int32_t exponent,
                             MatrixView<T> out) const {
    const std::size_t count = composition_.column_count(block_);
    T* row = out.data + (batch.plan.first_tree + tree) * out.stride + composition_.first_column(block_);
    composition_.to_columns(block_, sum, row);
    batch.exponents[tree * batch.blocks + block_] = exponent;
    if (parameters_.normalize) {
        batch.squares[tree * batch.blocks + block_] = sum_of_squares(row, count);
    } else if (exponent == 0) {
        const T factor = static_cast<T>(parameters_.factor());
        for (std::size_t i = 0; i < count; ++i) row[i] *= factor;
    }
}

template class BatchComposer<float>;
template class BatchComposer<double>;

}  // namespace treekernels
