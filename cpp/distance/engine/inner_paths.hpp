// What all subtrees of two trees gain together along a path down the one, after Klein (1998) and Demaine et al. (2009):
// for trees in which neither side has short paths only.
//
// From the end of the path upwards, the forest of a grows by the nodes to the left of the path, by those to its right,
// and by the node of the path. For each step there is a table with a number for every forest of b that is left when
// nodes are taken away from either side: those whose preorder number is at least x and whose postorder number is below
// r. A step looks at all r, or at all x, at the same time.
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
        stride_ = (count_ + 1 + kLine - 1) / kLine * kLine;
        table_.assign((count_ + 1) * stride_, T(0));
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
                grow<From::left>(node, view, task);
                beside_.clear();
                const std::uint32_t last = a.post[node];
                for (std::uint32_t post = a.post[child] + 1; post < last; ++post) beside_.push_back(a.pre[post]);
                if (!beside_.empty()) {
                    turn();
                    grow<From::right>(node, view, task);
                    turn();
                }
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
    static double numbers(double a, double b) { return 2 * (b + 1) * (b + kLine) + (a / 2 + 3) * (b + 1) * kLine; }

private:
    static constexpr std::size_t kLine = kSlack / sizeof(T);

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
        if (beside_.empty()) return;
        node_.resize(count_ + 1);
        column_.resize(count_ + 1);
        for (std::size_t row = 1; row <= count_; ++row) {
            node_[row] = row_node(side, row);
            column_[row] = column_of(side, node_[row]);
        }
        // The last node of a chain is that whose parent goes further on.
        ends_.resize(beside_.size());
        const auto end = [&](std::uint32_t node) {
            return side == From::left ? node + a_->size[node] : a_->post[node] + 1 - a_->size[node];
        };
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            const std::uint32_t above = a_->parent[beside_[i]];
            ends_[i] = above == parent || end(above) != end(beside_[i]);
        }
        for (std::size_t block = 0; block < stride_; block += kLine)
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA { grow_block(block, view, task); });
    }

    TREEKERNELS_INLINE void grow_block(std::size_t block, GainsView<T> view, const Task& task) {
        const std::size_t slab = (count_ + 1) * kLine;
        while (slabs_.size() < 2) slabs_.emplace_back();
        for (auto& memory : slabs_) memory.resize(std::max(memory.size(), slab));
        std::vector<T>& first = slabs_[0];
        for (std::size_t row = 0; row <= count_; ++row)
            std::memcpy(first.data() + row * kLine, table_.data() + row * stride_ + block, kSlack);
        std::size_t depth = 0;
        for (std::size_t i = 0; i < beside_.size(); ++i) {
            task.check();
            const std::uint32_t a = beside_[i];
            if (a_->size[a] == 1) {
                // The forest before the leaf is that before all trees that end with it.
                ++depth;
                while (slabs_.size() < depth + 2) slabs_.emplace_back(slab);
                if (slabs_[depth + 1].size() < slab) slabs_[depth + 1].resize(slab);
                std::memcpy(slabs_[depth + 1].data(), slabs_[0].data(), slab * sizeof(T));
            }
            const T* before = slabs_[0].data();
            const T* base = slabs_[depth + 1].data();
            T* now = slabs_[1].data();
            T line[kLine] = {};
            std::memcpy(now, line, kSlack);
            for (std::size_t row = 1; row <= count_; ++row) {
                const T* one = before + row * kLine;
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
                std::memcpy(now + row * kLine, line, kSlack);
            }
            std::swap(slabs_[0], slabs_[1]);
            if (ends_[i]) --depth;
        }
        for (std::size_t row = 0; row <= count_; ++row)
            std::memcpy(table_.data() + row * stride_ + block, slabs_[0].data() + row * kLine, kSlack);
    }

    // The table with rows and columns exchanged, both of which are then counted from the other side.
    void turn() {
        turned_.assign(table_.size(), T(0));
        constexpr std::size_t kTile = 32;
        for (std::size_t row = 0; row <= count_; row += kTile)
            for (std::size_t column = 0; column <= count_; column += kTile)
                for (std::size_t i = row; i < std::min(row + kTile, count_ + 1); ++i)
                    for (std::size_t j = column; j < std::min(column + kTile, count_ + 1); ++j)
                        turned_[j * stride_ + i] = table_[i * stride_ + j];
        std::swap(table_, turned_);
    }

    // The forest becomes a tree: its root becomes a node of b, and what is below the one what is below the other.
    void add_root(std::uint32_t root, const Gains<T>& gains, GainsView<T> view, const Task& task) {
        roots_.resize(count_ + 1);
        for (std::size_t row = 1; row <= count_; ++row) {
            const std::uint32_t node = row_node(From::left, row);
            const T below = table_[(row - 1) * stride_ + column_of(From::left, node)];
            roots_[row] = static_cast<T>(below + gains(root, node));
        }
        best_.assign(stride_, T(0));
        for (std::size_t row = 1; row <= count_; ++row) {
            if (row % 64 == 0) task.check();
            const std::uint32_t node = row_node(From::left, row);
            const std::size_t column = column_of(From::left, node);
            T* values = table_.data() + row * stride_;
            for (std::size_t k = column + 1; k <= count_; ++k) best_[k] = std::max(best_[k], roots_[row]);
            for (std::size_t k = 0; k <= count_; ++k) values[k] = std::max(values[k], best_[k]);
            view(root, node) = values[column + 1];
        }
    }

    const FlatTree* a_ = nullptr;
    const FlatTree* b_ = nullptr;
    std::uint32_t b_root_ = 0, b_post_ = 0;
    std::size_t count_ = 0, stride_ = 0;
    std::vector<T> table_, turned_, roots_, best_;
    std::vector<std::uint32_t> path_, beside_, node_, column_;
    std::vector<std::uint8_t> ends_;
    std::vector<std::vector<T>> slabs_;  // the forest before and now, and those that trees look back to
};

}  // namespace treekernels
