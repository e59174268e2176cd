#include "kernels/partial/partial.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/simd.hpp"
#include "gram/features.hpp"
#include "kernels/partial/index.hpp"

namespace treekernels {

namespace {

// The sum over all pairs of non-empty child subsequences of equal length, by rows of the table of child pairs. Adds
// positive terms only, and needs memory for one row.
template <class Real>
class SubsequenceSum {
public:
    // `value(i, j)` is C of child i and child j, 0 where they do not match.
    template <class Value>
    Real operator()(std::size_t rows, std::size_t columns, double decay, Value value, const Task& task) {
        const Real lambda(decay);
        below_.assign(columns, Real(0.0));
        Real total(0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            if (columns > 1024) task.check();
            Real row_total(0.0);  // added as one, lest the total swallow small terms
            Real in_row(0.0);     // decayed sum of this row so far
            Real diagonal(0.0);   // below_[j - 1] before this row
            for (std::size_t j = 0; j < columns; ++j) {
                const Real ending = value(i, j) * (Real(1.0) + diagonal);
                row_total += ending;
                in_row = in_row * lambda + ending;
                diagonal = below_[j];
                below_[j] = diagonal * lambda + in_row;
            }
            total += row_total;
        }
        return total;
    }

private:
    std::vector<Real> below_;  // decayed sum of all that ends at or before a column, in the rows so far
};

// A pair of children, one of each side, whose labels match.
struct Cell {
    std::uint32_t row, column;
    double similarity;
};

// Which children of one production match which of another: the same for all subtrees that have them.
struct Match {
    Shape shape;
    double similarity;  // of the parents' labels
    std::size_t first_cell;
    std::size_t cell_count;
};
struct Matches {
    std::vector<Match> matches;
    std::vector<Cell> cells;  // by row, then by column
};

// With more cells than this a table of all child pairs is cheaper than looking at all pairs of cells.
constexpr std::size_t kMostCells = 24;
constexpr std::size_t kLanes = 32;

// C of one subtree with up to kLanes subtrees of one shape, from the C of the matching children.
template <class Real>
struct Lanes {
    Real ending[kMostCells][kLanes];  // sum of all that ends with a cell
    Real total[kLanes];
};

template <class Real>
struct CellSource {
    const Real* row;             // C of the row's child by rank, or null where it is `constant` throughout
    const std::uint32_t* ranks;  // of the column's child, for each lane
    Real constant;
};

template <class Real>
TREEKERNELS_INLINE void evaluate_lanes(std::span<const Cell> cells, const CellSource<Real>* sources, const Real* powers,
                                       Real weight, std::size_t lanes, Lanes<Real>& out) {
    for (std::size_t t = 0; t < lanes; ++t) out.total[t] = Real(0.0);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Real* ending = out.ending[k];
        Real factor[kLanes];
        for (std::size_t t = 0; t < lanes; ++t) factor[t] = Real(1.0);
        for (std::size_t l = 0; l < k; ++l) {
            if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;
            const Real power = powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)];
            const Real* before = out.ending[l];
            for (std::size_t t = 0; t < lanes; ++t) factor[t] += power * before[t];
        }
        if (const Real* row = sources[k].row) {
            const std::uint32_t* ranks = sources[k].ranks;
            for (std::size_t t = 0; t < lanes; ++t) ending[t] = row[ranks[t]] * weight * factor[t];
        } else {
            const Real constant = sources[k].constant * weight;
            for (std::size_t t = 0; t < lanes; ++t) ending[t] = constant * factor[t];
        }
        for (std::size_t t = 0; t < lanes; ++t) out.total[t] += ending[t];
    }
}

void evaluate(std::span<const Cell> cells, const CellSource<double>* sources, const double* powers, double weight,
              std::size_t lanes, Lanes<double>& out) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { evaluate_lanes(cells, sources, powers, weight, lanes, out); });
}
void evaluate(std::span<const Cell> cells, const CellSource<Wide>* sources, const Wide* powers, Wide weight,
              std::size_t lanes, Lanes<Wide>& out) {
    evaluate_lanes(cells, sources, powers, weight, lanes, out);
}

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
          known_limit_(index.shape_count(), {kNone, 0}) {
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
    static constexpr std::size_t kMatchBudget = std::size_t{64} << 20;

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
        const Matches& matches = matches_of(production);
        const bool wanted = uses_[u] != 0;
        Row* row = nullptr;
        for (const Match& match : matches.matches) {
            const std::size_t size = limit(match.shape);
            if (size == 0) continue;
            if (wanted && !row) row = acquire(u);
            const std::uint32_t rank = index_.first_rank(match.shape);
            const Real scale(match.similarity * parameters_.vertical_decay);
            const Real base = leaf_value_ * Real(match.similarity);
            for (std::size_t begin = 0; begin < size; begin += kLanes) {
                const std::size_t lanes = std::min(kLanes, size - begin);
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
    void sum_cells(Node u, const Matches& matches, const Match& match, std::size_t begin, std::size_t lanes) {
        const std::span<const Cell> cells(matches.cells.data() + match.first_cell, match.cell_count);
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

    void sum_table(Node u, const Match& match, std::size_t begin, std::size_t lanes, const Task& task) {
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

    const Matches& matches_of(Production production) {
        if (const auto found = matches_.find(production); found != matches_.end()) return found->second;
        if (match_bytes_ > kMatchBudget) {
            matches_.clear();
            match_bytes_ = 0;
        }
        Matches& result = matches_[production];
        find_matches(production, result);
        match_bytes_ += 64 + result.matches.size() * sizeof(Match) + result.cells.size() * sizeof(Cell);
        return result;
    }

    void find_matches(Production production, Matches& result) {
        const Label label = index_.label(production);
        const std::uint32_t label_class = similarity_.class_of(label);
        std::vector<std::uint32_t> classes;
        for (Label child : index_.child_labels(production)) classes.push_back(similarity_.class_of(child));
        std::ranges::sort(classes);
        classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
        std::vector<Shape> shapes;
        for (std::uint32_t child_class : classes) {
            const auto found = index_.shapes_with_child(label_class, child_class);
            shapes.insert(shapes.end(), found.begin(), found.end());
        }
        std::ranges::sort(shapes);
        shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
        for (Shape shape : shapes) {
            const double similarity = similarity_(label, index_.label(shape));
            if (similarity == 0.0) continue;
            Match match{shape, similarity, result.cells.size(), 0};
            add_cells(production, match, result.cells);
            if (match.cell_count > 0) result.matches.push_back(match);
        }
        result.matches.shrink_to_fit();
        result.cells.shrink_to_fit();
    }

    // Leaves out the cells, but not their number, where there are too many of them.
    void add_cells(Production production, Match& match, std::vector<Cell>& cells) const {
        const auto rows = index_.child_labels(production);
        const auto columns = index_.child_labels(match.shape);
        for (std::uint32_t i = 0; i < rows.size(); ++i) {
            for (std::uint32_t j = 0; j < columns.size(); ++j) {
                const double similarity = similarity_(rows[i], columns[j]);
                if (similarity == 0.0) continue;
                if (++match.cell_count > kMostCells) {
                    cells.resize(match.first_cell);
                    return;
                }
                cells.push_back({i, j, similarity});
            }
        }
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
    void compress(Node u, const Matches& matches) {
        Row& row = *row_of_[u];
        std::size_t touched = 0;
        for (const Match& match : matches.matches) touched += limit(match.shape);
        if (touched > row.values.size() / 8) return;
        for (const Match& match : matches.matches) {
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
        std::array<std::uint32_t, kLanes> ranks{};
        for (std::uint32_t t = 0; t < kLanes; ++t) ranks[t] = t;
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
    std::unordered_map<Production, Matches> matches_;
    std::vector<Real> powers_;
    SubsequenceSum<Real> subsequences_;
    Lanes<Real> lanes_;
    Real unpacked_[kMostCells][kLanes];
    std::size_t row_bytes_ = 0;
    std::size_t match_bytes_ = 0;
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

// C of two nodes for the pairwise algorithms.
template <class Real>
class PartialLocal {
public:
    PartialLocal(const Corpus& corpus, const PartialParameters& parameters)
        : corpus_(corpus), parameters_(parameters) {}

    template <class Lookup>
    Real operator()(Node u, Node v, std::span<const std::uint32_t> u_children,
                    std::span<const std::uint32_t> v_children, Lookup lookup, const Task& task) {
        const double similarity = (*parameters_.similarity)(corpus_.label(u), corpus_.label(v));
        if (similarity == 0.0) return Real(0.0);
        const Real weight(parameters_.pair_weight());
        const Real sum = subsequences_(
            u_children.size(), v_children.size(), parameters_.decay,
            [&](std::size_t i, std::size_t j) { return weight * lookup(u_children[i], v_children[j]); }, task);
        return Real(similarity * parameters_.vertical_decay) * (Real(parameters_.decay * parameters_.decay) + sum);
    }

private:
    const Corpus& corpus_;
    const PartialParameters parameters_;
    SubsequenceSum<Real> subsequences_;
};

template <class Real>
std::unique_ptr<Rows<Real>> partial_rows(const Corpus& corpus, std::size_t columns,
                                         const PartialParameters& parameters) {
    return std::make_unique<PartialRows<Real>>(corpus, columns, parameters);
}
template std::unique_ptr<Rows<double>> partial_rows(const Corpus&, std::size_t, const PartialParameters&);
template std::unique_ptr<Rows<Wide>> partial_rows(const Corpus&, std::size_t, const PartialParameters&);

template <class Real>
std::unique_ptr<PairValues<Real>> partial_pairs(const Corpus& corpus, const PartialParameters& parameters,
                                                PairAlgorithm algorithm) {
    std::vector<std::uint32_t> keys(corpus.node_count());
    for (Node node = 0; node < keys.size(); ++node) keys[node] = parameters.similarity->class_of(corpus.label(node));
    return std::make_unique<KeyedPairs<Real, PartialLocal<Real>>>(KeyedTrees(corpus, keys, true), algorithm,
                                                                  PartialLocal<Real>(corpus, parameters));
}
template std::unique_ptr<PairValues<double>> partial_pairs(const Corpus&, const PartialParameters&, PairAlgorithm);
template std::unique_ptr<PairValues<Wide>> partial_pairs(const Corpus&, const PartialParameters&, PairAlgorithm);

}  // namespace treekernels
