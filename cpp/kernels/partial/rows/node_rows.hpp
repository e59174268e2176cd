// Rows of the partial-tree kernel by subtrees: C(u, v) of one subtree u with all subtrees v of an index.
//
// What C has for the labels alone, `leaf value * similarity`, is the same for all subtrees with these labels, and left
// to whoever adds up. Here is the rest, the excess: it is not zero only where some children match.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/partial/index.hpp"
#include "kernels/partial/matches.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/rows/lanes.hpp"
#include "kernels/partial/subsequences.hpp"

namespace treekernels {

template <class Real>
class PartialNodeRows {
public:
    // Holds rows of so many bytes before it keeps only what is not zero of those with little in them.
    // The rows may be of another corpus than the index, whose shapes are by the labels of that.
    PartialNodeRows(const Corpus& corpus, const PartialShapes& shapes, const PartialIndex& index,
                    const PartialParameters& parameters, std::size_t bytes)
        : corpus_(corpus),
          shapes_(shapes),
          index_(index),
          similarity_(*parameters.similarity),
          parameters_(parameters),
          leaf_value_(parameters.leaf_value()),
          bytes_(bytes),
          pool_(similarity_.label_count()),
          row_of_(corpus.node_count()),
          known_limit_(index.shapes().size(), {kNone, 0}),
          matches_of_(shapes, index, similarity_),
          end_(static_cast<Node>(index.nodes().size())) {
        powers_.assign(1, Real(1.0));
    }

    // Looks only at indexed subtrees with smaller numbers.
    void set_end(Node end) { end_ = end; }

    // Computes the excess of u, whose children's rows are here, and calls found(place, lanes, excess) for as many
    // subtrees at a time as are neighbours by place. The row stays here if it is to be kept, until it is released.
    template <class Found>
    void compute(Node u, bool keep, Found found, const Task& task) {
        const ProductionMatches& matches = matches_of_(corpus_.production(u));
        Row* row = nullptr;
        for (const ShapeMatch& match : matches.matches) {
            const std::size_t size = limit(match.shape);
            if (size == 0) continue;
            if (keep && !row) row = acquire(u);
            const std::uint32_t rank = index_.first_rank(match.shape);
            const Real scale(match.similarity * parameters_.vertical_decay);
            for (std::size_t begin = 0; begin < size; begin += kPartialLanes) {
                const std::size_t lanes = std::min(kPartialLanes, size - begin);
                if (match.cell_count <= kMostCells)
                    sum_cells(u, matches, match, begin, lanes);
                else
                    sum_table(u, match, begin, lanes, task);
                for (std::size_t t = 0; t < lanes; ++t) lanes_.total[t] = scale * lanes_.total[t];
                if (row) std::copy_n(lanes_.total, lanes, row->values.data() + rank + begin);
                found(index_.first_place(match.shape) + begin, lanes, static_cast<const Real*>(lanes_.total));
            }
        }
        if (row && row_bytes_ > bytes_) compress(u, matches);
    }

    // The same once more, from a row that was kept.
    template <class Found>
    void visit(Node u, Found found) {
        const Row* row = row_of_[u].get();
        if (!row) return;
        const ProductionMatches& matches = matches_of_(corpus_.production(u));
        for (const ShapeMatch& match : matches.matches) {
            const std::size_t size = limit(match.shape);
            const std::uint32_t rank = index_.first_rank(match.shape);
            const std::uint32_t place = index_.first_place(match.shape);
            if (!row->values.empty()) {
                if (size > 0) found(place, size, row->values.data() + rank);
                continue;
            }
            auto next = std::ranges::lower_bound(row->exceptions, rank, {}, rank_of);
            for (; next != row->exceptions.end() && next->first < rank + size; ++next)
                found(place + (next->first - rank), std::size_t{1}, &next->second);
        }
    }

    bool has(Node u) const { return row_of_[u] != nullptr; }
    void release(Node u) {
        auto& row = row_of_[u];
        if (row->values.empty()) {
            row_bytes_ -= bytes_of(*row);
            row.reset();
        } else {
            pool_[class_of(u)].push_back(std::move(row));
        }
    }
    // Also of rows that were released, which wait to be used again.
    std::size_t bytes() const { return row_bytes_; }
    // Gives back the memory of those.
    void trim() {
        for (auto& rows : pool_) {
            for (const auto& row : rows) row_bytes_ -= bytes_of(*row);
            rows.clear();
        }
    }

private:
    // By rank: of all subtrees of the class or, when memory is short, of those that have some. A node may have a
    // million different children.
    struct Row {
        std::vector<Real> values;
        std::vector<std::pair<std::uint32_t, Real>> exceptions;  // when `values` is empty
    };
    static std::uint32_t rank_of(const std::pair<std::uint32_t, Real>& exception) { return exception.first; }
    static std::size_t bytes_of(const Row& row) {
        return row.values.size() * sizeof(Real) + row.exceptions.size() * sizeof(row.exceptions[0]);
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
            sources[k] = {leaf_value_ * Real(cells[k].similarity), nullptr,
                          index_.child_ranks(match.shape, cells[k].column) + begin};
            if (row && !row->values.empty()) {
                sources[k].row = row->values.data();
            } else if (row) {
                for (std::size_t t = 0; t < lanes; ++t) unpacked_[k][t] = at(*row, sources[k].ranks[t]);
                sources[k].row = unpacked_[k];
                sources[k].ranks = kIdentityRanks.data();
            }
            farthest = std::max<std::size_t>(farthest, cells[k].row + cells[k].column);
        }
        evaluate(cells, sources, powers(farthest), Real(parameters_.pair_weight()), lanes, lanes_);
    }

    void sum_table(Node u, const ShapeMatch& match, std::size_t begin, std::size_t lanes, const Task& task) {
        const auto children = corpus_.children(u);
        const auto own = shapes_.child_labels(shapes_.shape(u));
        const auto labels = index_.shapes().child_labels(match.shape);
        const Real weight(parameters_.pair_weight());
        for (std::size_t t = 0; t < lanes; ++t) {
            const auto value = [&](std::size_t i, std::size_t j) {
                const double similarity = own[i] == kNone ? 0.0 : similarity_(own[i], labels[j]);
                if (similarity == 0.0) return Real(0.0);
                const Real constant = leaf_value_ * Real(similarity);
                const Row* row = row_of_[children[i]].get();
                if (!row) return constant * weight;
                return (constant + at(*row, index_.child_ranks(match.shape, j)[begin + t])) * weight;
            };
            lanes_.total[t] = subsequences_(children.size(), labels.size(), parameters_.decay, value, task);
        }
    }

    static Real at(const Row& row, std::uint32_t rank) {
        if (!row.values.empty()) return row.values[rank];
        const auto found = std::ranges::lower_bound(row.exceptions, rank, {}, rank_of);
        return found != row.exceptions.end() && found->first == rank ? found->second : Real(0.0);
    }

    // How many subtrees of a shape there are below the end.
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

    std::uint32_t class_of(Node u) const { return similarity_.class_of(shapes_.label_of(u)); }

    Row* acquire(Node u) {
        auto& free = pool_[class_of(u)];
        if (free.empty()) {
            row_of_[u] = std::make_unique<Row>();
        } else {
            row_of_[u] = std::move(free.back());
            free.pop_back();
        }
        auto& values = row_of_[u]->values;
        const std::size_t size = index_.class_size(class_of(u));
        if (values.empty()) row_bytes_ += size * sizeof(Real);
        values.assign(size, Real(0.0));
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
        std::ranges::sort(row.exceptions, {}, rank_of);
        row_bytes_ -= row.values.size() * sizeof(Real);
        std::vector<Real>().swap(row.values);  // assigning {} would keep the memory
        row_bytes_ += bytes_of(row);
    }

    static constexpr auto kIdentityRanks = [] {
        std::array<std::uint32_t, kPartialLanes> ranks{};
        for (std::uint32_t t = 0; t < kPartialLanes; ++t) ranks[t] = t;
        return ranks;
    }();

    const Corpus& corpus_;
    const PartialShapes& shapes_;
    const PartialIndex& index_;
    const LabelSimilarity& similarity_;
    const PartialParameters parameters_;
    const Real leaf_value_;
    const std::size_t bytes_;
    std::vector<std::vector<std::unique_ptr<Row>>> pool_;  // rows at rest, by label class
    std::vector<std::unique_ptr<Row>> row_of_;             // null where there is no excess
    std::vector<std::pair<Node, std::uint32_t>> known_limit_;
    MatchFinder matches_of_;
    std::vector<Real> powers_;
    SubsequenceSum<Real> subsequences_;
    PartialLanes<Real> lanes_;
    Real unpacked_[kMostCells][kPartialLanes];
    std::size_t row_bytes_ = 0;
    Node end_;
};

}  // namespace treekernels
