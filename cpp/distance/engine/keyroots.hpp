// The subtrees that Zhang and Shasha (1989) compare as a whole, of one tree from one side, laid out for rows of
// numbers.
//
// A node is a keyroot if it has a sibling before it, or is the root. For each distinct subtree of a keyroot there is a
// segment of columns: one for nothing, and one for each beginning of it in postorder. From the left, nodes are counted
// in postorder; from the right, in the postorder of the tree in a mirror.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "distance/flat_tree.hpp"

namespace treekernels {

enum class From { left, right };

// So many bytes may be read and written behind the end of rows, and before columns.
inline constexpr std::size_t kSlack = 64;

template <class T>
struct SameWidth {
    using Number = T;
};
template <>
struct SameWidth<double> {
    using Number = std::uint64_t;
};

class Keyroots {
public:
    struct Segment {
        std::uint32_t begin;  // the column for nothing
        std::uint32_t first;  // the first node
        std::uint32_t length;
    };
    struct Jump {
        std::uint32_t column, source;
    };

    // Of the subtree at preorder number `root`.
    void assign(const FlatTree& tree, std::uint32_t root, From side) {
        side_ = side;
        root_ = root;
        base_ = tree.post[root] + 1 - tree.size[root];
        const std::size_t count = tree.size[root];
        size_.resize(count);
        same_.resize(count);
        is_keyroot_.assign(count, 0);
        own_.resize(count);
        // From the root down, a node is met before all with the same first leaf.
        std::vector<std::uint32_t>& taken = own_;
        std::ranges::fill(taken, 0);
        order_.clear();
        for (std::uint32_t place = 0; place < count; ++place) {
            size_[place] = tree.size[preorder(tree, place)];
            same_[place] = place;
        }
        for (std::uint32_t place = static_cast<std::uint32_t>(count); place-- > 0;) {
            const std::uint32_t leaf = place + 1 - size_[place];
            if (taken[leaf]) continue;
            taken[leaf] = 1;
            is_keyroot_[place] = 1;
            order_.push_back({tree.node[preorder(tree, place)], place});
        }
        // Equal ones side by side, the first of them first.
        std::ranges::sort(order_, {}, [](const Keyroot& k) { return std::pair(k.node, k.place); });
        roots_.clear();
        for (std::size_t i = 0, first = 0; i < order_.size(); ++i) {
            if (i == 0 || order_[i].node != order_[first].node || order_[i].node == kNone) {
                first = i;
                roots_.push_back(order_[i].place);
            } else {
                const std::uint32_t here = order_[i].place, there = order_[first].place;
                for (std::uint32_t down = 0; down < size_[here]; ++down)
                    if (size_[here - down] == size_[here] - down) same_[here - down] = there - down;
            }
        }
        lay_out();
        std::ranges::sort(roots_);
    }

    From side() const { return side_; }
    std::size_t count() const { return size_.size(); }
    std::size_t width() const { return width_; }
    // How many rows or columns there are for all keyroots.
    std::size_t cells() const { return cells_; }

    std::uint32_t preorder(const FlatTree& tree, std::uint32_t place) const {
        return side_ == From::left ? tree.pre[base_ + place]
                                   : root_ + static_cast<std::uint32_t>(tree.size[root_]) - 1 - place;
    }
    std::uint32_t size(std::uint32_t place) const { return size_[place]; }
    bool is_keyroot(std::uint32_t place) const { return is_keyroot_[place]; }
    // The place of a node with the same subtree, whose row is computed.
    std::uint32_t same(std::uint32_t place) const { return same_[place]; }
    // Places of distinct keyroots, ascending.
    const std::vector<std::uint32_t>& roots() const { return roots_; }
    // The longest first.
    const std::vector<Segment>& segments() const { return segments_; }
    // By place: the column of the segment in which the node has the first leaf.
    const std::uint32_t* own() const { return own_.data(); }
    // Where columns of nodes with three nodes or more look back to.
    const std::vector<Jump>& jumps() const { return jumps_; }
    // How many of the first columns belong to segments that reach so far back.
    std::size_t reaching(std::size_t distance) const {
        const auto shorter =
            std::ranges::partition_point(segments_, [&](const Segment& segment) { return segment.length >= distance; });
        return shorter == segments_.end() ? width_ : shorter->begin;
    }
    std::size_t longest() const { return segments_.front().length; }

    // By column: how far it is from the beginning of its segment, and how many nodes its node has if that is below 3.
    template <class Number>
    void describe(std::vector<Number>& rank, std::vector<Number>& small) const {
        const std::size_t slack = kSlack / sizeof(Number);
        rank.assign(width_ + 2 * slack, 0);
        small.assign(width_ + 2 * slack, 0);
        for (const Segment& segment : segments_)
            for (std::uint32_t i = 1; i <= segment.length; ++i) {
                rank[segment.begin + i] = static_cast<Number>(i);
                const std::uint32_t size = size_[segment.first + i - 1];
                small[segment.begin + i] = static_cast<Number>(size <= 2 ? size : 0);
            }
    }

private:
    struct Keyroot {
        Node node;
        std::uint32_t place;
    };

    void lay_out() {
        std::ranges::sort(roots_, [&](std::uint32_t a, std::uint32_t b) {
            return size_[a] != size_[b] ? size_[a] > size_[b] : a < b;
        });
        segments_.clear();
        jumps_.clear();
        width_ = cells_ = 0;
        for (std::uint32_t place : roots_) {
            const std::uint32_t length = size_[place], first = place + 1 - length;
            const auto begin = static_cast<std::uint32_t>(width_);
            segments_.push_back({begin, first, length});
            for (std::uint32_t i = 1; i <= length; ++i) {
                const std::uint32_t node = first + i - 1;
                if (size_[node] == i) own_[node] = begin + i;
                if (size_[node] > 2) jumps_.push_back({begin + i, begin + i - size_[node]});
            }
            width_ += length + 1;
            cells_ += length;
        }
        for (std::uint32_t place = 0; place < same_.size(); ++place)
            if (same_[place] != place) own_[place] = own_[same_[place]];
    }

    From side_ = From::left;
    std::uint32_t root_ = 0, base_ = 0;
    std::size_t width_ = 0, cells_ = 0;
    std::vector<std::uint32_t> size_, same_, own_, roots_;
    std::vector<std::uint8_t> is_keyroot_;
    std::vector<Segment> segments_;
    std::vector<Jump> jumps_;
    std::vector<Keyroot> order_;
};

}  // namespace treekernels
