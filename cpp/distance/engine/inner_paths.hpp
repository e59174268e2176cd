// What all subtrees of two trees gain together along a path down the one, after Klein (1998) and Demaine et al. (2009):
// for trees in which neither side has short paths only.
//
// From the end of the path upwards, the forest of a grows by the nodes to the left of the path, by those to its right,
// and by the node of the path. For each step there is a table with a number for every forest of b that is left when
// nodes are taken away from either side: those whose preorder number is at least x and whose postorder number is below
// r. A step looks at all r, or at all x, at the same time. The table is cut into blocks of columns, in which the rows
// lie side by side, so that a step stays in one of them. A row differs from that before only where its node is in the
// forest of the column; where that is so in no column of a block, the block has no such row, which is half of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "core/memory/line_vector.hpp"
#include "core/memory/simd.hpp"
#include "core/threads/tasks.hpp"
#include "distance/engine/gains.hpp"
#include "distance/engine/keyroots.hpp"
#include "distance/flat_tree.hpp"

namespace treekernels {

// What subtrees gain, by preorder numbers of both trees; those of the tree with the path may be its columns.
template <class T>
struct GainsView {
    T* data;
    std::size_t a_stride, b_stride;

    T& operator()(std::size_t a, std::size_t b) const { return data[a * a_stride + b * b_stride]; }
};

template <class T>
class InnerPaths {
public:
    // Along the heavy path below `a_root`. What the subtrees beside it gain with those below `b_root` must be there.
    void run(const FlatTree& a, std::uint32_t a_root, const FlatTree& b, std::uint32_t b_root, const Gains<T>& gains,
             GainsView<T> view, const Task& task) {
        a_ = &a;
        b_ = &b;
        b_root_ = b_root;
        count_ = b.size[b_root];
        b_post_ = b.post[b_root] + 1 - b.size[b_root];
        blocks_ = (count_ + 1 + kLine - 1) / kLine;
        for (const From side : {From::left, From::right}) layout(side).assign(*this, side);
        table_.assign(layout(From::left).size * kLine, T(0));
        is_from_ = From::left;
        path_.clear();
        for (std::uint32_t node = a_root;; node = heavy_child(a, node)) {
            path_.push_back(node);
            if (a.size[node] == 1) break;
        }
        for (std::size_t i = path_.size(); i-- > 0;) {
            const std::uint32_t node = path_[i];
            if (i + 1 < path_.size()) {
                const std::uint32_t child = path_[i + 1];
                beside_.clear();
                for (std::uint32_t left = child; --left > node;) beside_.push_back(left);
                if (!beside_.empty()) grow<From::left>(node, view, task);
                beside_.clear();
                const std::uint32_t last = a.post[node];
                for (std::uint32_t post = a.post[child] + 1; post < last; ++post) beside_.push_back(a.pre[post]);
                if (!beside_.empty()) grow<From::right>(node, view, task);
            }
            add_root(node, gains, view, task);
        }
    }

    static std::uint32_t heavy_child(const FlatTree& tree, std::uint32_t node) {
        std::uint32_t best = node + 1;
        for (std::uint32_t child = node + 1; child < node + tree.size[node]; child += tree.size[child])
            if (tree.size[child] > tree.size[best]) best = child;
        return best;
    }

    // Numbers that are kept for subtrees of these sizes, at most.
    static double numbers(double a, double b) {
        const double rows = (b + kLine) * (b / kLine + 1.0), steps = 2.0 * rows * sizeof(Step) / sizeof(T);
        return (rows + 2.0 * b) * kLine + steps + a * (b + 1.0) + (a / 2 + 3) * (b + 1) * kLine;
    }

private:
    using Number = typename SameWidth<T>::Number;
    static constexpr std::size_t kLine = kSlack / sizeof(T);

    // A row of a block: of the row of the table, where in the block what is before its node begins, and the first
    // column in which the node is.
    struct Step {
        std::uint32_t row, before, from;
    };

    // What rows the blocks have when forests grow from a side.
    struct Layout {
        std::vector<std::uint32_t> node, column;  // by row: its node, and how many columns the node is not in
        std::vector<Step> steps;                  // but for the first row of a block, which is that of nothing
        std::vector<std::size_t> first;    // by block: where its steps begin, and its rows but one for each block
        std::vector<std::uint32_t> place;  // by block and row: which row of the block it is
        std::size_t size = 0;              // rows of all blocks

        void assign(const InnerPaths& paths, From side) {
            const std::size_t count = paths.count_;
            node.resize(count + 1);
            column.resize(count + 1);
            for (std::size_t row = 1; row <= count; ++row) {
                node[row] = paths.row_node(side, row);
                column[row] = paths.column_of(side, node[row]);
            }
            const auto first_block = [&](std::size_t row) { return (column[row] + 1) / kLine; };
            size = paths.blocks_;
            for (std::size_t row = 1; row <= count; ++row) size += paths.blocks_ - first_block(row);
            steps.clear();
            steps.reserve(size - paths.blocks_);
            first.assign(1, 0);
            place.resize(paths.blocks_ * (count + 1));
            for (std::size_t block = 0; block < paths.blocks_; ++block) {
                std::uint32_t* here = place.data() + block * (count + 1);
                std::uint32_t last = here[0] = 0;
                for (std::uint32_t row = 1; row <= count; ++row) {
                    if (first_block(row) <= block) {
                        const std::size_t from = first_block(row) < block ? 0 : (column[row] + 1) % kLine;
                        steps.push_back({row, here[row - paths.b_->size[node[row]]], static_cast<std::uint32_t>(from)});
                        ++last;
                    }
                    here[row] = last;
                }
                first.push_back(steps.size());
            }
        }
        std::span<const Step> of(std::size_t block) const {
            return {steps.data() + first[block], steps.data() + first[block + 1]};
        }
        std::size_t begin(std::size_t block) const { return (first[block] + block) * kLine; }
        // Where the table has a number.
        std::size_t at(std::size_t row, std::size_t column_) const {
            const std::size_t block = column_ / kLine;
            return begin(block) + place[block * node.size() + row] * kLine + column_ % kLine;
        }
    };
    Layout& layout(From side) { return layouts_[static_cast<std::size_t>(side)]; }

    // Of the forests of b, `rows` are counted by nodes from the side that grows: from the left by the nodes from x on,
    // from the right by the nodes before r.
    std::uint32_t row_node(From side, std::size_t row) const {
        return side == From::left ? b_root_ + static_cast<std::uint32_t>(count_ - row) : b_->pre[b_post_ + row - 1];
    }
    // A node is in a forest if it has fewer nodes before it than columns.
    std::uint32_t column_of(From side, std::uint32_t node) const {
        return side == From::left ? b_->post[node] - b_post_
                                  : static_cast<std::uint32_t>(count_) - 1 - (node - b_root_);
    }

    // Adds the nodes beside the path on one side of it, below `parent`.
    template <From side>
    void grow(std::uint32_t parent, GainsView<T> view, const Task& task) {
        // The last node of a chain is that whose parent goes further on.
        ends_.resize(beside_.size());
        const auto end = [&](std::uint32_t node) {
            return side == From::left ? node + a_->size[node] : a_->post[node] + 1 - a_->size[node];
        };
        const Layout& rows = layout(side);
        gains_.resize(beside_.size() * (count_ + 1));
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            task.check();
            const std::uint32_t above = a_->parent[beside_[i]];
            ends_[i] = above == parent || end(above) != end(beside_[i]);
            T* gains = gains_.data() + i * (count_ + 1);
            for (std::size_t row = 1; row <= count_; ++row) gains[row] = view(beside_[i], rows.node[row]);
        }
        const bool turns = is_from_ != side;
        if (turns) turned_.resize(rows.size * kLine);
        LineVector<T>& table = turns ? turned_ : table_;
        for (std::size_t block = 0; block < blocks_; ++block)
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA {
                if (turns) turn_block(rows, block);
                grow_block(rows, block, table.data() + rows.begin(block), turns, task);
            });
        if (turns) std::swap(table_, turned_);
        is_from_ = side;
    }

    // The rows that a block had before the forest grows by a leaf, with which all trees begin that end with it.
    T* slab(std::size_t depth) {
        if (slabs_.size() <= depth) slabs_.emplace_back();
        if (slabs_[depth].size() < (count_ + 1) * kLine) slabs_[depth].resize((count_ + 1) * kLine);
        return slabs_[depth].data();
    }

    TREEKERNELS_INLINE void grow_block(const Layout& rows, std::size_t block, T* table, bool turned, const Task& task) {
        const std::span<const Step> steps = rows.of(block);
        std::size_t depth = 0;
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            task.check();
            const bool is_leaf = a_->size[beside_[i]] == 1;
            if (is_leaf) {
                T* before = slab(depth++);
                if (i > 0 || !turned) std::copy_n(table, (steps.size() + 1) * kLine, before);
            }
            const T* base = slabs_[depth - 1].data();
            const T* from = is_leaf ? base : table;
            const T* gains = gains_.data() + i * (count_ + 1);
            std::memset(table, 0, kSlack);
            T line[kLine] = {};
            for (std::size_t number = 0; number < steps.size(); ++number) {
                const Step step = steps[number];
                const T *here = from + (number + 1) * kLine, *before = base + step.before * kLine;
                const T gain = gains[step.row];
                T raised[kLine];
                for (std::size_t k = 0; k < kLine; ++k) raised[k] = std::max(line[k], here[k]);
                if (step.from == 0) {
                    for (std::size_t k = 0; k < kLine; ++k)
                        line[k] = std::max(raised[k], static_cast<T>(before[k] + gain));
                } else {
                    const auto first = static_cast<Number>(step.from);
                    for (std::size_t k = 0; k < kLine; ++k) {
                        const T sum = static_cast<T>(before[k] + gain);
                        line[k] = std::max(raised[k], static_cast<Number>(k) >= first ? sum : T(0));
                    }
                }
                std::memcpy(table + (number + 1) * kLine, line, kSlack);
            }
            if (ends_[i]) --depth;
        }
    }

    // Writes a block of the table with rows and columns exchanged, which are then counted from the other side.
    TREEKERNELS_INLINE void turn_block(const Layout& rows, std::size_t block) {
        const Layout& columns = layout(is_from_);
        T* to = slab(0);
        std::memset(to, 0, kSlack);
        const std::span<const Step> steps = rows.of(block);
        T lines[2][kLine * kLine];
        for (std::size_t number = 0; number < steps.size();) {
            const std::size_t tile = steps[number].row / kLine;
            const std::uint32_t* place = columns.place.data() + tile * (count_ + 1);
            const T* table = table_.data() + columns.begin(tile);
            for (std::size_t i = 0; i < kLine; ++i)
                std::memcpy(lines[0] + i * kLine, table + place[std::min(block * kLine + i, count_)] * kLine, kSlack);
            // As cards are shuffled, the lower half between the upper one: after as many rounds as a number of a card
            // has bits, rows are columns.
            const T* turned = lines[0];
            for (std::size_t round = 1, bits = 1; bits < kLine; bits *= 2, ++round) {
                shuffle(turned, lines[round % 2]);
                turned = lines[round % 2];
            }
            for (; number < steps.size() && steps[number].row / kLine == tile; ++number)
                std::memcpy(to + (number + 1) * kLine, turned + steps[number].row % kLine * kLine, kSlack);
        }
    }

    TREEKERNELS_INLINE static void shuffle(const T* from, T* to) {
        constexpr std::size_t kHalf = kLine * kLine / 2;
        for (std::size_t i = 0; i < kHalf; ++i) {
            to[2 * i] = from[i];
            to[2 * i + 1] = from[kHalf + i];
        }
    }

    // The forest becomes a tree: its root becomes a node of b, and what is below the one what is below the other.
    void add_root(std::uint32_t root, const Gains<T>& gains, GainsView<T> view, const Task& task) {
        const Layout& rows = layout(is_from_);
        roots_.resize(count_ + 1);
        for (std::size_t row = 1; row <= count_; ++row)
            roots_[row] = static_cast<T>(table_[rows.at(row - 1, rows.column[row])] + gains(root, rows.node[row]));
        for (std::size_t block = 0; block < blocks_; ++block) {
            task.check();
            with_simd(
                [&]() TREEKERNELS_INLINE_LAMBDA { add_to_block(rows.of(block), table_.data() + rows.begin(block)); });
        }
        for (std::size_t row = 1; row <= count_; ++row)
            view(root, rows.node[row]) = table_[rows.at(row, rows.column[row] + 1)];
    }

    TREEKERNELS_INLINE void add_to_block(std::span<const Step> steps, T* table) {
        T best[kLine] = {};
        for (const Step& step : steps) {
            table += kLine;
            const T gain = roots_[step.row];
            const auto first = static_cast<Number>(step.from);
            T line[kLine];
            for (std::size_t k = 0; k < kLine; ++k)
                line[k] = std::max(best[k], static_cast<Number>(k) >= first ? gain : T(0));
            std::memcpy(best, line, kSlack);
            for (std::size_t k = 0; k < kLine; ++k) line[k] = std::max(table[k], best[k]);
            std::memcpy(table, line, kSlack);
        }
    }

    const FlatTree* a_ = nullptr;
    const FlatTree* b_ = nullptr;
    std::uint32_t b_root_ = 0, b_post_ = 0;
    std::size_t count_ = 0, blocks_ = 0;
    From is_from_ = From::left;  // from which the rows of the table are counted
    Layout layouts_[2];
    LineVector<T> table_, turned_;
    std::vector<T> roots_, gains_;  // gains: of what is beside the path, by row
    std::vector<std::uint32_t> path_, beside_;
    std::vector<std::uint8_t> ends_;
    std::vector<LineVector<T>> slabs_;  // what trees look back to
};

}  // namespace treekernels
