// Rows of the partial-tree kernel between trees.
#include <algorithm>

#include "gram/features.hpp"
#include "kernels/partial/index.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/rows/node_rows.hpp"

namespace treekernels {

namespace {

template <class Real>
class PartialWorker final : public RowWorker<Real> {
public:
    PartialWorker(const Corpus& corpus, const PartialIndex& index, const Postings& postings, const Features& labels,
                  const PartialParameters& parameters)
        : corpus_(corpus),
          postings_(postings),
          labels_(labels),
          similarity_(*parameters.similarity),
          leaf_value_(parameters.leaf_value()),
          rows_(corpus, index.shapes(), index, parameters, kRowBudget),
          uses_(corpus.node_count(), 0) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        std::fill(values, values + columns, Real(0.0));
        add_labels(tree, columns, values);
        rows_.set_end(corpus_.limit(columns));
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        for (Node u : nodes) {
            uses_[u] = 0;  // children come first
            for (Node child : corpus_.children(u)) ++uses_[child];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node u = nodes[i];
            if (corpus_.is_leaf(u)) continue;
            task.check();
            const Real count(counts[i]);
            const auto add = [&](std::size_t place, std::size_t lanes, const Real* excess) {
                for (std::size_t t = 0; t < lanes; ++t)
                    postings_.add(static_cast<std::uint32_t>(place + t), columns, excess[t] * count, values);
            };
            rows_.compute(u, uses_[u] != 0, add, task);
            for (Node child : corpus_.children(u))
                if (--uses_[child] == 0 && rows_.has(child)) rows_.release(child);
        }
    }

private:
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

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

    const Corpus& corpus_;
    const Postings& postings_;
    const Features& labels_;
    const LabelSimilarity& similarity_;
    const double leaf_value_;
    PartialNodeRows<Real> rows_;
    std::vector<std::uint32_t> uses_;  // edges of the tree that still need the row
};

template <class Real>
class PartialRows final : public Rows<Real> {
public:
    PartialRows(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters, const Task& task)
        : corpus_(corpus), parameters_(parameters), index_(corpus, columns, *parameters.similarity, task) {
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
        return std::make_unique<PartialWorker<Real>>(corpus_, index_, postings_, labels_, parameters_);
    }

private:
    const Corpus& corpus_;
    PartialParameters parameters_;
    PartialIndex index_;
    Postings postings_;  // by place
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
