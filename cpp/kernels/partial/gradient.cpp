#include "kernels/partial/gradient.hpp"

#include <map>

#include "gram/gradients/dual.hpp"
#include "gram/row_pool.hpp"
#include "kernels/partial/dual_subsequences.hpp"
#include "kernels/partial/index.hpp"
#include "kernels/partial/matches.hpp"

namespace treekernels {

namespace {

// The excess of C beyond what two labels have in common alone is kept by rank in the class of the labels, as in
// PartialNodeRows.
template <class Real>
class PartialGradientWorker final : public GradientWorker<Real> {
public:
    PartialGradientWorker(const Corpus& corpus, const PartialIndex& index, const PartialParameters& parameters,
                          const LabelPlaces& places)
        : corpus_(corpus),
          index_(index),
          similarity_(*parameters.similarity),
          parameters_(parameters),
          places_(places),
          width_(places.width()),
          rows_(corpus),
          matches_of_(index.shapes(), index, similarity_),
          subsequences_(decay_power(1)),
          leaf_(decay_power(2)),
          weight_(decay_power(parameters.span ? 2 : 0)),
          scale_(width_) {}

    void add(std::size_t tree, Node end, Real* sums, const Task& task) override {
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        add_labels(tree, end, sums, task);
        rows_.begin(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (corpus_.is_leaf(nodes[i])) continue;
            task.check();
            compute(nodes[i], end, Real(counts[i]), sums, task);
            rows_.end(nodes[i]);
        }
    }

private:
    std::vector<Real> decay_power(int exponent) const {
        std::vector<Real> result(width_, Real(0.0));
        result[0] = Real(integer_power(parameters_.decay, static_cast<std::uint64_t>(exponent)));
        if (const std::uint32_t place = places_.places.decay; place != kNone)
            result[1 + place] = Real(exponent * to_double(result[0]));
        return result;
    }

    // What two nodes bring for their labels, whatever is below them.
    void set_scale(Label a, Label b, double similarity, Real* to) const {
        const double value = similarity * parameters_.vertical_decay;
        dual_set(to, Real(value), width_);
        for (Label label : {a, b})
            if (const std::uint32_t place = places_.of_label[label]; place != kNone) to[1 + place] += Real(value / 2);
    }

    // All pairs of nodes with matching labels, as if no children did.
    void add_labels(std::size_t tree, Node end, Real* sums, const Task& task) {
        std::map<Label, double> count_of;  // in the same order on every machine
        const auto nodes = corpus_.nodes(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i) count_of[corpus_.label(nodes[i])] += corpus_.counts(tree)[i];
        for (const auto& [label, count] : count_of) {
            task.check();
            for (Shape shape : index_.shapes_of_class(similarity_.class_of(label))) {
                const Label other = index_.shapes().label(shape);
                const double similarity = similarity_(label, other);
                if (similarity == 0.0) continue;
                set_scale(label, other, similarity, scale_.data());
                dual_multiply(scale_.data(), leaf_.data(), width_);
                for (Node v : index_.members(shape)) {
                    if (v >= end) break;
                    dual_add_scaled(sums + v * width_, scale_.data(), Real(count), width_);
                }
            }
        }
    }

    // The excess of u with all subtrees before the end, and adds it to the sums.
    void compute(Node u, Node end, Real count, Real* sums, const Task& task) {
        const ProductionMatches& matches = matches_of_(corpus_.production(u));
        const Label label = corpus_.label(u);
        Real* row = nullptr;
        for (const ShapeMatch& match : matches.matches) {
            const auto members = index_.members(match.shape);
            const std::size_t size = static_cast<std::size_t>(std::ranges::lower_bound(members, end) - members.begin());
            if (size == 0) continue;
            if (!row) {
                const std::size_t length = index_.class_size(similarity_.class_of(label)) * width_;
                row = rows_.make(u, length);
                std::fill_n(row, length, Real(0.0));
            }
            set_scale(label, index_.shapes().label(match.shape), match.similarity, scale_.data());
            for (std::size_t i = 0; i < size; ++i) {
                if (i % 1024 == 1023) task.check();
                Real* excess = row + index_.ranks(match.shape)[i] * width_;
                if (match.cell_count <= kMostCells)
                    sum_cells(u, matches, match, i, excess);
                else
                    sum_table(u, match, i, excess, task);
                dual_multiply(excess, scale_.data(), width_);
                dual_add_scaled(sums + members[i] * width_, excess, count, width_);
            }
        }
    }

    void sum_cells(Node u, const ProductionMatches& matches, const ShapeMatch& match, std::size_t i, Real* total) {
        const std::span<const ChildCell> cells(matches.cells.data() + match.first_cell, match.cell_count);
        const auto child = [&](const ChildCell& cell, Real* to) {
            set_child(corpus_.children(u)[cell.row], match.shape, cell.column, i, cell.similarity, to);
        };
        subsequences_.sum(cells, child, total);
    }

    void sum_table(Node u, const ShapeMatch& match, std::size_t i, Real* total, const Task& task) {
        const auto children = corpus_.children(u);
        const auto labels = index_.shapes().child_labels(match.shape);
        const auto child = [&](std::size_t row, std::size_t column, Real* to) {
            const double similarity = similarity_(corpus_.label(children[row]), labels[column]);
            if (similarity == 0.0) return false;
            set_child(children[row], match.shape, column, i, similarity, to);
            return true;
        };
        subsequences_.sum_table(children.size(), labels.size(), child, total, task);
    }

    // C of a child of a row's node and a child of the i-th member of a shape, times the weight of a pair.
    void set_child(Node child, Shape shape, std::size_t column, std::size_t i, double similarity, Real* to) {
        set_scale(corpus_.label(child), index_.shapes().child_labels(shape)[column], similarity, to);
        dual_multiply(to, leaf_.data(), width_);
        if (const Real* row = rows_[child]) dual_add(to, row + index_.child_ranks(shape, column)[i] * width_, width_);
        if (parameters_.span) dual_multiply(to, weight_.data(), width_);
    }

    const Corpus& corpus_;
    const PartialIndex& index_;
    const LabelSimilarity& similarity_;
    const PartialParameters& parameters_;
    const LabelPlaces& places_;
    const std::size_t width_;
    RowPool<Real> rows_;
    MatchFinder matches_of_;
    DualSubsequences<Real> subsequences_;
    const std::vector<Real> leaf_;    // what a node without children has, but for the vertical decay
    const std::vector<Real> weight_;  // of a pair of children
    std::vector<Real> scale_;
};

template <class Real>
class PartialGradients final : public Gradients<Real> {
public:
    PartialGradients(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters, LabelPlaces places,
                     const Task& task)
        : corpus_(corpus),
          parameters_(parameters),
          places_(std::move(places)),
          index_(corpus, columns, *parameters.similarity, task) {}

    std::unique_ptr<GradientWorker<Real>> worker() const override {
        return std::make_unique<PartialGradientWorker<Real>>(corpus_, index_, parameters_, places_);
    }

private:
    const Corpus& corpus_;
    PartialParameters parameters_;
    LabelPlaces places_;
    PartialIndex index_;
};

}  // namespace

template <class Real>
std::unique_ptr<Gradients<Real>> partial_gradients(const Corpus& corpus, std::size_t columns,
                                                   const PartialParameters& parameters, const LabelPlaces& places,
                                                   const Task& task) {
    return std::make_unique<PartialGradients<Real>>(corpus, columns, parameters, places, task);
}
template std::unique_ptr<Gradients<double>> partial_gradients(const Corpus&, std::size_t, const PartialParameters&,
                                                              const LabelPlaces&, const Task&);
template std::unique_ptr<Gradients<Wide>> partial_gradients(const Corpus&, std::size_t, const PartialParameters&,
                                                            const LabelPlaces&, const Task&);

}  // namespace treekernels
