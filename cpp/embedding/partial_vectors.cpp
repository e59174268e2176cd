#include "embedding/partial_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/memory/simd.hpp"
#include "embedding/vectors/add_scaled.hpp"
#include "embedding/vectors/vector_buffer.hpp"
#include "gram/row_pool.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kBatch = 256;  // trees that a thread takes at a time

// What may come after the next child, once a child is added: after = decay * after + here, and all += here.
template <class T>
TREEKERNELS_INLINE void add_child(const T* __restrict own, T weight, T decay, std::size_t size, T* __restrict here,
                                  T* __restrict after, T* __restrict all) {
    for (std::size_t i = 0; i < size; ++i) {
        const T value = here[i] + weight * own[i];
        all[i] += value;
        after[i] = decay * after[i] + value;
    }
}

}  // namespace

// One of these belongs to each thread, for one block of the vectors of some trees.
template <class T>
class PartialVectors<T>::Worker {
public:
    Worker(const PartialVectors& vectors, const Corpus& corpus, const LabelStreams& streams)
        : parameters_(vectors.parameters_),
          composition_(*vectors.composition_),
          corpus_(corpus),
          streams_(streams),
          rows_(corpus),
          node_weight_(static_cast<T>(std::sqrt(parameters_.vertical_decay))),
          leaf_weight_(static_cast<T>(std::sqrt(parameters_.vertical_decay) * parameters_.decay)),
          decay_(static_cast<T>(parameters_.decay)),
          child_weight_(parameters_.span ? decay_ : T(1)) {}

    void run(std::size_t first, std::size_t last, std::size_t block, MatrixView<T> out, Task& task) {
        block_ = block;
        width_ = composition_.width(block);
        stride_ = (width_ + 15) / 16 * 16;
        spare_.reserve(5 * stride_);
        cache_.assign(2 * streams_.children.size(), kNone);
        cached_ = 0;
        labels_.reserve(kLabelCacheBytes / sizeof(T));
        for (std::size_t tree = first; tree < last; ++tree) {
            T* sum = spare(4);
            std::fill_n(sum, width_, T(0));
            rows_.begin(tree);
            list_nodes(tree);
            for (const Node node : order_) {
                task.check();
                const T count = count_of(tree, node);
                if (corpus_.is_leaf(node)) {
                    add(label(node, false, spare(0)), leaf_weight_ * count, sum);
                } else {
                    add(compose(node, task), count, sum);
                    rows_.end(node);
                }
            }
            T* row = out.row(tree) + composition_.first_column(block);
            composition_.to_columns(block, sum, row);
            const T factor = static_cast<T>(1.0 / std::sqrt(static_cast<double>(composition_.dimension())));
            for (std::size_t i = 0; i < composition_.column_count(block); ++i) {
                row[i] *= factor;
                if (!std::isfinite(row[i])) throw Overflow("an element of a vector is too large for the result");
            }
            task.advance(1);
        }
    }

private:
    // The distinct subtrees of a tree, children first, in an order that does not depend on the other trees: sums have
    // the same bits then.
    void list_nodes(std::size_t tree) {
        order_.clear();
        if (is_listed_.empty()) is_listed_.assign(corpus_.node_count(), false);
        open_.assign(1, {corpus_.root(tree), 0});
        is_listed_[corpus_.root(tree)] = true;
        while (!open_.empty()) {
            auto& [node, next] = open_.back();
            const auto children = corpus_.children(node);
            if (next == children.size()) {
                order_.push_back(node);
                open_.pop_back();
            } else if (const Node child = children[next++]; !is_listed_[child]) {
                is_listed_[child] = true;
                open_.emplace_back(child, 0);
            }
        }
        for (const Node node : order_) is_listed_[node] = false;
    }
    T count_of(std::size_t tree, Node node) const {
        const auto nodes = corpus_.nodes(tree);
        const auto place = std::ranges::lower_bound(nodes, node) - nodes.begin();
        return static_cast<T>(corpus_.counts(tree)[static_cast<std::size_t>(place)]);
    }

    T* spare(std::size_t number) const { return spare_.data() + number * stride_; }
    void add(const T* from, T weight, T* to) const { add_scaled(from, weight, width_, to); }

    // The vector of a node's label, in a place that is kept or else in `room`.
    const T* label(Node node, bool head, T* room) {
        const std::uint32_t number = streams_.number[corpus_.label(node)];
        const LabelStreams::Label& wanted = (head ? streams_.heads : streams_.children)[number];
        std::uint32_t& place = cache_[2 * number + (head ? 1 : 0)];
        if (place != kNone) return labels_.data() + place * stride_;
        T* to = room;
        if ((cached_ + 1) * stride_ <= kLabelCacheBytes / sizeof(T)) {
            place = static_cast<std::uint32_t>(cached_++);
            to = labels_.data() + place * stride_;
        }
        composition_.label(block_, wanted.stream, wanted.scale, to);
        return to;
    }

    // All fragments that begin at a child: the vector, and what it is to be multiplied with.
    Operand<T> operand(Node child, T* room) {
        if (const T* row = rows_[child]) return {nullptr, row, child_weight_};
        return {nullptr, label(child, false, room), child_weight_ * leaf_weight_};
    }

    // All fragments that begin at a node which has children.
    const T* compose(Node node, const Task& task) {
        T *here = spare(1), *after = spare(2), *all = spare(3);
        const auto children = corpus_.children(node);
        std::fill_n(all, width_, T(0));
        std::fill_n(after, width_, T(0));
        for (std::size_t j = children.size(); j-- > 0;) {
            if (j % 64 == 63) task.check();
            const Operand<T> child = operand(children[j], spare(0));
            if (j + 1 == children.size())
                std::fill_n(here, width_, T(0));
            else
                composition_.compose(block_, child, {nullptr, after, T(1)}, here);
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA {
                add_child(child.vector, child.weight, decay_, width_, here, after, all);
            });
        }
        T* row = rows_.make(node, stride_);
        composition_.compose(block_, {label(node, true, spare(0)), nullptr, T(1)}, {nullptr, all, node_weight_}, row);
        add(label(node, false, spare(0)), leaf_weight_, row);
        return row;
    }

    const PartialVectorParameters& parameters_;
    const Composition<T>& composition_;
    const Corpus& corpus_;
    const LabelStreams& streams_;
    RowPool<T> rows_;
    const T node_weight_, leaf_weight_, decay_, child_weight_;
    std::size_t block_ = 0, width_ = 0, stride_ = 0, cached_ = 0;
    VectorBuffer<T> spare_, labels_;
    std::vector<Node> order_;
    std::vector<bool> is_listed_;
    std::vector<std::pair<Node, std::uint32_t>> open_;
    std::vector<std::uint32_t> cache_;  // where the vectors of labels are, as children and as heads
};

template <class T>
PartialVectors<T>::PartialVectors(const PartialVectorParameters& parameters)
    : parameters_(parameters),
      composition_(make_composition<T>(parameters.composition, parameters.permutations, parameters.dimension,
                                       parameters.seed)) {}

template <class T>
LabelStreams PartialVectors<T>::streams(const Corpus& corpus, const Dag& dag) const {
    LabelStreams result;
    result.number.assign(corpus.label_count(), kNone);
    for (Node node = 0; node < corpus.node_count(); ++node) {
        std::uint32_t& number = result.number[corpus.label(node)];
        if (number != kNone) continue;
        number = static_cast<std::uint32_t>(result.children.size());
        const std::string_view text = dag.label_text(corpus.label(node));
        const auto made = [&](std::uint64_t purpose) -> LabelStreams::Label {
            const Stream stream = stream_of(parameters_.seed, text, purpose);
            return {stream, composition_->label_scale(stream)};
        };
        result.children.push_back(made(kLabelPurpose));
        result.heads.push_back(parameters_.own_heads ? made(kHeadPurpose) : result.children.back());
    }
    return result;
}

template <class T>
void PartialVectors<T>::transform(const Corpus& corpus, const LabelStreams& streams, MatrixView<T> out,
                                  const Execution& execution) const {
    const std::size_t trees = corpus.tree_count(), blocks = composition_->block_count();
    Counter pieces((trees + kBatch - 1) / kBatch * blocks);
    Task task(trees * blocks);
    const auto work = [&](Task& shared) {
        Worker worker(*this, corpus, streams);
        for (std::size_t piece; pieces.take(piece);) {
            const std::size_t first = piece / blocks * kBatch;
            worker.run(first, std::min(trees, first + kBatch), piece % blocks, out, shared);
        }
    };
    run_watched(task, execution.threads, work, execution.watch);
    if (!parameters_.normalize) return;
    for (std::size_t tree = 0; tree < trees; ++tree) finish(tree, out);
}

// Makes a row as long as 1.
template <class T>
void PartialVectors<T>::finish(std::size_t tree, MatrixView<T> out) const {
    T* row = out.row(tree);
    double largest = 0;
    for (std::size_t i = 0; i < dimension(); ++i) largest = std::max(largest, std::abs(static_cast<double>(row[i])));
    if (largest == 0) return;
    double sum = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
        const double value = static_cast<double>(row[i]) / largest;
        sum += value * value;
    }
    const double length = std::sqrt(sum);
    for (std::size_t i = 0; i < dimension(); ++i)
        row[i] = static_cast<T>(static_cast<double>(row[i]) / largest / length);
}

template class PartialVectors<float>;
template class PartialVectors<double>;

}  // namespace treekernels
