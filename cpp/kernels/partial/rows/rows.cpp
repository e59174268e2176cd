// Rows of the partial-tree kernel between trees.
#include <algorithm>
#include <mutex>
#include <numeric>

#include "gram/features.hpp"
#include "kernels/partial/index.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/rows/node_rows.hpp"

namespace treekernels {

namespace {

// What subtrees of a production have in common with all trees while they are at rest. It is kept for those that are met
// often, which does not depend on who meets them first: the same numbers are added up whatever the threads do.
template <class Real>
class RestingRows {
public:
    RestingRows(const Corpus& corpus, std::size_t columns, const PartialIndex& index, const LabelSimilarity& similarity)
        : columns_(columns), uses_(corpus.production_count(), 0), number_(corpus.production_count(), kNone) {
        for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree)
            for (Node node : corpus.nodes(tree))
                if (!corpus.is_leaf(node)) ++uses_[corpus.production(node)];
        struct Choice {
            double saved;
            Production production;
        };
        std::vector<Choice> choices;
        for (Production p = 0; p < uses_.size(); ++p) {
            if (uses_[p] < kFewestUses) continue;
            // At most as many subtrees are met.
            const std::uint32_t label_class = similarity.class_of(index.shapes().label(p));
            std::size_t met = 0;
            for (Label child : index.shapes().child_labels(p))
                similarity.visit(child, [&](Label other, double) { met += index.parents_with(label_class, other); });
            if (met * kMetByColumn >= columns) choices.push_back({static_cast<double>(met) * uses_[p], p});
        }
        std::ranges::sort(choices, {},
                          [](const Choice& choice) { return std::pair(-choice.saved, choice.production); });
        const std::size_t most = kBudget / (columns * sizeof(Real) + 1);
        for (std::size_t i = 0; i < std::min(most, choices.size()); ++i)
            number_[choices[i].production] = static_cast<std::uint32_t>(i);
        rows_.resize(std::min(most, choices.size()));
    }

    // In how many trees subtrees of each production are, each counted for itself.
    std::span<const std::uint32_t> uses() const { return uses_; }
    // kNone where nothing is kept.
    std::uint32_t number(Production production) const { return number_[production]; }
    std::size_t size() const { return rows_.size(); }

    const Real* row(Production production, PartialNodeRows<Real>& rows, const Postings& postings) {
        const std::lock_guard lock(making_);
        std::vector<Real>& row = rows_[number_[production]];
        if (!row.empty()) return row.data();
        std::vector<Real> values(columns_, Real(0.0));
        rows.visit_at_rest(production, [&](std::span<const std::uint32_t> ranks, std::uint32_t place, Real value) {
            if (value == Real(0.0)) return;
            for (std::uint32_t rank : ranks) postings.add(place + rank, columns_, value, values.data());
        });
        row = std::move(values);
        return row.data();
    }

private:
    static constexpr std::uint32_t kFewestUses = 3;
    static constexpr std::size_t kMetByColumn = 4;
    static constexpr std::size_t kBudget = std::size_t{128} << 20;

    std::size_t columns_;
    std::vector<std::uint32_t> uses_;    // by production
    std::vector<std::uint32_t> number_;  // also
    std::mutex making_;
    std::vector<std::vector<Real>> rows_;
};

template <class Real>
class PartialWorker final : public RowWorker<Real> {
public:
    PartialWorker(const Corpus& corpus, const PartialIndex& index, const Postings& postings, const Features& labels,
                  RestingRows<Real>& resting, const PartialParameters& parameters)
        : corpus_(corpus),
          postings_(postings),
          labels_(labels),
          resting_(resting),
          similarity_(*parameters.similarity),
          leaf_value_(parameters.leaf_value()),
          rows_(corpus, index.shapes(), index, parameters, resting.uses(), kRowBudget),
          all_(static_cast<Node>(index.nodes().size())),
          uses_(corpus.node_count(), 0),
          resting_count_(resting.size(), 0.0) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        std::fill(values, values + columns, Real(0.0));
        add_labels(tree, columns, values);
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        add_resting(nodes, counts, columns, values);
        rows_.set_end(corpus_.limit(columns));
        for (Node u : nodes) {
            uses_[u] = 0;  // children come first
            for (Node child : corpus_.children(u)) ++uses_[child];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node u = nodes[i];
            if (corpus_.is_leaf(u)) continue;
            task.check();
            const Real count(counts[i]);
            const auto add = [&](std::size_t place, Real value) {
                postings_.add(static_cast<std::uint32_t>(place), columns, value * count, values);
            };
            rows_.compute(u, uses_[u] != 0, is_resting(u) ? RowPart::surplus : RowPart::excess, add, task);
            for (Node child : corpus_.children(u))
                if (--uses_[child] == 0 && rows_.has(child)) rows_.release(child);
        }
    }

private:
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    bool is_resting(Node u) const { return resting_.number(corpus_.production(u)) != kNone; }

    // All pairs of nodes with matching labels, as if no children did.
    void add_labels(std::size_t tree, std::size_t columns, Real* values) const {
        if (similarity_.is_identity()) return labels_.add_row(tree, columns, values);
        labels_.visit(tree, [&](Label label, double count) {
            similarity_.visit(label, [&](Label other, double similar) {
                const double weight = similar * leaf_value_ * count;
                if (weight != 0.0) labels_.postings().add(other, columns, Real(weight), values);
            });
        });
    }

    // What all subtrees have that are met often, as if they were at rest.
    void add_resting(std::span<const Node> nodes, std::span<const double> counts, std::size_t columns, Real* values) {
        rows_.set_end(all_);
        productions_.clear();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (corpus_.is_leaf(nodes[i]) || !is_resting(nodes[i])) continue;
            const Production production = corpus_.production(nodes[i]);
            double& count = resting_count_[resting_.number(production)];
            if (count == 0.0) productions_.push_back(production);
            count += counts[i];
        }
        for (Production production : productions_) {
            const double count = std::exchange(resting_count_[resting_.number(production)], 0.0);
            add_multiple(values, resting_.row(production, rows_, postings_), columns, Real(count));
        }
    }

    const Corpus& corpus_;
    const Postings& postings_;
    const Features& labels_;
    RestingRows<Real>& resting_;
    const LabelSimilarity& similarity_;
    const double leaf_value_;
    PartialNodeRows<Real> rows_;
    const Node all_;                     // columns' subtrees
    std::vector<std::uint32_t> uses_;    // edges of the tree that still need the row
    std::vector<double> resting_count_;  // of subtrees of the tree; 0 between calls
    std::vector<Production> productions_;
};

template <class Real>
class PartialRows final : public Rows<Real> {
public:
    PartialRows(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters, const Task& task)
        : corpus_(corpus),
          parameters_(parameters),
          index_(corpus, columns, *parameters.similarity, task),
          resting_(corpus, columns, index_, *parameters.similarity) {
        const auto place = index_.places();
        postings_ = Postings(place.size(), columns, kVectorOfReals, task, [&](std::size_t tree, auto emit) {
            const auto nodes = corpus.nodes(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i) emit(place[nodes[i]], corpus.counts(tree)[i]);
        });
        labels_ =
            Features::of_nodes(corpus, columns, std::vector<double>(corpus.label_count(), parameters.leaf_value()), 1,
                               task, [&](Node node) { return corpus.label(node); });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<PartialWorker<Real>>(corpus_, index_, postings_, labels_, resting_, parameters_);
    }

private:
    const Corpus& corpus_;
    PartialParameters parameters_;
    PartialIndex index_;
    mutable RestingRows<Real> resting_;  // made by the workers
    Postings postings_;                  // by place
    Features labels_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> partial_rows(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters,
                                         const Task& task) {
    return std::make_unique<PartialRows<Real>>(corpus, columns, parameters, task);
}
template std::unique_ptr<Rows<double>> partial_rows(const Corpus&, std::size_t, const PartialParameters&, const Task&);
template std::unique_ptr<Rows<Wide>> partial_rows(const Corpus&, std::size_t, const PartialParameters&, const Task&);

}  // namespace treekernels
