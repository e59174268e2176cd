#include "embedding/distributed_trees.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "embedding/batches/batch_composer.hpp"
#include "embedding/batches/batch_finisher.hpp"
#include "embedding/batches/batch_queue.hpp"
#include "embedding/vectors/vector_buffer.hpp"

namespace treekernels {

template <class T>
Embedding<T>::Embedding(const EmbeddingParameters& parameters)
    : parameters_(parameters),
      composition_(make_composition<T>(parameters.composition, parameters.permutations, parameters.dimension,
                                       parameters.seed)) {}

template <class T>
void Embedding<T>::transform(const Dag& dag, std::span<const Node> roots, const KeySet* kept, std::size_t memory,
                             std::size_t max_trees, MatrixView<T> out, const Execution& execution) const {
    const Composition<T>& composition = *composition_;
    const std::size_t vector_bytes = sizeof(T) * ((composition.width(0) + 15) / 16 * 16);
    const std::size_t max_slots = std::max<std::size_t>(1, memory / execution.threads / vector_bytes);
    const PlanParameters plan_parameters{parameters_.fragments,
                                         parameters_.step_weight(),
                                         parameters_.own_heads,
                                         parameters_.seed,
                                         parameters_.link_length,
                                         kept,
                                         max_slots,
                                         max_trees};
    std::optional<Planner> planner;
    Task task(roots.size() * composition.block_count());
    const auto scale_of = [&](const Stream& stream) { return composition.label_scale(stream); };
    const Locks locks = Locks().read(dag.mutex());
    const auto make_plan = [&]() -> std::optional<Plan> {
        const auto reading = locks.lock(task);
        if (!planner) planner.emplace(dag, roots, plan_parameters, composition.label_bound(), composition.growth());
        return planner->next(scale_of, task);
    };
    BatchQueue queue(make_plan, composition.block_count(), execution.threads);
    const BatchFinisher<T> finisher(composition, parameters_);
    const auto work = [&](Task& shared) {
        BatchComposer<T> composer(composition, parameters_);
        for (BatchQueue::Piece piece; queue.take(piece, shared);) {
            composer.run(*piece.batch, piece.block, out, shared);
            if (--piece.batch->left == 0) finisher.run(*piece.batch, out);
        }
    };
    run_watched(task, execution.threads, work, execution.watch);
}

template <class T>
std::vector<T> Embedding<T>::label(std::string_view text, bool head) const {
    const bool own = head && parameters_.own_heads;
    const Stream stream = stream_of(parameters_.seed, text, own ? kHeadPurpose : kLabelPurpose);
    const double scale = composition_->label_scale(stream);
    const T factor = static_cast<T>(1.0 / std::sqrt(static_cast<double>(dimension())));
    std::vector<T> result(dimension());
    VectorBuffer<T> vector;
    for (std::size_t block = 0; block < composition_->block_count(); ++block) {
        vector.reserve(composition_->width(block));
        composition_->label(block, stream, scale, vector.data());
        composition_->to_columns(block, vector.data(), result.data() + composition_->first_column(block));
    }
    for (T& value : result) value *= factor;
    return result;
}

template <class T>
std::vector<T> Embedding<T>::compose(std::span<const T> a, std::span<const T> b) const {
    const T factor = static_cast<T>(std::sqrt(static_cast<double>(dimension())));
    std::vector<T> result(dimension());
    VectorBuffer<T> vectors[3];
    for (std::size_t block = 0; block < composition_->block_count(); ++block) {
        for (VectorBuffer<T>& vector : vectors) vector.reserve(composition_->width(block));
        const std::size_t first = composition_->first_column(block);
        composition_->from_columns(block, a.data() + first, vectors[0].data());
        composition_->from_columns(block, b.data() + first, vectors[1].data());
        composition_->compose(block, {vectors[0].data()}, {vectors[1].data()}, vectors[2].data());
        composition_->to_columns(block, vectors[2].data(), result.data() + first);
    }
    for (T& value : result) value *= factor;
    return result;
}

template class Embedding<float>;
template class Embedding<double>;

}  // namespace treekernels
