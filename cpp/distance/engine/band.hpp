// Whether two trees are at most so many edits of unit cost apart, and how many, after Touzet (2005): two subtrees
// become each other only if about as many nodes are before, in and behind the one as the other. So of each table of two
// forests a band is computed, which is as wide as edits are left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/threads/tasks.hpp"
#include "distance/engine/keyroots.hpp"
#include "distance/flat_tree.hpp"

namespace treekernels {

class Band {
public:
    // Steps of a nanosecond or two.
    static double steps(double a_cells, double most) { return a_cells * (most + 1.0) * (most + 1.0); }
    // Numbers that are kept.
    static double numbers(double a, double most) { return 2.0 * a * (2.0 * most + 2.0); }

    // The distance; or more than `most`, if it is more. Keyroots are those from the left.
    std::uint32_t run(const FlatTree& a, const Keyroots& a_keyroots, const FlatTree& b, const Keyroots& b_keyroots,
                      std::uint32_t most, const Task& task) {
        a_ = &a_keyroots;
        b_ = &b_keyroots;
        most_ = most;
        const auto rows = static_cast<std::int64_t>(a.count()), columns = static_cast<std::int64_t>(b.count());
        if (std::abs(rows - columns) > most) return most + 1;
        write_labels(a, a_keyroots, a_label_);
        write_labels(b, b_keyroots, b_label_);
        // By the place of its first leaf.
        b_top_.assign(b.count(), kNone);
        for (std::uint32_t place = 0; place < b.count(); ++place)
            if (b_->is_keyroot(place)) b_top_[place + 1 - b_->size(place)] = place;
        tree_.assign(a.count() * (2 * most + 1), most + 1);
        for (std::uint32_t root = 0; root < a.count(); ++root) {
            if (!a_->is_keyroot(root)) continue;
            const std::uint32_t first = root + 1 - a_->size(root);
            const std::uint32_t from = first > most ? first - most : 0;
            const std::uint32_t to = std::min(first + most, static_cast<std::uint32_t>(b.count()) - 1);
            // What is below another begins after it.
            for (std::uint32_t other = to + 1; other-- > from;) {
                task.check();
                if (b_top_[other] != kNone) compare(root, b_top_[other], rows - columns);
            }
        }
        return tree(static_cast<std::uint32_t>(rows) - 1, static_cast<std::uint32_t>(columns) - 1);
    }

private:
    static void write_labels(const FlatTree& tree, const Keyroots& keyroots, std::vector<Label>& labels) {
        labels.resize(tree.count());
        for (std::uint32_t place = 0; place < tree.count(); ++place)
            labels[place] = tree.label[keyroots.preorder(tree, place)];
    }

    // How far two subtrees are from each other, whose places are no more than `most` apart.
    std::uint32_t& tree(std::uint32_t x, std::uint32_t y) {
        return tree_[static_cast<std::size_t>(x) * (2 * most_ + 1) + (y + most_ - x)];
    }

    // All pairs of trees that begin with the first leaves of two keyroots; `larger` is how many more nodes a has.
    void compare(std::uint32_t a_root, std::uint32_t b_root, std::int64_t larger) {
        const std::uint32_t a_first = a_root + 1 - a_->size(a_root), b_first = b_root + 1 - b_->size(b_root);
        const std::int64_t before = static_cast<std::int64_t>(a_first) - b_first, most = most_;
        // Of two forests, the one of a may have from `low` to `high` nodes more: what is before and behind them has to
        // be edited as well.
        const std::int64_t behind = larger - before, spare = most - std::abs(before) - std::abs(behind);
        if (spare < 0) return;
        const std::int64_t low = std::min<std::int64_t>(0, behind) - spare / 2;
        const std::int64_t high = std::max<std::int64_t>(0, behind) + spare / 2;
        const auto [rows, columns] = largest_pair(a_root, b_root, low, high);
        if (rows == 0) return;
        const auto width = static_cast<std::size_t>(high - low + 1);
        const std::uint32_t far = most_ + 1;
        forest_.resize(std::max(forest_.size(), (rows + 1) * width));
        for (std::int64_t row = 0; row <= rows; ++row) {
            std::uint32_t* here = forest_.data() + row * width;
            std::fill_n(here, width, far);
            const std::int64_t first = std::max<std::int64_t>(0, row - high), last = std::min(columns, row - low);
            for (std::int64_t column = first; column <= last; ++column) {
                std::uint32_t& value = here[row - column - low];
                if (row == 0 || column == 0) {
                    value = std::min(far, static_cast<std::uint32_t>(row + column));
                    continue;
                }
                std::uint32_t best = far - 1;  // one less, since an edit comes to it
                if (row - column - 1 >= low)
                    best = std::min(best, here[-static_cast<std::int64_t>(width) + row - column - 1 - low]);
                if (row - column + 1 <= high) best = std::min(best, here[row - column + 1 - low]);
                ++best;
                const auto x = static_cast<std::uint32_t>(a_first + row - 1);
                const auto y = static_cast<std::uint32_t>(b_first + column - 1);
                const std::int64_t x_size = a_->size(x), y_size = b_->size(y);
                if (x_size == row && y_size == column) {
                    const std::uint32_t below = here[-static_cast<std::int64_t>(width) + row - column - low];
                    value = std::min(best, below + (a_label_[x] != b_label_[y]));
                    if (std::abs(static_cast<std::int64_t>(x) - y) <= most) tree(x, y) = std::min(value, far);
                    continue;
                }
                const std::int64_t other_row = row - x_size, more = other_row - (column - y_size);
                if (more >= low && more <= high && std::abs(static_cast<std::int64_t>(x) - y) <= most)
                    best = std::min(best, forest_[other_row * width + more - low] + tree(x, y));
                value = std::min(best, far);
            }
        }
    }

    // The largest trees on both paths of which one might become another.
    std::pair<std::int64_t, std::int64_t> largest_pair(std::uint32_t x, std::uint32_t y, std::int64_t low,
                                                       std::int64_t high) const {
        const std::uint32_t a_first = x + 1 - a_->size(x), b_first = y + 1 - b_->size(y);
        for (;;) {
            const std::int64_t more = static_cast<std::int64_t>(a_->size(x)) - b_->size(y);
            if (more >= low && more <= high) return {a_->size(x), b_->size(y)};
            // The next on the path below: the tree that ends before the last child, or the first child.
            std::uint32_t& larger = more > high ? x : y;
            const std::uint32_t first = more > high ? a_first : b_first;
            const Keyroots& keyroots = more > high ? *a_ : *b_;
            do {
                if (larger == first) return {0, 0};
                --larger;
                if (larger + 1 - keyroots.size(larger) != first) larger -= keyroots.size(larger) - 1;
            } while (larger + 1 - keyroots.size(larger) != first);
        }
    }

    const Keyroots* a_ = nullptr;
    const Keyroots* b_ = nullptr;
    std::uint32_t most_ = 0;
    std::vector<Label> a_label_, b_label_;
    std::vector<std::uint32_t> b_top_, tree_, forest_;
};

}  // namespace treekernels
