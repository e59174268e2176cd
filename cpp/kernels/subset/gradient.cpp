#include "kernels/subset/gradient.hpp"

#include "gram/gradients/dual.hpp"
#include "gram/row_pool.hpp"
#include "kernels/subset/rule.hpp"

namespace treekernels {

namespace {

// The subtrees of the columns by production, and the rank that each has there.
struct ProductionRanks {
    ProductionRanks(const Corpus& corpus, std::size_t columns)
        : members(group(corpus.limit(columns), corpus.production_count(),
                        [&](std::size_t v) { return corpus.production(static_cast<Node>(v)); })),
          rank(corpus.limit(columns), kNone) {
        for (std::size_t p = 0; p < corpus.production_count(); ++p)
            for (std::size_t i = 0; i < members[p].size(); ++i) rank[members[p][i]] = static_cast<std::uint32_t>(i);
    }

    Grouping members;
    std::vector<std::uint32_t> rank;
};

template <class Real>
class SubsetGradientWorker final : public GradientWorker<Real> {
public:
    SubsetGradientWorker(const Corpus& corpus, const ProductionRanks& ranks, const SubsetParameters& parameters,
                         const LabelPlaces& places)
        : corpus_(corpus),
          ranks_(ranks),
          parameters_(parameters),
          places_(places),
          width_(places.width()),
          rows_(corpus),
          cuts_(2 * width_),
          rule_{{cuts_.data()}, {cuts_.data() + width_}},
          cut_is_one_(parameters.cut_weight == 1.0 && places.places.cut_weight == kNone) {
        const auto values = SubsetRule<double>::with_cut_weight(parameters.cut_weight);
        dual_set(cuts_.data(), Real(values.cut), width_);
        dual_set(cuts_.data() + width_, Real(values.half_cut), width_);
        if (const std::uint32_t place = places.places.cut_weight; place != kNone) {
            cuts_[1 + place] = Real(values.cut);
            cuts_[width_ + 1 + place] = Real(values.half_cut / 2);
        }
    }

    void add(std::size_t tree, Node end, Real* sums, const Task& task) override {
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        rows_.begin(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node u = nodes[i];
            const Real count(counts[i]);
            task.check();
            if (corpus_.is_leaf(u)) {
                if (u < end) sums[u * width_] += Real(parameters_.leaf_weight) * count;
                continue;
            }
            const auto all = ranks_.members[corpus_.production(u)];
            const auto some = all.first(static_cast<std::size_t>(std::ranges::lower_bound(all, end) - all.begin()));
            const Real* row = compute(u, some, task);
            for (std::size_t j = 0; j < some.size(); ++j)
                dual_add_scaled(sums + some[j] * width_, row + j * width_, count, width_);
            rows_.end(u);
        }
    }

private:
    // C(u, v) for some subtrees v of the same production.
    const Real* compute(Node u, std::span<const Node> some, const Task& task) {
        Real* row = rows_.make(u, some.size() * width_);
        const Real decay(parameters_.decay_of(corpus_.production(u)));
        const std::uint32_t place = places_.of_label[corpus_.label(u)];
        for (std::size_t j = 0; j < some.size(); ++j) {
            dual_set(row + j * width_, decay, width_);
            if (place != kNone) row[j * width_ + 1 + place] = decay;
        }
        const auto children = corpus_.children(u);
        for (std::size_t position = 0; position < children.size(); ++position) {
            if (position % 64 == 0) task.check();
            const Node child = children[position];
            const bool is_leaf = corpus_.is_leaf(child);
            if (is_leaf && cut_is_one_) continue;
            const Real* known = is_leaf ? nullptr : rows_[child];
            for (std::size_t j = 0; j < some.size(); ++j) {
                if (j % 4096 == 4095) task.check();
                const Node other = corpus_.children(some[j])[position];
                const bool other_is_leaf = corpus_.is_leaf(other);
                const bool agrees = !is_leaf && corpus_.production(other) == corpus_.production(child);
                if (!agrees && (cut_is_one_ || (is_leaf && other_is_leaf))) continue;  // a factor of 1
                Real* c = row + j * width_;
                if (agrees)
                    dual_multiply(c, rule_.nodes({known + ranks_.rank[other] * width_}), width_);
                else
                    dual_multiply(c, is_leaf != other_is_leaf ? rule_.leaf_and_node() : rule_.apart(), width_);
            }
        }
        return row;
    }

    const Corpus& corpus_;
    const ProductionRanks& ranks_;
    const SubsetParameters& parameters_;
    const LabelPlaces& places_;
    const std::size_t width_;
    RowPool<Real> rows_;
    std::vector<Real> cuts_;  // the weight of a cut and its root, with their derivatives
    const SubsetRule<Dual<Real>> rule_;
    const bool cut_is_one_;
};

template <class Real>
class SubsetGradients final : public Gradients<Real> {
public:
    SubsetGradients(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, LabelPlaces places)
        : corpus_(corpus), parameters_(std::move(parameters)), places_(std::move(places)), ranks_(corpus, columns) {}

    std::unique_ptr<GradientWorker<Real>> worker() const override {
        return std::make_unique<SubsetGradientWorker<Real>>(corpus_, ranks_, parameters_, places_);
    }

private:
    const Corpus& corpus_;
    SubsetParameters parameters_;
    LabelPlaces places_;
    ProductionRanks ranks_;
};

}  // namespace

template <class Real>
std::unique_ptr<Gradients<Real>> subset_gradients(const Corpus& corpus, std::size_t columns,
                                                  const SubsetParameters& parameters, const LabelPlaces& places) {
    return std::make_unique<SubsetGradients<Real>>(corpus, columns, parameters, places);
}
template std::unique_ptr<Gradients<double>> subset_gradients(const Corpus&, std::size_t, const SubsetParameters&,
                                                             const LabelPlaces&);
template std::unique_ptr<Gradients<Wide>> subset_gradients(const Corpus&, std::size_t, const SubsetParameters&,
                                                           const LabelPlaces&);

}  // namespace treekernels
