#include "kernels/subset/rows/scorer.hpp"

#include <algorithm>

#include "kernels/subset/rows/growing_table.hpp"
#include "kernels/subset/rows/raise.hpp"
#include "kernels/subset/rows/table.hpp"

namespace treekernels {

template <class Table>
SubsetScorer<Table>::SubsetScorer(const Table& table, const Dag& source, const TreeLists* lists)
    : table_(table),
      source_(source),
      lists_(lists),
      translates_(&source != &table.dag()),
      damped_(table.parameters().damping != CountDamping::linear),
      outputs_(table.outputs()),
      width_(table.width()),
      translation_(source, table.dag()),
      view_(source, table.parameters().damping),
      met_(lists ? lists->subtree_count() : source.size()),
      rows_(table.parameters().uniform()) {}

template <class Table>
void SubsetScorer<Table>::score(std::span<const Node> roots, double* scores, const Task& task) {
    refresh();
    revision_ = 0;  // should this be stopped, nothing of it is of use any more
    std::size_t done = 0;
    while (done < roots.size()) {
        const std::size_t end = std::min(roots.size(), done + kTile);
        first_new_ = met_.nodes().size();
        for (std::size_t i = done; i < end; ++i) {
            task.check();
            if (lists_) expect(roots.subspan(i));
            meet(roots[i]);
        }
        compute_tile(task);
        for (; done < end; ++done) write_score(roots[done], scores + done * outputs_);
    }
    revision_ = table_.revision();
    if (!lists_) return;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        if (lists_->find(roots[i])) continue;
        if (!unlisted_) unlisted_ = std::make_unique<SubsetScorer>(table_, source_);
        unlisted_->score(roots.subspan(i, 1), scores + i * outputs_, task);
    }
}

// Where damped counts do not add up, each tree is gone through.
template <class Table>
void SubsetScorer<Table>::sum_responses(Node root, double* scores) {
    std::fill_n(scores, outputs_, 0.0);
    const TreeNodes tree = view_(root);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
        const double* response = sums_.data() + met_.place(tree.nodes()[i]) * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] += tree.counts()[i] * response[k];
    }
}

template <class Table>
void SubsetScorer<Table>::refresh() {
    if (revision_ == table_.revision()) return;
    revision_ = table_.revision();
    if (dag_size_ != table_.dag().size()) translation_.look_again();
    dag_size_ = table_.dag().size();
    met_.clear();
    sums_.assign(outputs_, 0.0);
    group_.assign(1, kNone);
    joins_begin_.clear();
    joins_end_.clear();
    rows_.clear();
    open_.clear();
}

// Most of the time goes by waiting for memory, unless it was asked for beforehand.
template <class Table>
void SubsetScorer<Table>::expect(std::span<const Node> roots) const {
    if (roots.size() > 3 * kAhead) lists_->expect(roots[3 * kAhead]);
    if (roots.size() > 2 * kAhead) lists_->expect_list(roots[2 * kAhead]);
    if (roots.size() <= kAhead) return;
    const auto list = lists_->find(roots[kAhead]);
    if (!list) return;
    for (const auto& [subtree, count] : *list) {
        met_.expect(subtree);
        lists_->expect_subtree(subtree);
    }
}

// Gives places to what is new below a root.
template <class Table>
void SubsetScorer<Table>::meet(Node root) {
    const bool without_leaves = table_.parameters().leaf_weight == 0.0;
    if (!lists_) {
        met_.add_below(source_, root, without_leaves);
        for (std::size_t place = group_.size(); place < met_.nodes().size(); ++place)
            group_.push_back(table_.find_group(translated(source_.production(met_.nodes()[place]))));
        return;
    }
    const auto list = lists_->find(root);
    if (!list) return;
    for (const auto& [subtree, count] : *list) {
        if (met_.knows(subtree)) continue;
        const Production p = lists_->subtree(subtree).production;
        const std::uint32_t group = table_.find_group(translated(p));
        if (group == kNone && (without_leaves || p != kNone)) {
            met_.leave_out(subtree);
            continue;
        }
        met_.add(subtree);
        group_.push_back(group);
        lists_->expect_edges(subtree);
    }
}

template <class Table>
void SubsetScorer<Table>::write_score(Node root, double* scores) {
    if (!lists_) {
        if (damped_) return sum_responses(root, scores);
        std::copy_n(sums_.data() + met_.place(root) * outputs_, outputs_, scores);
        return;
    }
    const auto list = lists_->find(root);
    if (!list) return;
    const CountDamping damping = table_.parameters().damping;
    std::fill_n(scores, outputs_, 0.0);
    for (const auto& [subtree, count] : *list) {
        const double* from = sums_.data() + met_.place(subtree) * outputs_;
        const double times = damped_ ? damped(count, damping) : static_cast<double>(count);
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] += times * from[k];
    }
}

template <class Table>
Production SubsetScorer<Table>::translated(Production production) {
    return translates_ ? translation_.production(production) : production;
}

template <class Table>
void SubsetScorer<Table>::find_joins(std::uint32_t place) {
    joins_begin_[place] = joins_.size();
    const auto join = [&](std::uint32_t position, std::uint32_t child, Production p) {
        const Production q = translated(p);
        const std::uint32_t bucket = q == kNone ? kNone : table_.find_bucket(group_[place], position, q);
        if (bucket == kNone) return;
        const std::uint32_t below = met_.place(child);
        add_join(joins_, joins_begin_[place], {bucket, below}, table_);
        if (below < first_new_ && !rows_.is_needed(below)) open_.push_back(below);
        rows_.expect_use(below);
    };
    const std::uint32_t node = met_.nodes()[place];
    if (group_[place] == kNone) {
    } else if (lists_) {
        for (const auto& [position, child, p] : lists_->edges(node)) join(position, child, p);
    } else {
        const auto children = source_.children(node);
        for (std::uint32_t c = 0; c < children.size(); ++c) join(c, children[c], source_.production(children[c]));
    }
    joins_end_[place] = joins_.size();
}

template <class Table>
template <std::size_t Width>
void SubsetScorer<Table>::compute(std::uint32_t place) {
    const std::span<const SubsetJoin> joins(joins_.data() + joins_begin_[place], joins_.data() + joins_end_[place]);
    const auto bucket_of = [&](const SubsetJoin& join) { return table_.bucket(join.bucket); };
    if (place < first_new_) {
        IgnoredRise rise;
        raise(rows_, place, table_.group(group_[place]), joins, bucket_of, rise);
    } else {
        double* sums = sums_.data() + place * outputs_;
        const std::uint32_t node = met_.nodes()[place];
        if (!lists_ && !damped_) add_sums_below(node, sums);
        if (group_[place] == kNone) return add_leaf(lists_ ? lists_->subtree(node).node : node, sums);
        add(table_.group_score(group_[place]), sums);
        if constexpr (Table::kScoresBuckets)
            for (const SubsetJoin& join : joins) add(table_.bucket_score(join.bucket), sums);
        with_simd([&]() TREEKERNELS_INLINE_LAMBDA {
            const SubsetGroup group = table_.group(group_[place]);
            WeightedRise<Width, Table::kScoresBuckets> rise(table_.weights(group), width_, sums, outputs_);
            raise(rows_, place, group, joins, bucket_of, rise);
            rise.finish();
        });
    }
    rows_.finish(place);
    for (const SubsetJoin& join : joins) rows_.let_go(join.child);
}

template <class Table>
void SubsetScorer<Table>::compute_tile(const Task& task) {
    const std::size_t count = met_.nodes().size();
    if (count == first_new_) return;
    sums_.resize(count * outputs_, 0.0);
    joins_begin_.resize(count);
    joins_end_.resize(count);
    rows_.cover(count);
    joins_.clear();
    old_.clear();
    for (std::size_t place = count; place-- > first_new_;) find_joins(static_cast<std::uint32_t>(place));
    while (!open_.empty()) {
        old_.push_back(open_.back());
        open_.pop_back();
        find_joins(old_.back());
    }
    std::ranges::sort(old_);
    const auto each = [&](auto compute_one) {
        for (std::uint32_t place : old_) {
            task.check();
            compute_one(place);
        }
        for (std::size_t place = first_new_; place < count; ++place) {
            task.check();
            compute_one(static_cast<std::uint32_t>(place));
        }
    };
    switch (width_) {
        case 1:
            return each([&](std::uint32_t place) { compute<1>(place); });
        case 2:
            return each([&](std::uint32_t place) { compute<2>(place); });
        case 4:
            return each([&](std::uint32_t place) { compute<4>(place); });
        case 8:
            return each([&](std::uint32_t place) { compute<8>(place); });
        default:
            return each([&](std::uint32_t place) { compute<0>(place); });
    }
}

template <class Table>
void SubsetScorer<Table>::add_sums_below(Node node, double* to) const {
    for (Node child : source_.children(node)) add(sums_.data() + met_.place(child) * outputs_, to);
}

template <class Table>
void SubsetScorer<Table>::add_leaf(Node leaf, double* to) {
    if (table_.parameters().leaf_weight == 0.0 || !source_.is_leaf(leaf)) return;
    const Label label = source_.label(leaf);
    if (const double* scores = table_.label_score(translates_ ? translation_.label(label) : label)) add(scores, to);
}

template class SubsetScorer<SubsetTable>;
template class SubsetScorer<GrowingSubsetTable>;

}  // namespace treekernels
