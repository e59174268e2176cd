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
             const Gains<T>& gains, SubtreeGains<T>& out, const Task& task) {
        const std::size_t width = b.width();
        out.assign(a.count(), b.count());
        b.describe(rank_, small_);
        kinds_.resize(b.count());
        for (std::uint32_t place = 0; place < b.count(); ++place)
            kinds_[place] = gains.b_kind[b.preorder(b_tree, place)];
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
        with_simd([&]() TREEKERNELS_INLINE_LAMBDA { rows(a, b, gains, out, task); });
    }

private:
    using Number = typename SameWidth<T>::Number;
    static constexpr std::size_t kLine = kSlack / sizeof(T);

    TREEKERNELS_INLINE void rows(const Keyroots& a, const Keyroots& b, const Gains<T>& gains, SubtreeGains<T>& out,
                                 const Task& task) {
        const std::size_t count = b.count();
        const std::uint32_t* own = b.own();
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
                    for (std::size_t y = 0; y < count; ++y) whole[y] = static_cast<T>(whole[y] + before[own[y] - 1]);
                    spread(b, whole, terms);
                    larger(before, terms, now);
                    run_up(now);
                    T* row = out.row(place);
                    for (std::size_t y = 0; y < count; ++y) row[y] = now[own[y]];
                } else {
                    if (a.size(place) == 1) look_back(b, before, depth++);
                    // An only child gains no more than its parent, and nobody looks back to it.
                    if (a.size(place + 1) == a.size(place) + 1) continue;
                    spread(b, out.row(a.same(place)), terms);
                    larger_sum(before, base(depth - 1), terms, now);
                    run_up(now);
                    if (a.is_keyroot(place)) --depth;
                }
                std::swap(before, now);
            }
        }
    }

    // The numbers of nodes in the columns of the nodes.
    TREEKERNELS_INLINE void spread(const Keyroots& b, const T* values, T* columns) const {
        for (const Keyroots::Segment& segment : b.segments()) {
            T* to = columns + segment.begin;
            const T* from = values + segment.first;
            *to++ = T(0);
            for (std::uint32_t done = 0; done < segment.length; done += kLine)
                std::memcpy(to + done, from + done, kSlack);
        }
    }

    T* base(std::size_t number) { return bases_.data() + number * stride_ + front_; }

    // What the row had before the tree of each column began.
    TREEKERNELS_INLINE void look_back(const Keyroots& b, const T* row, std::size_t depth) {
        if (bases_.size() < (depth + 1) * stride_) bases_.resize((depth + 1) * stride_);
        T* to = base(depth);
        const Number* small = small_.data();
        for (std::size_t begin = 0; begin < columns_; begin += kLine) {
            T line[kLine];
            for (std::size_t i = 0; i < kLine; ++i) {
                const T one = row[begin + i - 1], two = *(row + begin + i - 2);
                line[i] = small[begin + i] == 1 ? one : (small[begin + i] == 2 ? two : T(0));
            }
            std::memcpy(to + begin, line, kSlack);
        }
        for (const Keyroots::Jump& jump : b.jumps()) to[jump.column] = row[jump.source];
    }

    TREEKERNELS_INLINE void larger(const T* before, const T* terms, T* now) const {
        for (std::size_t begin = 0; begin < columns_; begin += kLine) {
            T line[kLine];
            for (std::size_t i = 0; i < kLine; ++i) line[i] = std::max(before[begin + i], terms[begin + i]);
            std::memcpy(now + begin, line, kSlack);
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

    std::size_t front_ = 0, columns_ = 0, stride_ = 0;  // of a row: what is before the columns, they, and all of it
    std::vector<Number> rank_, small_;
    std::vector<std::uint32_t> kinds_, a_preorder_;
    std::vector<std::size_t> reach_;
    LineVector<T> before_, now_, terms_, whole_, bases_;  // bases: of leaves whose ancestors are yet to come
};

}  // namespace treekernels
