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
        std::uint32_t begin;   // the column for nothing
        std::uint32_t length;  // without it
    };
    // Numbers side by side in a row by nodes that are side by side in the columns too.
    struct Piece {
        std::uint32_t column, slot, length;
    };
    struct Jump {
        std::uint32_t column, source;
    };
    struct Column {
        std::uint32_t slot, column;
    };
    struct Small {
        std::uint32_t leaf, top;
    };

    // Of the subtree at preorder number `root`; or, if that is but a roof over several trees, of them.
    void assign(const FlatTree& tree, std::uint32_t root, From side, bool is_roof = false) {
        side_ = side;
        root_ = root;
        base_ = tree.post[root] + 1 - tree.size[root];
        const std::size_t count = tree.size[root] - is_roof;
        size_.resize(count);
        same_.resize(count);
        is_keyroot_.assign(count, 0);
        for (std::uint32_t place = 0; place < count; ++place) {
            size_[place] = tree.size[preorder(tree, place)];
            same_[place] = place;
        }
        // From the root down, a node is met before all with the same first leaf.
        own_.assign(count, 0);
        std::vector<std::uint32_t>& taken = own_;
        order_.clear();
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
        std::ranges::sort(roots_);
        lay_out();
    }

    From side() const { return side_; }
    std::size_t count() const { return size_.size(); }
    std::size_t width() const { return width_; }

    std::uint32_t preorder(const FlatTree& tree, std::uint32_t place) const {
        return side_ == From::left ? tree.pre[base_ + place]
                                   : root_ + static_cast<std::uint32_t>(tree.size[root_]) - 1 - place;
    }
    std::uint32_t place(const FlatTree& tree, std::uint32_t preorder) const {
        return side_ == From::left ? tree.post[preorder] - base_
                                   : root_ + static_cast<std::uint32_t>(tree.size[root_]) - 1 - preorder;
    }
    std::uint32_t size(std::uint32_t place) const { return size_[place]; }
    bool is_keyroot(std::uint32_t place) const { return is_keyroot_[place]; }
    // An only child gains no more than its parent, and nobody looks back to it but its parent.
    bool is_only_child(std::uint32_t place) const {
        return place + 1 < count() && size_[place + 1] == size_[place] + 1;
    }
    // The place of a node with the same subtree, whose row is computed.
    std::uint32_t same(std::uint32_t place) const { return same_[place]; }
    // Places of distinct keyroots, ascending.
    const std::vector<std::uint32_t>& roots() const { return roots_; }

    // Rows by nodes have a slot for each: only children come after all others.
    std::uint32_t slot(std::uint32_t place) const { return slot_[place]; }
    // Nodes that have a column: that of the segment in which they have the first leaf.
    const std::vector<Column>& columns() const { return columns_; }
    // For only children of these, the lowest first: the slot, and that of the parent.
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& only_children() const { return only_children_; }
    // Keyroots of one or two nodes, for which a formula does: the places of the leaf and of what is above it, if
    // anything is.
    const std::vector<Small>& small() const { return small_; }
    // All such, by slot: the place of an equal one among the small. And what is below others of them.
    const std::vector<Column>& small_columns() const { return small_columns_; }
    const std::vector<Column>& small_leaves() const { return small_leaves_; }

    // Of all other keyroots, the longest first.
    const std::vector<Segment>& segments() const { return segments_; }
    // Long ones, and those of a single number.
    const std::vector<Piece>& pieces() const { return pieces_; }
    const std::vector<Piece>& singles() const { return singles_; }
    // Where the columns look back to of nodes that have others between themselves and what is before their first leaf.
    const std::vector<Jump>& jumps() const { return jumps_; }
    // How many of the first columns belong to segments that reach so far back.
    std::size_t reaching(std::size_t distance) const {
        const auto shorter =
            std::ranges::partition_point(segments_, [&](const Segment& segment) { return segment.length >= distance; });
        return shorter == segments_.end() ? width_ : shorter->begin;
    }
    std::size_t longest() const { return segments_.empty() ? 0 : segments_.front().length; }

    // By column: how far it is from the beginning of its segment, and whether it looks back to the column before.
    template <class Number>
    void describe(std::vector<Number>& rank, std::vector<Number>& back) const {
        const std::size_t slack = kSlack / sizeof(Number);
        rank.assign(width_ + 2 * slack, 0);
        back.assign(width_ + 2 * slack, 0);
        std::ranges::copy(looks_back_, back.begin());
        for (const Segment& segment : segments_)
            for (std::uint32_t i = 1; i <= segment.length; ++i) rank[segment.begin + i] = static_cast<Number>(i);
    }

private:
    struct Keyroot {
        Node node;
        std::uint32_t place;
    };

    // In a segment, only children have a column on the path alone: from its root to its first leaf.
    void lay_out() {
        const auto count = static_cast<std::uint32_t>(size_.size());
        // So many nodes before each that are no only children, and on the path that ends with each leaf that are.
        kept_.resize(count + 1);
        kept_[0] = 0;
        only_.assign(count, 0);
        for (std::uint32_t place = 0; place < count; ++place) {
            const bool only = is_only_child(place);
            kept_[place + 1] = kept_[place] + !only;
            if (only) ++only_[place + 1 - size_[place]];
        }
        slot_.resize(count);
        for (std::uint32_t place = 0; place < count; ++place)
            slot_[place] = is_only_child(place) ? kept_[count] + place - kept_[place] : kept_[place];
        const auto length = [&](std::uint32_t root) {
            const std::uint32_t first = root + 1 - size_[root];
            return kept_[root + 1] - kept_[first] + only_[first];
        };
        by_length_.clear();
        small_.clear();
        for (std::uint32_t root : roots_) {
            if (size_[root] > 2) {
                by_length_.push_back(root);
            } else {
                own_[root] = static_cast<std::uint32_t>(small_.size());
                small_.push_back({root + 1 - size_[root], root});
            }
        }
        std::ranges::sort(by_length_, [&](std::uint32_t a, std::uint32_t b) {
            return length(a) != length(b) ? length(a) > length(b) : a < b;
        });
        for (auto* list : {&pieces_, &singles_}) list->clear();
        segments_.clear();
        jumps_.clear();
        looks_back_.clear();
        for (std::uint32_t root : by_length_) lay_out(root);
        width_ = looks_back_.size();
        columns_.clear();
        small_columns_.clear();
        small_leaves_.clear();
        only_children_.clear();
        for (std::uint32_t place = 0; place < count; ++place) {
            const bool is_below = is_only_child(place) && is_keyroot_[place + 1];
            const std::uint32_t top = place + is_below;
            if (size_[top] > 2 || !is_keyroot_[top]) {
                columns_.push_back({slot_[place], own_[same_[place]]});
                if (is_only_child(place)) only_children_.emplace_back(slot_[place], slot_[place + 1]);
            } else {
                (is_below ? small_leaves_ : small_columns_).push_back({slot_[place], own_[same_[top]]});
            }
        }
    }

    void lay_out(std::uint32_t root) {
        const std::uint32_t first = root + 1 - size_[root];
        const auto begin = static_cast<std::uint32_t>(looks_back_.size());
        looks_back_.push_back(0);
        Piece piece{0, 0, 0};
        const auto end_piece = [&] {
            if (piece.length > 0) (piece.length == 1 ? singles_ : pieces_).push_back(piece);
            piece.length = 0;
        };
        for (std::uint32_t place = first; place <= root; ++place) {
            const std::uint32_t leaf = place + 1 - size_[place];
            if (leaf != first && is_only_child(place)) continue;
            const auto column = static_cast<std::uint32_t>(looks_back_.size());
            if (piece.length == 0 || piece.slot + piece.length != slot_[place]) {
                end_piece();
                piece = {column, slot_[place], 0};
            }
            ++piece.length;
            const std::uint32_t nodes = kept_[place + 1] - kept_[leaf];
            looks_back_.push_back(leaf != first && nodes == 1);
            if (leaf == first) {
                own_[place] = column;
            } else if (nodes > 1) {
                jumps_.push_back({column, column - nodes});
            }
        }
        end_piece();
        segments_.push_back({begin, static_cast<std::uint32_t>(looks_back_.size()) - 1 - begin});
    }

    From side_ = From::left;
    std::uint32_t root_ = 0, base_ = 0;
    std::size_t width_ = 0;
    std::vector<std::uint32_t> size_, same_, roots_, by_length_, kept_, only_, slot_, own_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> only_children_;
    std::vector<std::uint8_t> is_keyroot_, looks_back_;
    std::vector<Segment> segments_;
    std::vector<Column> columns_, small_columns_, small_leaves_;
    std::vector<Small> small_;
    std::vector<Piece> pieces_, singles_;
    std::vector<Jump> jumps_;
    std::vector<Keyroot> order_;
};

}  // namespace treekernels
