// What all subtrees of two trees gain together, after Zhang and Shasha (1989): rows over all keyroots of the one tree
// at the same time, for every keyroot of the other.
//
// A row belongs to a beginning of a subtree of a, in postorder, and has a number for each beginning of each subtree of
// b. The last node of the beginning of a is deleted (the row before), that of b is inserted (the column before), or
// one of them is the root of a tree that becomes the other's. Only the last looks back by more than one place, so that
// the rest is a loop over independent numbers, and a running maximum in as many steps as the longest segment has bits.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/memory/line_vector.hpp"
#include "core/memory/simd.hpp"
#include "core/threads/tasks.hpp"
#include "distance/engine/gains.hpp"
#include "distance/engine/keyroots.hpp"

namespace treekernels {

// A matrix of what subtrees gain; rows have room for what is copied by the line.
template <class T>
struct SubtreeGains {
    std::vector<T> values;
    std::size_t stride = 0;

    void assign(std::size_t rows, std::size_t columns) {
        stride = columns + kSlack / sizeof(T);
        values.resize(std::max(values.size(), rows * stride));
    }
    T* row(std::size_t number) { return values.data() + number * stride; }
    const T* row(std::size_t number) const { return values.data() + number * stride; }
};

template <class T>
class KeyrootRows {
public:
    // By places of a and b. Only rows of nodes that are their own `same` are set.
    void run(const FlatTree& a_tree, const Keyroots& a, const FlatTree& b_tree, const Keyroots& b,
             const Gains<T>& gains, SubtreeGains<T>& out, bool all, const Task& task) {
        const std::size_t width = b.width();
        out.assign(a.count(), b.count());
        b.describe(rank_, back_);
        kinds_.resize(b.count());
        for (std::uint32_t place = 0; place < b.count(); ++place)
            kinds_[b.slot(place)] = gains.b_kind[b.preorder(b_tree, place)];
        small_width_ = (b.small().size() + kLine - 1) / kLine * kLine;
        small_.assign(a.count(), 2 * small_width_);
        small_kinds_.assign(2 * small_width_, 0);
        small_gains_.assign(2 * small_width_, T(0));
        is_pair_.assign(small_width_, Number(0));
        for (std::size_t i = 0; i < b.small().size(); ++i) {
            is_pair_[i] = b.small()[i].leaf != b.small()[i].top;
            small_kinds_[i] = gains.b_kind[b.preorder(b_tree, b.small()[i].leaf)];
            small_kinds_[small_width_ + i] = gains.b_kind[b.preorder(b_tree, b.small()[i].top)];
        }
        a_preorder_.resize(a.count());
        for (std::uint32_t place = 0; place < a.count(); ++place) a_preorder_[place] = a.preorder(a_tree, place);
        reach_.clear();
        for (std::size_t distance = 1; distance < b.longest(); distance *= 4) reach_.push_back(b.reaching(distance));
        // What is before the first column is read, but never used.
        std::size_t farthest = 1;
        while (4 * farthest < b.longest()) farthest *= 4;
        front_ = (3 * farthest + kLine - 1) / kLine * kLine;
        columns_ = (width + kLine - 1) / kLine * kLine;
        stride_ = front_ + columns_ + kLine;
        for (auto* row : {&before_, &now_, &terms_}) row->assign(stride_, T(0));
        whole_.assign(b.count() + kLine, T(0));
        with_simd([&]() TREEKERNELS_INLINE_LAMBDA { rows(a, b, gains, out, all, task); });
    }

private:
    using Number = typename SameWidth<T>::Number;
    static constexpr std::size_t kLine = kSlack / sizeof(T);

    TREEKERNELS_INLINE void rows(const Keyroots& a, const Keyroots& b, const Gains<T>& gains, SubtreeGains<T>& out,
                                 bool all, const Task& task) {
        const std::size_t count = b.count();
        for (std::uint32_t keyroot : a.roots()) {
            const std::uint32_t first = keyroot + 1 - a.size(keyroot);
            T* before = before_.data() + front_;
            T* now = now_.data() + front_;
            T* terms = terms_.data() + front_;
            std::memset(before, 0, (stride_ - front_) * sizeof(T));
            std::size_t depth = 0;
            for (std::uint32_t place = first; place <= keyroot; ++place) {
                task.check();
                if (place + 1 - a.size(place) == first) {
                    // A tree of its own: its root becomes a node of b, or is deleted.
                    T* whole = whole_.data();
                    gains.row(a_preorder_[place], kinds_.data(), count, whole);
                    const T* tops = compare_small(a, place, gains) + small_width_;
                    if (place > first)
                        for (const auto& [slot, column] : b.columns())
                            whole[slot] = static_cast<T>(whole[slot] + before[column - 1]);
                    for (const auto& [child, parent] : b.only_children())
                        whole[parent] = std::max(whole[parent], whole[child]);
                    for (const auto& [slot, number] : b.small_columns()) whole[slot] = tops[number];
                    spread(b, whole, terms);
                    larger(before, terms, now, columns_);
                    run_up(now);
                    if (all || !a.is_only_child(place)) {
                        T* row = out.row(place);
                        for (const auto& [slot, column] : b.columns()) row[slot] = now[column];
                        for (const auto& [slot, number] : b.small_columns()) row[slot] = tops[number];
                        if (all)
                            for (const auto& [slot, number] : b.small_leaves())
                                row[slot] = (tops - small_width_)[number];
                    }
                } else {
                    if (a.size(place) == 1) look_back(b, before, depth++);
                    if (a.is_only_child(place)) continue;
                    spread(b, out.row(a.same(place)), terms);
                    larger_sum(before, base(depth - 1), terms, now);
                    run_up(now);
                    if (a.is_keyroot(place)) --depth;
                }
                std::swap(before, now);
            }
        }
    }

    // What the tree at a place gains with trees of one and two nodes.
    TREEKERNELS_INLINE const T* compare_small(const Keyroots& a, std::uint32_t place, const Gains<T>& gains) {
        T* leaves = small_.row(place);
        T* tops = leaves + small_width_;
        for (std::size_t i = 0; i < 2 * small_width_; ++i) leaves[i] = T(0);
        for (std::uint32_t child = place, end = place - a.size(place) + 1; child-- > end;) {
            const T* below = small_.row(a.same(child));
            larger(leaves, below, leaves, 2 * small_width_);
            child -= a.size(child) - 1;
        }
        T* here = small_gains_.data();
        gains.row(a_preorder_[place], small_kinds_.data(), 2 * small_width_, here);
        for (std::size_t begin = 0; begin < small_width_; begin += kLine) {
            T line[kLine] = {};
            for (std::size_t i = begin; i < begin + kLine; ++i) {
                const T sum = static_cast<T>(here[small_width_ + i] + leaves[i]);
                const T both = is_pair_[i] ? sum : T(0);
                line[i - begin] = std::max(tops[i], std::max(both, here[i]));
            }
            std::memcpy(tops + begin, line, sizeof line);
        }
        larger(leaves, here, leaves, small_width_);
        return leaves;
    }

    // The numbers of nodes in the columns of the nodes.
    TREEKERNELS_INLINE void spread(const Keyroots& b, const T* values, T* columns) const {
        for (const Keyroots::Piece& piece : b.pieces())
            for (std::uint32_t done = 0; done < piece.length; done += kLine)
                std::memcpy(columns + piece.column + done, values + piece.slot + done, kSlack);
        for (const Keyroots::Piece& piece : b.singles()) columns[piece.column] = values[piece.slot];
        for (const Keyroots::Segment& segment : b.segments()) columns[segment.begin] = T(0);
    }

    T* base(std::size_t number) { return bases_.data() + number * stride_ + front_; }

    // What the row had before the tree of each column began.
    TREEKERNELS_INLINE void look_back(const Keyroots& b, const T* row, std::size_t depth) {
        if (bases_.size() < (depth + 1) * stride_) bases_.resize((depth + 1) * stride_);
        T* to = base(depth);
        const Number* back = back_.data();
        for (std::size_t begin = 0; begin < columns_; begin += kLine) {
            T line[kLine];
            for (std::size_t i = 0; i < kLine; ++i) {
                const T one = row[begin + i - 1];
                line[i] = back[begin + i] ? one : T(0);
            }
            std::memcpy(to + begin, line, kSlack);
        }
        for (const Keyroots::Jump& jump : b.jumps()) to[jump.column] = row[jump.source];
    }

    // Through a line of its own, as elsewhere: compilers make no vectors of what may be stored or not.
    TREEKERNELS_INLINE static void larger(const T* a, const T* b, T* out, std::size_t count) {
        for (std::size_t begin = 0; begin < count; begin += kLine) {
            T line[kLine];
            for (std::size_t i = 0; i < kLine; ++i) line[i] = std::max(a[begin + i], b[begin + i]);
            std::memcpy(out + begin, line, kSlack);
        }
    }

    TREEKERNELS_INLINE void larger_sum(const T* before, const T* base, const T* terms, T* now) const {
        for (std::size_t begin = 0; begin < columns_; begin += kLine) {
            T line[kLine];
            for (std::size_t i = 0; i < kLine; ++i)
                line[i] = std::max(before[begin + i], static_cast<T>(base[begin + i] + terms[begin + i]));
            std::memcpy(now + begin, line, kSlack);
        }
    }

    // In each column the largest number of its segment so far: of four columns, then of sixteen, and so on. From the
    // end to the beginning, because a processor waits for what it has just written somewhere else.
    TREEKERNELS_INLINE void run_up(T* row) const {
        std::size_t distance = 1;
        for (const std::size_t reach : reach_) {
            const std::size_t first = distance / kLine * kLine;
            for (std::size_t begin = (reach + kLine - 1) / kLine * kLine; begin > first;) {
                begin -= kLine;
                T line[kLine];
                const T *here = row + begin, *one = here - distance, *two = one - distance, *three = two - distance;
                const Number* rank = rank_.data() + begin;
                const auto d = static_cast<Number>(distance), e = static_cast<Number>(2 * distance);
                const auto f = static_cast<Number>(3 * distance);
                for (std::size_t i = 0; i < kLine; ++i) {
                    const T near = std::max(here[i], rank[i] >= d ? one[i] : T(0));
                    line[i] = std::max(near, std::max(rank[i] >= e ? two[i] : T(0), rank[i] >= f ? three[i] : T(0)));
                }
                std::memcpy(row + begin, line, kSlack);
            }
            distance *= 4;
        }
    }

    std::size_t small_width_ = 0;
    SubtreeGains<T> small_;  // by places of a: what leaves gain, then those with a node above
    std::vector<std::uint32_t> small_kinds_;
    LineVector<T> small_gains_;
    std::size_t front_ = 0, columns_ = 0, stride_ = 0;  // of a row: what is before the columns, they, and all of it
    std::vector<Number> rank_, back_, is_pair_;
    std::vector<std::uint32_t> kinds_, a_preorder_;
    std::vector<std::size_t> reach_;
    LineVector<T> before_, now_, terms_, whole_, bases_;  // bases: of leaves whose ancestors are yet to come
};

}  // namespace treekernels
