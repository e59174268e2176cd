#include "kernels/tripartite/rows.hpp"

#include <optional>

#include "kernels/subset/subset.hpp"
#include "kernels/tripartite/seeds.hpp"
#include "kernels/tripartite/tables/table_worker.hpp"

namespace treekernels {

namespace {

template <class Real>
struct SideIndex {
    SideIndex(const AnchoredTrees& trees, std::size_t columns, double decay, unsigned threads, const Task& task)
        : seeds(trees, columns, task), plain(subset_rows<Real>(trees.plain(), columns, {decay, 0.0}, threads, task)) {}

    SeedIndex seeds;
    std::unique_ptr<Rows<Real>> plain;
};

// One side of a row.
template <class Real>
class SideRow {
public:
    using Known = typename TableWorker<Real>::Known;

    SideRow(const SideIndex<Real>& index, double decay) : seeds_(index.seeds, decay), plain_(index.plain->worker()) {}

    void find(std::size_t tree, std::size_t columns, const Task& task) {
        weight_.resize(columns);
        plain_->row(tree, columns, weight_.data(), task);
        seeds_.find(tree, columns, task);
    }
    Known with(std::size_t column) const { return {seeds_.with(column), seeds_.all_simple(column), weight_[column]}; }

private:
    SeedRow seeds_;
    std::unique_ptr<RowWorker<Real>> plain_;
    std::vector<Real> weight_;
};

template <class Real>
class TripartiteWorker final : public RowWorker<Real> {
public:
    TripartiteWorker(const AnchoredPairs& examples, const SideIndex<Real>& texts, const SideIndex<Real>& hypotheses,
                     double decay)
        : texts_(texts, decay), hypotheses_(hypotheses, decay), table_(examples, decay) {}

    void row(std::size_t pair, std::size_t columns, Real* values, const Task& task) override {
        texts_.find(pair, columns, task);
        hypotheses_.find(pair, columns, task);
        for (std::size_t column = 0; column < columns; ++column) {
            const auto text = texts_.with(column), hypothesis = hypotheses_.with(column);
            if (has_nothing(text) || has_nothing(hypothesis))
                values[column] = Real(0.0);
            else if (text.all_simple && hypothesis.all_simple &&
                     text.seeds.size() * hypothesis.seeds.size() <= kFewComparisons)
                values[column] = agreeing(text, hypothesis);
            else
                values[column] = table_(pair, column, text, hypothesis, task);
        }
    }

private:
    using Known = typename TableWorker<Real>::Known;

    // Of more, many have the same placeholders, and a table is better.
    static constexpr std::size_t kFewComparisons = 1024;

    static bool has_nothing(const Known& side) { return side.seeds.empty() && side.plain == Real(0.0); }

    // Where every seed is simple: each of the one side, and what has none, with those of the other that agree.
    Real agreeing(const Known& text, const Known& hypothesis) const {
        Real partners = hypothesis.plain;
        for (const Seed& seed : hypothesis.seeds) partners += weight(seed);
        Real result = text.plain * partners;
        for (const Seed& seed : text.seeds) {
            partners = hypothesis.plain;
            for (const Seed& other : hypothesis.seeds)
                if (seed.agrees_with(other)) partners += weight(other);
            result += weight(seed) * partners;
        }
        return result;
    }
    static Real weight(const Seed& seed) { return Real(seed.value) * Real(seed.count); }

    SideRow<Real> texts_, hypotheses_;
    TableWorker<Real> table_;
};

template <class Real>
class TripartiteRows final : public Rows<Real> {
public:
    TripartiteRows(const AnchoredPairs& examples, std::size_t columns, double decay, unsigned threads, const Task& task)
        : examples_(examples), decay_(decay) {
        run_both(
            threads, [&] { texts_.emplace(examples.texts(), columns, decay, threads, task); },
            [&] { hypotheses_.emplace(examples.hypotheses(), columns, decay, threads, task); });
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
                                            unsigned threads, const Task& task) {
    return std::make_unique<TripartiteRows<Real>>(examples, columns, decay, threads, task);
}
template std::unique_ptr<Rows<double>> tripartite_rows(const AnchoredPairs&, std::size_t, double, unsigned,
                                                       const Task&);
template std::unique_ptr<Rows<Wide>> tripartite_rows(const AnchoredPairs&, std::size_t, double, unsigned, const Task&);

}  // namespace treekernels
