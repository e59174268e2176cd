#include "embedding/distributed_trees.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "core/errors.hpp"
#include "core/simd.hpp"

namespace treekernels {

namespace {

// Labels' vectors that are kept while a block is computed take at most so many bytes.
constexpr std::size_t kLabelCacheBytes = 4 << 20;

template <class T>
TREEKERNELS_INLINE void add_all_scaled(const T* __restrict from, T weight, std::size_t size, T* __restrict to) {
    for (std::size_t i = 0; i < size; ++i) to[i] += weight * from[i];
}
template <class T>
void add_scaled(const T* from, T weight, std::size_t size, T* to) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_all_scaled(from, weight, size, to); });
}

template <class T>
double sum_of_squares(const T* values, std::size_t size) {
    double sums[8] = {};
    for (std::size_t i = 0; i < size; ++i) {
        const double value = static_cast<double>(values[i]);
        sums[i % 8] += value * value;
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Memory for vectors, aligned to cache lines and not initialised.
template <class T>
class Buffer {
public:
    void reserve(std::size_t size) {
        if (size <= size_) return;
        data_.reset();
        data_.reset(static_cast<T*>(::operator new(size * sizeof(T), kAlignment)));
        size_ = size;
    }
    T* data() const { return data_.get(); }

private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(T* data) const { ::operator delete(data, kAlignment); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

// Some trees on their way through the blocks.
struct Batch {
    Plan plan;
    std::size_t blocks;
    std::size_t next_block = 0;  // guarded by the queue
    std::atomic<std::size_t> left;
    std::vector<double> squares;  // of each tree's blocks
    std::vector<std::int32_t> exponents;

    Batch(Plan p, std::size_t block_count) : plan(std::move(p)), blocks(block_count), left(block_count) {
        squares.resize(plan.tree_end.size() * blocks);
        exponents.resize(plan.tree_end.size() * blocks);
    }
};

// Carries out plans, a block at a time. One of these belongs to each thread.
template <class T>
class Worker {
public:
    Worker(const Composition<T>& composition, const EmbeddingParameters& parameters)
        : composition_(composition), parameters_(parameters), weight_(static_cast<T>(std::sqrt(parameters.decay))) {
        if (parameters.fragments == Fragments::whole) weight_ = T(1);
    }

    void run(Batch& batch, std::size_t block, MatrixView<T> out, Task& task) {
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

private:
    T* slot(std::uint32_t number) const { return slots_.data() + number * stride_; }
    T* spare(std::size_t number) const { return spare_.data() + number * stride_; }

    // Vectors of subtrees that were met some trees ago are in a farther cache by now: begins to read one.
    void fetch(const T* vector) const {
#ifdef __GNUC__
        for (std::size_t i = 0; i < width_; i += 64 / sizeof(T)) __builtin_prefetch(vector + i);
#endif
    }

    void make_label(const PlannedLabel& label, T* out) const {
        composition_.label(block_, label.stream, label.scale, out);
    }
    const T* label(const Plan& plan, std::uint32_t number, T* room) const {
        if (number < cached_labels_) return labels_.data() + number * stride_;
        make_label(plan.labels[number], room);
        return room;
    }

    Operand<T> operand(const Plan& plan, const Edge& edge, T* room) const {
        Operand<T> result;
        if (edge.label != kNone) result.label = label(plan, edge.label, room);
        if (edge.slot != kNone) {
            result.vector = slot(edge.slot);
            result.weight = weight_;
        }
        return result;
    }

    // From the right: the last two children, then what is left of them, and the parent at the end.
    void compose(const Plan& plan, const Step& step) {
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
    void compose_large(const Plan& plan, const Step& step) {
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

    Operand<T> scaled_operand(const Plan& plan, const Edge& edge, T* room, std::int64_t& exponent) const {
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

    static T power(T value, std::int64_t exponent) {
        return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
    }

    // Takes out a power of two when elements have become large or small, and gives its exponent.
    std::int32_t rescale(T* vector) const {
        T largest = 0;
        for (std::size_t i = 0; i < width_; ++i) largest = std::max(largest, std::abs(vector[i]));
        if (largest == 0) return 0;
        const int exponent = std::ilogb(largest);
        if (std::abs(exponent) <= 30) return 0;
        const T factor = power(T(1), -exponent);
        for (std::size_t i = 0; i < width_; ++i) vector[i] *= factor;
        return exponent;
    }

    void add(const Step& step, bool large, T* sum, std::int32_t& exponent) const {
        if (!large) return add_scaled(slot(step.slot), static_cast<T>(step.count), width_, sum);
        int more = 0;
        const double count = std::frexp(step.count, &more);
        const std::int32_t own = slot_exponent_[step.slot] + more;
        if (own > exponent) {
            const T factor = power(T(1), static_cast<std::int64_t>(exponent) - own);
            for (std::size_t i = 0; i < width_; ++i) sum[i] *= factor;
            exponent = own;
        }
        add_scaled(slot(step.slot), power(static_cast<T>(count), static_cast<std::int64_t>(own) - exponent), width_,
                   sum);
    }

    void write(Batch& batch, std::size_t tree, const T* sum, std::int32_t exponent, MatrixView<T> out) const {
        const std::size_t count = composition_.column_count(block_);
        T* row = out.data + (batch.plan.first_tree + tree) * out.stride + composition_.first_column(block_);
        composition_.to_columns(block_, sum, row);
        batch.exponents[tree * batch.blocks + block_] = exponent;
        if (parameters_.normalize) {
            batch.squares[tree * batch.blocks + block_] = sum_of_squares(row, count);
        } else if (exponent == 0) {
            const T factor = static_cast<T>(factor_of(parameters_));
            for (std::size_t i = 0; i < count; ++i) row[i] *= factor;
        }
    }

public:
    // What all elements are multiplied by in the end.
    static double factor_of(const EmbeddingParameters& parameters) {
        const double length = 1.0 / std::sqrt(static_cast<double>(parameters.dimension));
        return parameters.fragments == Fragments::whole ? length : std::sqrt(parameters.decay) * length;
    }

private:
    const Composition<T>& composition_;
    const EmbeddingParameters& parameters_;
    T weight_;
    std::size_t block_ = 0, width_ = 0, stride_ = 0, cached_labels_ = 0;
    Buffer<T> slots_, spare_, labels_;
    std::vector<std::int32_t> slot_exponent_;
};

// What has to wait until all blocks of the rows are there: common exponents, and norms.
template <class T>
class Finisher {
public:
    Finisher(const Composition<T>& composition, const EmbeddingParameters& parameters)
        : composition_(composition), parameters_(parameters) {}

    void run(const Batch& batch, MatrixView<T> out) const {
        for (std::size_t tree = 0; tree < batch.plan.tree_end.size(); ++tree) {
            const std::span exponents(batch.exponents.data() + tree * batch.blocks, batch.blocks);
            const std::span squares(batch.squares.data() + tree * batch.blocks, batch.blocks);
            T* row = out.data + (batch.plan.first_tree + tree) * out.stride;
            if (parameters_.normalize)
                normalize(exponents, squares, row);
            else if (std::ranges::any_of(exponents, [](std::int32_t exponent) { return exponent != 0; }))
                scale(exponents, row);
        }
    }

private:
    static double power(double value, std::int64_t exponent) {
        return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
    }

    template <class Function>
    void for_block(std::size_t block, T* row, const Function& function) const {
        T* columns = row + composition_.first_column(block);
        for (std::size_t i = 0; i < composition_.column_count(block); ++i) function(columns[i]);
    }

    void normalize(std::span<const std::int32_t> exponents, std::span<const double> squares, T* row) const {
        // Blocks that are zero say nothing of the size of the others.
        std::int64_t highest = std::numeric_limits<std::int64_t>::min();
        for (std::size_t block = 0; block < exponents.size(); ++block)
            if (squares[block] > 0) highest = std::max<std::int64_t>(highest, exponents[block]);
        double sum = 0;
        for (std::size_t block = 0; block < exponents.size(); ++block)
            if (squares[block] > 0) sum += power(squares[block], 2 * (exponents[block] - highest));
        if (sum == 0) return;
        const double length = 1.0 / std::sqrt(sum);
        for (std::size_t block = 0; block < exponents.size(); ++block) {
            if (squares[block] == 0) continue;
            const double factor = power(length, exponents[block] - highest);
            for_block(block, row, [&](T& value) { value = static_cast<T>(static_cast<double>(value) * factor); });
        }
    }

    void scale(std::span<const std::int32_t> exponents, T* row) const {
        const double factor = Worker<T>::factor_of(parameters_);
        for (std::size_t block = 0; block < exponents.size(); ++block) {
            for_block(block, row, [&](T& value) {
                // Those with exponent 0 have been multiplied already.
                if (exponents[block] == 0 || value == 0) return;
                const double full = power(static_cast<double>(value) * factor, exponents[block]);
                if (!(std::abs(full) <= static_cast<double>(std::numeric_limits<T>::max())))
                    throw Overflow("an element of a vector is too large for the result");
                value = static_cast<T>(full);
            });
        }
    }

    const Composition<T>& composition_;
    const EmbeddingParameters& parameters_;
};

// Plans and blocks of plans, handed out to workers. Planning goes on while there are blocks for the others.
class Queue {
public:
    using MakePlan = std::function<std::optional<Plan>()>;
    Queue(MakePlan make_plan, std::size_t blocks, unsigned threads)
        : make_plan_(std::move(make_plan)), blocks_(blocks), threads_(threads) {}

    struct Piece {
        std::shared_ptr<Batch> batch;
        std::size_t block;
    };

    // False when there is no more.
    bool take(Piece& piece, const Task& task) {
        std::unique_lock lock(mutex_);
        for (;;) {
            task.check();
            if (!exhausted_ && !planning_ && waiting_blocks() < threads_) {
                plan(lock);
            } else if (!open_.empty()) {
                piece = {open_.front(), open_.front()->next_block++};
                if (open_.front()->next_block == blocks_) open_.pop_front();
                return true;
            } else if (exhausted_) {
                return false;
            } else {
                changed_.wait_for(lock, std::chrono::milliseconds(50));
            }
        }
    }

private:
    std::size_t waiting_blocks() const {
        std::size_t count = 0;
        for (const auto& batch : open_) count += blocks_ - batch->next_block;
        return count;
    }
    void plan(std::unique_lock<std::mutex>& lock) {
        planning_ = true;
        lock.unlock();
        std::optional<Plan> made = make_plan_();  // a failure ends all workers
        std::shared_ptr<Batch> batch;
        if (made) batch = std::make_shared<Batch>(std::move(*made), blocks_);
        lock.lock();
        planning_ = false;
        exhausted_ = !batch;
        if (batch) open_.push_back(std::move(batch));
        changed_.notify_all();
    }

    MakePlan make_plan_;
    std::size_t blocks_;
    std::size_t threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Batch>> open_;
    bool planning_ = false;
    bool exhausted_ = false;
};

}  // namespace

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
    const double weight = parameters_.fragments == Fragments::whole ? 1.0 : std::sqrt(parameters_.decay);
    const PlanParameters plan_parameters{parameters_.fragments,
                                         weight,
                                         parameters_.own_heads,
                                         parameters_.seed,
                                         parameters_.link_length,
                                         kept,
                                         max_slots,
                                         max_trees};
    std::optional<Planner> planner;
    Task task(roots.size() * composition.block_count());
    const auto scale_of = [&](const Stream& stream) { return composition.label_scale(stream); };
    const auto make_plan = [&]() -> std::optional<Plan> {
        const std::shared_lock reading(dag.mutex());
        if (!planner) planner.emplace(dag, roots, plan_parameters, composition.label_bound(), composition.growth());
        return planner->next(scale_of, task);
    };
    Queue queue(make_plan, composition.block_count(), execution.threads);
    const Finisher<T> finisher(composition, parameters_);
    const auto work = [&](Task& shared) {
        Worker<T> worker(composition, parameters_);
        for (Queue::Piece piece; queue.take(piece, shared);) {
            worker.run(*piece.batch, piece.block, out, shared);
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
    Buffer<T> vector;
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
    Buffer<T> vectors[3];
    for (std::size_t block = 0; block < composition_->block_count(); ++block) {
        for (Buffer<T>& vector : vectors) vector.reserve(composition_->width(block));
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
