#include "tripartite_rows.hpp"

#include <optional>

#include "subset.hpp"
#include "tripartite_tables.hpp"

namespace treekernels {

namespace {

// The nodes of the column trees whose productions have placeholders, by key.
class AnchoredIndex {
public:
    struct Entry {
        std::uint32_t column;
        std::uint32_t node;  // numbered bottom-up
    };

    AnchoredIndex(const AnchoredTrees& trees, std::size_t columns) : trees_(trees), offset_(trees.key_count() + 1) {
        for (std::uint32_t tree = 0; tree < columns; ++tree)
            visit(tree, [&](std::uint32_t node) { ++offset_[trees.key(tree, node) + 1]; });
        for (std::size_t key = 0; key < trees.key_count(); ++key) offset_[key + 1] += offset_[key];
        entries_.resize(offset_.back());
        std::vector<std::uint64_t> next(offset_.begin(), offset_.end() - 1);
        for (std::uint32_t tree = 0; tree < columns; ++tree)
            visit(tree, [&](std::uint32_t node) { entries_[next[trees.key(tree, node)]++] = {tree, node}; });
    }

    // Calls visit(node) for the nodes of a tree, ascending.
    template <class Visit>
    void visit(std::size_t tree, Visit visit) const {
        for (std::uint32_t node = 0; node < trees_.keyed().size(tree); ++node)
            if (!trees_.bottom_up_slots(tree, node).empty()) visit(node);
    }
    // Ascending by column and node.
    std::span<const Entry> with_key(std::uint32_t key) const {
        return {entries_.data() + offset_[key], entries_.data() + offset_[key + 1]};
    }
    const AnchoredTrees& trees() const { return trees_; }

private:
    const AnchoredTrees& trees_;
    std::vector<std::uint64_t> offset_;
    std::vector<Entry> entries_;
};

template <class Real>
struct SideIndex {
    SideIndex(const AnchoredTrees& trees, std::size_t columns, double decay)
        : anchored(trees, columns), plain(subset_rows<Real>(trees.plain(), columns, {decay, 0.0}, 1)) {}

    AnchoredIndex anchored;
    std::unique_ptr<Rows<Real>> plain;
};

// One side of a row.
template <class Real>
class SideRow {
public:
    explicit SideRow(const SideIndex<Real>& index) : index_(index.anchored), plain_(index.plain->worker()) {}

    void find(std::size_t tree, std::size_t columns, const Task& task) {
        weight_.resize(columns);
        plain_->row(tree, columns, weight_.data(), task);
        // Sorted by column in two rounds; within a column the order stays that of the tree's nodes.
        offset_.assign(columns + 1, 0);
        each(tree, columns, [&](std::uint32_t column, NodePair) { ++offset_[column + 1]; });
        for (std::size_t column = 0; column < columns; ++column) offset_[column + 1] += offset_[column];
        seeds_.resize(offset_.back());
        next_.assign(offset_.begin(), offset_.end() - 1);
        each(tree, columns, [&](std::uint32_t column, NodePair pair) { seeds_[next_[column]++] = pair; });
    }
    typename TableWorker<Real>::Known with(std::size_t column) const {
        return {{seeds_.data() + offset_[column], seeds_.data() + offset_[column + 1]}, weight_[column]};
    }

private:
    template <class Visit>
    void each(std::size_t tree, std::size_t columns, Visit visit) const {
        index_.visit(tree, [&](std::uint32_t u) {
            for (const auto& entry : index_.with_key(index_.trees().key(tree, u))) {
                if (entry.column >= columns) break;
                visit(entry.column, {u, entry.node});
            }
        });
    }

    const AnchoredIndex& index_;
    std::unique_ptr<RowWorker<Real>> plain_;
    std::vector<Real> weight_;
    std::vector<std::uint64_t> offset_, next_;
    std::vector<NodePair> seeds_;
};

template <class Real>
class TripartiteWorker final : public RowWorker<Real> {
public:
    TripartiteWorker(const AnchoredPairs& examples, const SideIndex<Real>& texts, const SideIndex<Real>& hypotheses,
                     double decay)
        : texts_(texts), hypotheses_(hypotheses), table_(examples, decay) {}

    void row(std::size_t pair, std::size_t columns, Real* values, const Task& task) override {
        texts_.find(pair, columns, task);
        hypotheses_.find(pair, columns, task);
        for (std::size_t column = 0; column < columns; ++column) {
            const auto text = texts_.with(column), hypothesis = hypotheses_.with(column);
            const auto nothing = [](const auto& side) { return side.seeds.empty() && side.plain == Real(0.0); };
            if ((text.seeds.empty() && hypothesis.seeds.empty()) || nothing(text) || nothing(hypothesis))
                values[column] = text.plain * hypothesis.plain;
            else
                values[column] = table_(pair, column, text, hypothesis, task);
        }
    }

private:
    SideRow<Real> texts_, hypotheses_;
    TableWorker<Real> table_;
};

template <class Real>
class TripartiteRows final : public Rows<Real> {
public:
    TripartiteRows(const AnchoredPairs& examples, std::size_t columns, double decay, unsigned threads)
        : examples_(examples), decay_(decay) {
        both(
            threads, [&] { texts_.emplace(examples.texts(), columns, decay); },
            [&] { hypotheses_.emplace(examples.hypotheses(), columns, decay); });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<TripartiteWorker<Real>>(examples_, *texts_, *hypotheses_, decay_);
    }

private:
    const AnchoredPairs& examples_;
    double decay_;
    std::optional<SideIndex<Real>> texts_, hypotheses_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> tripartite_rows(const AnchoredPairs& examples, std::size_t columns, double decay,
                                            unsigned threads) {
    return std::make_unique<TripartiteRows<Real>>(examples, columns, decay, threads);
}
template std::unique_ptr<Rows<double>> tripartite_rows(const AnchoredPairs&, std::size_t, double, unsigned);
template std::unique_ptr<Rows<Wide>> tripartite_rows(const AnchoredPairs&, std::size_t, double, unsigned);

}  // namespace treekernels
