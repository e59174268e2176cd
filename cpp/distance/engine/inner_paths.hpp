// What all subtrees of two trees gain together along a path down the one, after Klein (1998) and Demaine et al. (2009):
// for trees in which neither side has short paths only.
//
// From the end of the path upwards, the forest of a grows by the nodes to the left of the path, by those to its right,
// and by the node of the path. For each step there is a table with a number for every forest of b that is left when
// nodes are taken away from either side: those whose preorder number is at least x and whose postorder number is below
// r. A step looks at all r, or at all x, at the same time. The table is cut into blocks of columns, in which the rows
// lie side by side, so that a step stays in one of them.
#pragma once

#include <algorithm>
#include <cstring>
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
        table_.assign(blocks_ * slab(), T(0));
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
    static double numbers(double a, double b) { return 2 * (b + kLine) * (b + kLine) + (a / 2 + 3) * (b + 1) * kLine; }

private:
    static constexpr std::size_t kLine = kSlack / sizeof(T);

    // The numbers of a block, whose rows are as many as columns and some more.
    std::size_t slab() const { return blocks_ * kLine * kLine; }
    T& at(std::size_t row, std::size_t column) {
        return table_[column / kLine * slab() + row * kLine + column % kLine];
    }

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
        turn_to(side);
        // The last node of a chain is that whose parent goes further on.
        ends_.resize(beside_.size());
        const auto end = [&](std::uint32_t node) {
            return side == From::left ? node + a_->size[node] : a_->post[node] + 1 - a_->size[node];
        };
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            const std::uint32_t above = a_->parent[beside_[i]];
            ends_[i] = above == parent || end(above) != end(beside_[i]);
        }
        for (std::size_t block = 0; block < blocks_; ++block)
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA { grow_block(block * kLine, view, task); });
    }

    TREEKERNELS_INLINE void grow_block(std::size_t block, GainsView<T> view, const Task& task) {
        T* values = &at(0, block);
        std::size_t depth = 0;
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            task.check();
            const std::uint32_t a = beside_[i];
            if (a_->size[a] == 1) {
                // The forest before the leaf is that before all trees that end with it.
                ++depth;
                if (slabs_.size() < depth) slabs_.emplace_back();
                slabs_[depth - 1].assign(values, values + (count_ + 1) * kLine);
            }
            const T* base = slabs_[depth - 1].data();
            T line[kLine] = {};
            for (std::size_t row = 1; row <= count_; ++row) {
                T* one = values + row * kLine;
                for (std::size_t k = 0; k < kLine; ++k) line[k] = std::max(line[k], one[k]);
                const std::uint32_t node = node_[row];
                if (column_[row] < block + kLine) {
                    const T gain = view(a, node);
                    const T* two = base + (row - b_->size[node]) * kLine;
                    if (column_[row] < block) {
                        for (std::size_t k = 0; k < kLine; ++k)
                            line[k] = std::max(line[k], static_cast<T>(two[k] + gain));
                    } else {
                        const std::size_t from = column_[row] - block + 1;
                        for (std::size_t k = 0; k < kLine; ++k)
                            line[k] = k >= from ? std::max(line[k], static_cast<T>(two[k] + gain)) : line[k];
                    }
                }
                std::memcpy(one, line, kSlack);
            }
            if (ends_[i]) --depth;
        }
    }

    // Exchanges rows and columns, both of which are then counted from the other side, if it is the other side.
    void turn_to(From side) {
        if (is_from_ != side) {
            turned_.resize(table_.size());
            for (std::size_t row = 0; row < blocks_; ++row)
                for (std::size_t column = 0; column < blocks_; ++column) {
                    const T* from = table_.data() + column * slab() + row * kLine * kLine;
                    T* to = turned_.data() + row * slab() + column * kLine * kLine;
                    for (std::size_t i = 0; i < kLine; ++i)
                        for (std::size_t j = 0; j < kLine; ++j) to[j * kLine + i] = from[i * kLine + j];
                }
            std::swap(table_, turned_);
        }
        is_from_ = side;
        node_.resize(count_ + 1);
        column_.resize(count_ + 1);
        for (std::size_t row = 1; row <= count_; ++row) {
            node_[row] = row_node(side, row);
            column_[row] = column_of(side, node_[row]);
        }
    }

    // The forest becomes a tree: its root becomes a node of b, and what is below the one what is below the other.
    void add_root(std::uint32_t root, const Gains<T>& gains, GainsView<T> view, const Task& task) {
        turn_to(is_from_);
        roots_.resize(count_ + 1);
        for (std::size_t row = 1; row <= count_; ++row)
            roots_[row] = static_cast<T>(at(row - 1, column_[row]) + gains(root, node_[row]));
        for (std::size_t block = 0; block < blocks_; ++block) {
            task.check();
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_to_block(block * kLine); });
        }
        for (std::size_t row = 1; row <= count_; ++row) view(root, node_[row]) = at(row, column_[row] + 1);
    }

    TREEKERNELS_INLINE void add_to_block(std::size_t block) {
        T* values = &at(0, block);
        T best[kLine] = {};
        for (std::size_t row = 1; row <= count_; ++row) {
            T* one = values + row * kLine;
            if (column_[row] + 1 < block + kLine) {
                const std::size_t from = column_[row] + 1 < block ? 0 : column_[row] + 1 - block;
                const T gain = roots_[row];
                for (std::size_t k = 0; k < kLine; ++k) best[k] = k >= from ? std::max(best[k], gain) : best[k];
            }
            T line[kLine];
            for (std::size_t k = 0; k < kLine; ++k) line[k] = std::max(one[k], best[k]);
            std::memcpy(one, line, kSlack);
        }
    }

    const FlatTree* a_ = nullptr;
    const FlatTree* b_ = nullptr;
    std::uint32_t b_root_ = 0, b_post_ = 0;
    std::size_t count_ = 0, blocks_ = 0;
    From is_from_ = From::left;  // from which the rows of the table are counted
    LineVector<T> table_, turned_;
    std::vector<T> roots_;
    std::vector<std::uint32_t> path_, beside_, node_, column_;
    std::vector<std::uint8_t> ends_;
    std::vector<LineVector<T>> slabs_;  // what trees look back to
};

}  // namespace treekernels
