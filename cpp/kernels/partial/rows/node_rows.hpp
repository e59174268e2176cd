// Rows of the partial-tree kernel by subtrees: C(u, v) of one subtree u with all subtrees v of an index.
//
// What C has for the labels alone, `leaf value * similarity`, is the same for all subtrees with these labels, and left
// to whoever adds up. Here is the rest, the excess: it is not zero only where some children match. Mostly it is that of
// two subtrees at rest, in which nothing below the children matches: then it depends on the productions alone. What
// there is beyond that is called the surplus.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/partial/index.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/rows/groups.hpp"
#include "kernels/partial/rows/lanes.hpp"
#include "kernels/partial/subsequences.hpp"

namespace treekernels {

enum class RowPart { surplus, excess };

template <class Real>
class PartialNodeRows {
public:
    // Holds rows of so many bytes before it keeps only what is not zero of those with little in them.
    // The rows may be of another corpus than the index, whose shapes are by the labels of that. `uses` says how often
    // a subtree of each production will be asked for.
    PartialNodeRows(const Corpus& corpus, const PartialShapes& shapes, const PartialIndex& index,
                    const PartialParameters& parameters, std::span<const std::uint32_t> uses, std::size_t bytes)
        : corpus_(corpus),
          shapes_(shapes),
          index_(index),
          similarity_(*parameters.similarity),
          parameters_(parameters),
          leaf_value_(parameters.leaf_value()),
          weight_(parameters.pair_weight()),
          bytes_(bytes),
          pool_(similarity_.label_count()),
          row_of_(corpus.node_count()),
          groups_of_(shapes, index, similarity_, uses),
          end_(static_cast<Node>(index.nodes().size())),
          sources_(kMostCells),
          ranks_(kTogether),
          more_(kTogether) {
        powers_.assign(1, Real(1.0));
    }

    // Looks only at indexed subtrees with smaller numbers.
    void set_end(Node end) { end_ = end; }

    // Computes the excess of u, whose children's rows are here, and calls found(place, value) for what is wanted of
    // each subtree that has any. The row stays here if it is to be kept, until it is released.
    template <class Found>
    void compute(Node u, bool keep, RowPart wanted, Found found, const Task& task) {
        const Label label = shapes_.label_of(u);
        if (label == kNone) return;
        const std::uint32_t label_class = similarity_.class_of(label);
        const ProductionGroups& groups = groups_of_(corpus_.production(u), end_);
        const std::uint32_t end = index_.ranks_below(label_class, end_), place = index_.first_place(label_class);
        std::size_t total = 0;
        for (const MatchGroup& group : groups.groups) total += limit(groups, group, end);
        Row* row = keep && total > 0 ? acquire(u, total == 1 ? 0 : index_.class_size(label_class)) : nullptr;
        for (const MatchGroup& group : groups.groups) {
            const std::size_t size = limit(groups, group, end);
            if (size == 0) continue;
            if (group.cell_count > kMostCells)
                sum_tables(u, groups, group, size, place, row, found, task);
            else
                sum_cells(u, groups, group, size, wanted, place, row, found, task);
        }
        if (row && row_bytes_ > bytes_) compress(*row, groups, end);
    }

    // Calls found(ranks, first place, excess) for those that subtrees of a production have the same excess with as long
    // as they are at rest.
    template <class Found>
    void visit_at_rest(Production production, Found found) {
        const Label label = shapes_.label(production);
        if (label == kNone) return;
        const std::uint32_t label_class = similarity_.class_of(label);
        const ProductionGroups& groups = groups_of_(production, end_);
        const std::uint32_t end = index_.ranks_below(label_class, end_), place = index_.first_place(label_class);
        for (const MatchGroup& group : groups.groups)
            found(std::span(groups.ranks_of(group), limit(groups, group, end)), place, at_rest(groups, group));
    }

    bool has(Node u) const { return row_of_[u] != nullptr; }
    void release(Node u) {
        auto& row = row_of_[u];
        row_bytes_ -= bytes_of(*row);
        if (row->values.empty() || pool_bytes_ > bytes_) {
            row.reset();
        } else {
            pool_bytes_ += bytes_of(*row);
            pool_[class_of(u)].push_back(std::move(row));
        }
    }
    std::size_t bytes() const { return row_bytes_; }
    // Of rows that were released, which wait to be used again.
    std::size_t pool_bytes() const { return pool_bytes_; }
    // Gives back the memory of those.
    void trim() {
        for (auto& rows : pool_) rows.clear();
        pool_bytes_ = 0;
    }

private:
    static constexpr std::size_t kTogether = 4096;  // lanes

    // By rank: of all subtrees of the class or, when there is one or memory is short, of those that have some. A node
    // may have a million different children.
    struct Row {
        std::vector<Real> values;
        std::vector<std::pair<std::uint32_t, Real>> exceptions;  // when `values` is empty
    };
    static std::uint32_t rank_of(const std::pair<std::uint32_t, Real>& exception) { return exception.first; }
    static std::size_t bytes_of(const Row& row) {
        return sizeof(Row) + row.values.size() * sizeof(Real) + row.exceptions.size() * sizeof(row.exceptions[0]);
    }

    // How many subtrees of a group have ranks below the end. There are no others if it is not sorted.
    static std::size_t limit(const ProductionGroups& groups, const MatchGroup& group, std::uint32_t end) {
        const std::uint32_t* ranks = groups.ranks_of(group);
        if (group.size == 0 || ranks[group.size - 1] < end) return group.size;
        return static_cast<std::size_t>(std::lower_bound(ranks, ranks + group.size, end) - ranks);
    }

    static void put(Row& row, std::uint32_t rank, Real value) {
        if (row.values.empty())
            row.exceptions.assign(1, {rank, value});
        else
            row.values[rank] = value;
    }

    template <class Found>
    void sum_cells(Node u, const ProductionGroups& groups, const MatchGroup& match, std::size_t size, RowPart wanted,
                   std::uint32_t place, Row* row, Found found, const Task& task) {
        using Kind = typename CellSource<Real>::Kind;
        const auto cells = groups.cells_of(match);
        const std::uint32_t* ranks = groups.ranks_of(match);
        bool constant = true, few_ranks = true, by_lane = false;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            sources_[k] = source(corpus_.children(u)[cells[k].row], cells[k].similarity);
            const Kind kind = sources_[k].kind;
            constant = constant && kind == Kind::constant;
            few_ranks = few_ranks && (kind == Kind::constant || kind == Kind::single);
            by_lane = by_lane || kind == Kind::by_lane;
        }
        const Real resting = at_rest(groups, match);
        const Real rest = wanted == RowPart::surplus ? resting : Real(0.0);
        if (constant) {
            if (row)
                for (std::size_t t = 0; t < size; ++t) put(*row, ranks[t], resting);
            if (rest < resting)
                for (std::size_t t = 0; t < size; ++t) found(place + ranks[t], resting);
            return;
        }
        const Real scale(match.similarity * parameters_.vertical_decay);
        for (std::size_t begin = 0; begin < size; begin += kTogether) {
            if (begin > 0) task.check();
            const std::size_t lanes = std::min(kTogether, size - begin);
            for (std::size_t k = 0; k < cells.size(); ++k) sources_[k].ranks = groups.child_ranks_of(match, k) + begin;
            if (by_lane) unpack(u, cells, lanes);
            LaneGroup<Real> group{cells, sources_.data(), powers_.data(), weight_, scale,  resting,
                                  rest,  few_ranks,       ranks + begin,  lanes,   nullptr};
            if (row && row->values.empty()) {  // of the one subtree in it
                group.rest = Real(0.0);
                const Real value = evaluate(group, ranks_.data(), more_.data()) == 0 ? Real(0.0) : more_[0];
                put(*row, ranks[0], value);
                if (rest < value) found(place + ranks[0], value - rest);
                continue;
            }
            if (row) group.row = row->values.data();
            const std::size_t listed = evaluate(group, ranks_.data(), more_.data());
            // Neighbours are often of one tree, and would have to wait for each other.
            const std::size_t quarter = listed / 4;
            for (std::size_t i = 0; i < quarter; ++i)
                for (std::size_t part = 0; part < 4; ++part)
                    found(place + ranks_[part * quarter + i], more_[part * quarter + i]);
            for (std::size_t i = 4 * quarter; i < listed; ++i) found(place + ranks_[i], more_[i]);
        }
    }

    template <class Found>
    void sum_tables(Node u, const ProductionGroups& groups, const MatchGroup& group, std::size_t size,
                    std::uint32_t place, Row* row, Found found, const Task& task) {
        const auto children = corpus_.children(u);
        const Real scale(group.similarity * parameters_.vertical_decay);
        for (std::size_t t = 0; t < size; ++t) {
            const std::uint32_t rank = groups.ranks_of(group)[t];
            const auto others = index_.corpus().children(index_.nodes()[place + rank]);
            const Real value =
                scale * sum_table(shapes_.shape(u), group.shape, task, [&](std::size_t i, std::size_t j) {
                    const Row* child = row_of_[children[i]].get();
                    return child ? at(*child, index_.rank(others[j])) : Real(0.0);
                });
            if (row) put(*row, rank, value);
            if (Real(0.0) < value) found(place + rank, value);
        }
    }

    // Over all pairs of children of two shapes; beyond(i, j) is what C has beyond their labels.
    template <class Beyond>
    Real sum_table(Shape row, Shape column, const Task& task, Beyond beyond) {
        const auto own = shapes_.child_labels(row), labels = index_.shapes().child_labels(column);
        const auto value = [&](std::size_t i, std::size_t j) {
            const double similarity = own[i] == kNone ? 0.0 : similarity_(own[i], labels[j]);
            if (similarity == 0.0) return Real(0.0);
            return (leaf_value_ * Real(similarity) + beyond(i, j)) * weight_;
        };
        return subsequences_(own.size(), labels.size(), parameters_.decay, value, task);
    }

    // The excess of subtrees of a production and of a group, both at rest.
    // Where there are too many cells, all of it is taken for surplus.
    Real at_rest(const ProductionGroups& groups, const MatchGroup& group) {
        if (group.cell_count > kMostCells) return Real(0.0);
        const auto cells = groups.cells_of(group);
        return evaluate_at_rest(cells, leaf_value_, powers(cells), weight_,
                                Real(group.similarity * parameters_.vertical_decay));
    }

    CellSource<Real> source(Node child, double similarity) const {
        CellSource<Real> result{};
        result.constant = leaf_value_ * Real(similarity);
        const Row* row = row_of_[child].get();
        if (!row) return result;
        if (!row->values.empty()) {
            result.kind = CellSource<Real>::Kind::by_rank;
            result.beyond = row->values.data();
        } else if (row->exceptions.size() == 1) {
            result.kind = CellSource<Real>::Kind::single;
            std::tie(result.rank, result.value) = row->exceptions.front();
        } else {
            result.kind = CellSource<Real>::Kind::by_lane;
        }
        return result;
    }

    // Looks up, for each lane, what stands in rows of which only some values are kept.
    void unpack(Node u, std::span<const ChildCell> cells, std::size_t lanes) {
        unpacked_.resize(kMostCells * kTogether);
        for (std::size_t k = 0; k < cells.size(); ++k) {
            if (sources_[k].kind != CellSource<Real>::Kind::by_lane) continue;
            const Row& row = *row_of_[corpus_.children(u)[cells[k].row]];
            Real* values = unpacked_.data() + k * kTogether;
            for (std::size_t t = 0; t < lanes; ++t) values[t] = at(row, sources_[k].ranks[t]);
            sources_[k].beyond = values;
        }
    }

    static Real at(const Row& row, std::uint32_t rank) {
        if (!row.values.empty()) return row.values[rank];
        const auto found = std::ranges::lower_bound(row.exceptions, rank, {}, rank_of);
        return found != row.exceptions.end() && found->first == rank ? found->second : Real(0.0);
    }

    const Real* powers(std::span<const ChildCell> cells) {
        std::size_t farthest = 0;
        for (const ChildCell& cell : cells) farthest = std::max<std::size_t>(farthest, cell.row + cell.column);
        while (powers_.size() <= farthest) powers_.push_back(powers_.back() * Real(parameters_.decay));
        return powers_.data();
    }

    std::uint32_t class_of(Node u) const { return similarity_.class_of(shapes_.label_of(u)); }

    // A row for so many values, or for one exception.
    Row* acquire(Node u, std::size_t size) {
        auto& free = pool_[class_of(u)];
        if (size == 0 || free.empty()) {
            row_of_[u] = std::make_unique<Row>();
            if (size == 0) row_of_[u]->exceptions.reserve(1);
        } else {
            row_of_[u] = std::move(free.back());
            free.pop_back();
            pool_bytes_ -= bytes_of(*row_of_[u]);
        }
        row_of_[u]->values.assign(size, Real(0.0));
        if (size == 0) row_of_[u]->exceptions.assign(1, {0, Real(0.0)});
        row_bytes_ += bytes_of(*row_of_[u]);
        return row_of_[u].get();
    }

    // Replaces a row by its exceptions where that saves memory.
    void compress(Row& row, const ProductionGroups& groups, std::uint32_t end) {
        std::size_t touched = 0;
        for (const MatchGroup& group : groups.groups) touched += limit(groups, group, end);
        if (row.values.empty() || touched > row.values.size() / 8) return;
        row_bytes_ -= bytes_of(row);
        for (const MatchGroup& group : groups.groups)
            for (std::size_t i = 0; i < limit(groups, group, end); ++i) {
                const std::uint32_t rank = groups.ranks_of(group)[i];
                row.exceptions.emplace_back(rank, row.values[rank]);
            }
        std::ranges::sort(row.exceptions, {}, rank_of);
        std::vector<Real>().swap(row.values);  // assigning {} would keep the memory
        row_bytes_ += bytes_of(row);
    }

    const Corpus& corpus_;
    const PartialShapes& shapes_;
    const PartialIndex& index_;
    const LabelSimilarity& similarity_;
    const PartialParameters parameters_;
    const Real leaf_value_, weight_;
    const std::size_t bytes_;
    std::vector<std::vector<std::unique_ptr<Row>>> pool_;  // rows at rest, by label class
    std::vector<std::unique_ptr<Row>> row_of_;             // null where there is no excess
    GroupFinder groups_of_;
    std::vector<Real> powers_;
    SubsequenceSum<Real> subsequences_;
    Node end_;
    std::vector<CellSource<Real>> sources_;
    std::vector<std::uint32_t> ranks_;  // with surplus
    std::vector<Real> more_, unpacked_;
    std::size_t row_bytes_ = 0, pool_bytes_ = 0;
};

}  // namespace treekernels
