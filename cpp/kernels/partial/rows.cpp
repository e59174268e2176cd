// Rows of the partial-tree kernel, by the index.
#include <algorithm>
#include <array>

#include "gram/features.hpp"
#include "kernels/partial/index.hpp"
#include "kernels/partial/lanes.hpp"
#include "kernels/partial/matches.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/subsequences.hpp"

namespace treekernels {

namespace {

// C(u, v) for one u and all v of its label class, by rank. A row that is `leaf value * similarity` almost everywhere
// is kept as a list of exceptions when memory is short: a node may have a million different children.
template <class Real>
struct PartialRow {
    std::vector<Real> values;
    std::vector<std::pair<std::uint32_t, Real>> exceptions;  // by rank, when `values` is empty
};

template <class Real>
class PartialWorker final : public RowWorker<Real> {
public:
    PartialWorker(const Corpus& corpus, const PartialIndex& index, const Features& labels,
                  const PartialParameters& parameters)
        : corpus_(corpus),
          index_(index),
          labels_(labels),
          similarity_(*parameters.similarity),
          parameters_(parameters),
          leaf_value_(parameters.leaf_value()),
          pool_(corpus.label_count()),
          row_of_(corpus.node_count()),
          uses_(corpus.node_count(), 0),
          known_limit_(index.shape_count(), {kNone, 0}),
          matches_of_(index, *parameters.similarity) {
        powers_.assign(1, Real(1.0));
    }

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        std::fill(values, values + columns, Real(0.0));
        add_labels(tree, columns, values);
        columns_ = columns;
        end_ = corpus_.limit(columns);
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
            compute(u, counts[i], values, task);
            for (Node child : corpus_.children(u))
                if (--uses_[child] == 0 && row_of_[child]) release(child);
        }
    }

private:
    using Row = PartialRow<Real>;
    // A worker holds rows of this many bytes before it starts to keep exceptions only.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    // All pairs of nodes with matching labels, as if no children did.
    void add_labels(std::size_t tree, std::size_t columns, Real* values) const {
        if (similarity_.is_identity()) return labels_.add_row(tree, columns, values);
        labels_.visit(tree, [&](Label label, double count) {
            for (Shape shape : similar_labels(label)) {
                const double weight = similarity_(label, shape) * parameters_.leaf_value() * count;
                if (weight != 0.0) labels_.postings().add(shape, columns, Real(weight), values);
            }
        });
    }

    std::vector<Label> similar_labels(Label label) const {
        std::vector<Label> result;
        for (Shape shape : index_.shapes_of_class(similarity_.class_of(label))) result.push_back(index_.label(shape));
        std::ranges::sort(result);
        result.erase(std::unique(result.begin(), result.end()), result.end());
        return result;
    }

    void compute(Node u, double count, Real* values, const Task& task) {
        const Production production = corpus_.production(u);
        const ProductionMatches& matches = matches_of_(production);
        const bool wanted = uses_[u] != 0;
        Row* row = nullptr;
        for (const ShapeMatch& match : matches.matches) {
            const std::size_t size = limit(match.shape);
            if (size == 0) continue;
            if (wanted && !row) row = acquire(u);
            const std::uint32_t rank = index_.first_rank(match.shape);
            const Real scale(match.similarity * parameters_.vertical_decay);
            const Real base = leaf_value_ * Real(match.similarity);
            for (std::size_t begin = 0; begin < size; begin += kPartialLanes) {
                const std::size_t lanes = std::min(kPartialLanes, size - begin);
                if (match.cell_count <= kMostCells)
                    sum_cells(u, matches, match, begin, lanes);
                else
                    sum_table(u, match, begin, lanes, task);
                const std::uint32_t place = index_.first_place(match.shape) + static_cast<std::uint32_t>(begin);
                for (std::size_t t = 0; t < lanes; ++t) {
                    const Real excess = scale * lanes_.total[t];
                    if (row) row->values[rank + begin + t] = base + excess;
                    index_.postings().add(place + static_cast<std::uint32_t>(t), columns_, excess * Real(count),
                                          values);
                }
            }
        }
        if (row && row_bytes_ > kRowBudget) compress(u, matches);
    }

    // Sums over the child subsequences of u and of `lanes` subtrees of a shape, into lanes_.total.
    void sum_cells(Node u, const ProductionMatches& matches, const ShapeMatch& match, std::size_t begin,
                   std::size_t lanes) {
        const std::span<const ChildCell> cells(matches.cells.data() + match.first_cell, match.cell_count);
        CellSource<Real> sources[kMostCells];
        std::size_t farthest = 0;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const Node child = corpus_.children(u)[cells[k].row];
            const Row* row = row_of_[child].get();
            sources[k] = {nullptr, index_.child_ranks(match.shape, cells[k].column) + begin,
                          leaf_value_ * Real(cells[k].similarity)};
            if (row && !row->values.empty()) {
                sources[k].row = row->values.data();
            } else if (row) {
                unpack(*row, sources[k], lanes, k);
                sources[k].row = unpacked_[k];
                sources[k].ranks = kIdentityRanks.data();
            }
            farthest = std::max<std::size_t>(farthest, cells[k].row + cells[k].column);
        }
        evaluate(cells, sources, powers(farthest), Real(parameters_.pair_weight()), lanes, lanes_);
    }

    void sum_table(Node u, const ShapeMatch& match, std::size_t begin, std::size_t lanes, const Task& task) {
        const auto children = corpus_.children(u);
        const auto labels = index_.child_labels(match.shape);
        const Real weight(parameters_.pair_weight());
        for (std::size_t t = 0; t < lanes; ++t) {
            const auto value = [&](std::size_t i, std::size_t j) {
                const double similarity = similarity_(corpus_.label(children[i]), labels[j]);
                if (similarity == 0.0) return Real(0.0);
                const Real constant = leaf_value_ * Real(similarity);
                const Row* row = row_of_[children[i]].get();
                if (!row) return constant * weight;
                const std::uint32_t rank = index_.child_ranks(match.shape, j)[begin + t];
                return at(*row, rank, constant) * weight;
            };
            lanes_.total[t] = subsequences_(children.size(), labels.size(), parameters_.decay, value, task);
        }
    }

    static Real at(const Row& row, std::uint32_t rank, Real constant) {
        if (!row.values.empty()) return row.values[rank];
        const auto found = std::ranges::lower_bound(row.exceptions, rank, {}, [](const auto& e) { return e.first; });
        return found != row.exceptions.end() && found->first == rank ? found->second : constant;
    }

    void unpack(const Row& row, const CellSource<Real>& source, std::size_t lanes, std::size_t k) {
        for (std::size_t t = 0; t < lanes; ++t) unpacked_[k][t] = at(row, source.ranks[t], source.constant);
    }

    // How many subtrees of a shape the present columns have.
    std::size_t limit(Shape shape) {
        auto& [end, size] = known_limit_[shape];
        if (end != end_) {
            const auto members = index_.members(shape);
            end = end_;
            size = static_cast<std::uint32_t>(std::ranges::lower_bound(members, end_) - members.begin());
        }
        return size;
    }

    const Real* powers(std::size_t farthest) {
        while (powers_.size() <= farthest) powers_.push_back(powers_.back() * Real(parameters_.decay));
        return powers_.data();
    }

    Row* acquire(Node u) {
        const std::uint32_t label_class = similarity_.class_of(corpus_.label(u));
        auto& free = pool_[label_class];
        if (free.empty()) {
            row_of_[u] = std::make_unique<Row>();
        } else {
            row_of_[u] = std::move(free.back());
            free.pop_back();
        }
        auto& values = row_of_[u]->values;
        if (values.empty()) row_bytes_ += index_.class_size(label_class) * sizeof(Real);
        if (similarity_.is_identity()) {
            values.assign(index_.class_size(label_class), leaf_value_);
        } else {
            values.resize(index_.class_size(label_class));
            for (Shape shape : index_.shapes_of_class(label_class)) {
                const Real value = leaf_value_ * Real(similarity_(corpus_.label(u), index_.label(shape)));
                std::fill_n(values.begin() + index_.first_rank(shape), index_.members(shape).size(), value);
            }
        }
        return row_of_[u].get();
    }

    // Replaces a row by its exceptions where that saves memory.
    void compress(Node u, const ProductionMatches& matches) {
        Row& row = *row_of_[u];
        std::size_t touched = 0;
        for (const ShapeMatch& match : matches.matches) touched += limit(match.shape);
        if (touched > row.values.size() / 8) return;
        for (const ShapeMatch& match : matches.matches) {
            const std::uint32_t first = index_.first_rank(match.shape);
            for (std::uint32_t i = 0; i < limit(match.shape); ++i)
                row.exceptions.emplace_back(first + i, row.values[first + i]);
        }
        std::ranges::sort(row.exceptions, {}, [](const auto& e) { return e.first; });
        row_bytes_ -= row.values.size() * sizeof(Real);
        std::vector<Real>().swap(row.values);  // assigning {} would keep the memory
    }

    void release(Node u) {
        auto& row = row_of_[u];
        if (row->values.empty())
            row.reset();
        else
            pool_[similarity_.class_of(corpus_.label(u))].push_back(std::move(row));
    }

    static constexpr auto kIdentityRanks = [] {
        std::array<std::uint32_t, kPartialLanes> ranks{};
        for (std::uint32_t t = 0; t < kPartialLanes; ++t) ranks[t] = t;
        return ranks;
    }();

    const Corpus& corpus_;
    const PartialIndex& index_;
    const Features& labels_;
    const LabelSimilarity& similarity_;
    const PartialParameters parameters_;
    const Real leaf_value_;
    std::vector<std::vector<std::unique_ptr<Row>>> pool_;  // rows at rest, by label class
    std::vector<std::unique_ptr<Row>> row_of_;             // null where all values are those of leaves
    std::vector<std::uint32_t> uses_;                      // edges of the tree that still need the row
    std::vector<std::pair<Node, std::uint32_t>> known_limit_;
    MatchFinder matches_of_;
    std::vector<Real> powers_;
    SubsequenceSum<Real> subsequences_;
    PartialLanes<Real> lanes_;
    Real unpacked_[kMostCells][kPartialLanes];
    std::size_t row_bytes_ = 0;
    std::size_t columns_ = 0;
    Node end_ = 0;
};

template <class Real>
class PartialRows final : public Rows<Real> {
public:
    PartialRows(const Corpus& corpus, std::size_t columns, const PartialParameters& parameters)
        : corpus_(corpus), parameters_(parameters), index_(corpus, columns, *parameters.similarity) {
        labels_ =
            Features::of_nodes(corpus, columns, std::vector<double>(corpus.label_count(), parameters.leaf_value()), 1,
                               [&](Node node) { return corpus.label(node); });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<PartialWorker<Real>>(corpus_, index_, labels_, parameters_);
    }

private:
    const Corpus& corpus_;
    PartialParameters parameters_;
    PartialIndex index_;
    Features labels_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> partial_rows(const Corpus& corpus, std::size_t columns,
                                         const PartialParameters& parameters) {
    return std::make_unique<PartialRows<Real>>(corpus, columns, parameters);
}
template std::unique_ptr<Rows<double>> partial_rows(const Corpus&, std::size_t, const PartialParameters&);
template std::unique_ptr<Rows<Wide>> partial_rows(const Corpus&, std::size_t, const PartialParameters&);

}  // namespace treekernels
