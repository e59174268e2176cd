#include "kernels/subset/table_scorer.hpp"

#include <algorithm>
#include <bit>

#include "core/simd.hpp"
#include "kernels/subset/row_loops.hpp"

namespace treekernels {

SubsetTableScorer::SubsetTableScorer(const SubsetTable& table, const Dag& source, const TreeLists* lists)
    : table_(table),
      source_(source),
      lists_(lists),
      translates_(&source != &table.dag()),
      uniform_(table.parameters().uniform()),
      damped_(table.parameters().damping != CountDamping::linear),
      outputs_(table.outputs()),
      width_(table.width()),
      translation_(source, table.dag()),
      view_(source, table.parameters().damping),
      met_(lists ? lists->subtree_count() : source.size()) {}

void SubsetTableScorer::score(std::span<const Node> roots, double* scores, const Task& task) {
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
        if (!unlisted_) unlisted_ = std::make_unique<SubsetTableScorer>(table_, source_);
        unlisted_->score(roots.subspan(i, 1), scores + i * outputs_, task);
    }
}

// Where damped counts do not add up, each tree is gone through.
void SubsetTableScorer::sum_responses(Node root, double* scores) {
    std::fill_n(scores, outputs_, 0.0);
    const TreeNodes tree = view_(root);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
        const double* own = sums_.data() + met_.place(tree.nodes()[i]) * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] += tree.counts()[i] * own[k];
    }
}

void SubsetTableScorer::refresh() {
    if (revision_ == table_.revision()) return;
    revision_ = table_.revision();
    met_.clear();
    sums_.assign(outputs_, 0.0);
    group_.assign(1, kNone);
    joins_begin_.clear();
    joins_end_.clear();
    uses_.clear();
    row_.clear();
    packed_.clear();
    open_.clear();
}

// Most of the time goes by waiting for memory, unless it was asked for beforehand.
void SubsetTableScorer::expect(std::span<const Node> roots) const {
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
void SubsetTableScorer::meet(Node root) {
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

void SubsetTableScorer::write_score(Node root, double* scores) {
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

Production SubsetTableScorer::translated(Production production) {
    return translates_ ? translation_.production(production) : production;
}

// The first is that of the leading child, if it has one.
void SubsetTableScorer::find_joins(std::uint32_t place) {
    joins_begin_[place] = joins_.size();
    const auto join = [&](std::uint32_t position, std::uint32_t child, Production p) {
        const Production q = translated(p);
        const std::uint32_t bucket = q == kNone ? kNone : table_.find_bucket(group_[place], position, q);
        if (bucket == kNone) return;
        const std::uint32_t below = met_.place(child);
        joins_.push_back({bucket, below});
        if (table_.bucket(bucket).is_run()) std::swap(joins_[joins_begin_[place]], joins_.back());
        if (uses_[below]++ == 0 && below < first_new_) open_.push_back(below);
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

template <std::size_t Width, bool respond>
TREEKERNELS_INLINE void SubsetTableScorer::raise(std::uint32_t place, std::uint32_t group, std::span<const Join> joins,
                                                 double* response) {
    if (joins.empty()) return;
    const bool needed = uses_[place] > 0;
    const auto& own_group = table_.group(group);
    const double* weights = table_.weights(own_group);
    const double decay = own_group.decay;
    if (needed || joins.size() > 1) acquire(place);
    Row* row = row_[place].get();
    double* values = row ? row->values.data() : nullptr;
    for (std::size_t number = 0; number < joins.size(); ++number) {
        const Join& join = joins[number];
        const auto& bucket = table_.bucket(join.bucket);
        const double base = decay * bucket.child_decay;
        const Row* child = row_at(join.child);
        const std::uint32_t* child_ranks = table_.child_ranks(bucket);
        // What is read no more need not be written.
        const bool write = needed || number + 1 < joins.size();
        if (bucket.is_run()) {
            TREEKERNELS_ASSERT(number == 0);
            double* run = values ? values + bucket.first_rank : nullptr;
            const double* own_weights = weights + bucket.first_rank * width_;
            if (write) {
                row->run_begin = bucket.first_rank;
                row->run_end = bucket.first_rank + bucket.size;
            }
            if (!child) {  // no more than the sum of the bucket has
                if (write) std::fill_n(run, bucket.size, decay + base);
            } else if (write) {
                raise_run<Width, true, respond>(run, child->values.data(), child_ranks, bucket.size, decay, base,
                                                own_weights, width_, outputs_, response);
            } else if (respond) {
                raise_run<Width, false, respond>(run, child->values.data(), child_ranks, bucket.size, decay, base,
                                                 own_weights, width_, outputs_, response);
            }
            continue;
        }
        const std::uint32_t* ranks = table_.ranks(bucket);
        const auto list = [&](auto below) TREEKERNELS_INLINE_LAMBDA {
            if (write)
                raise_listed<Width, true, respond>(row, values, ranks, child_ranks, bucket.size, below, decay, base,
                                                   weights, width_, outputs_, response);
            else if (respond)
                raise_listed<Width, false, respond>(row, values, ranks, child_ranks, bucket.size, below, decay, base,
                                                    weights, width_, outputs_, response);
        };
        if (child)
            list([below = child->values.data()](std::uint32_t rank) { return below[rank]; });
        else if (values)
            list([least = bucket.child_decay](std::uint32_t) { return least; });
        // With neither there is no more than the sum of the bucket has.
    }
    if (!needed && row)
        release(place);
    else if (row && pool_.bytes() > kRowBudget)
        pack(place);
    for (const Join& join : joins)
        if (packed_[join.child] && row_[join.child]) give_back(join.child);
}

template <std::size_t Width>
void SubsetTableScorer::compute(std::uint32_t place) {
    const bool is_new = place >= first_new_;
    const std::uint32_t group = group_[place];
    const std::span<const Join> joins(joins_.data() + joins_begin_[place], joins_.data() + joins_end_[place]);
    double* sums = sums_.data() + place * outputs_;
    if (is_new) {
        const std::uint32_t node = met_.nodes()[place];
        if (group == kNone) add_leaf(lists_ ? lists_->subtree(node).node : node, sums);
        if (!lists_ && !damped_) add_sums_below(node, sums);
    }
    if (group != kNone) {
        if (is_new) {
            const double decay = table_.group(group).decay;
            const double* of_group = table_.group_sum(group);
            for (std::size_t k = 0; k < outputs_; ++k) sums[k] += decay * of_group[k];
            for (const Join& join : joins) {
                const double both = decay * table_.bucket(join.bucket).child_decay;
                const double* of_bucket = table_.bucket_sum(join.bucket);
                for (std::size_t k = 0; k < outputs_; ++k) sums[k] += both * of_bucket[k];
            }
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA { raise<Width, true>(place, group, joins, sums); });
        } else {
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA { raise<Width, false>(place, group, joins, sums); });
        }
    }
    for (const Join& join : joins)
        if (--uses_[join.child] == 0) release(join.child);
}

void SubsetTableScorer::compute_tile(const Task& task) {
    const std::size_t count = met_.nodes().size();
    if (count == first_new_) return;
    sums_.resize(count * outputs_, 0.0);
    joins_begin_.resize(count);
    joins_end_.resize(count);
    uses_.resize(count, 0);
    row_.resize(count);
    packed_.resize(count);
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

void SubsetTableScorer::add_sums_below(Node node, double* to) const {
    for (Node child : source_.children(node)) {
        const double* from = sums_.data() + met_.place(child) * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += from[k];
    }
}

void SubsetTableScorer::add_leaf(Node leaf, double* to) {
    if (table_.parameters().leaf_weight == 0.0 || !source_.is_leaf(leaf)) return;
    const Label label = source_.label(leaf);
    if (const double* from = table_.label_sum(translates_ ? translation_.label(label) : label))
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += from[k];
}

// Null where the row is at rest.
SubsetTableScorer::Row* SubsetTableScorer::row_at(std::uint32_t place) {
    if (!row_[place] && packed_[place])
        row_[place] = pool_.unpack(kind(place), room(place), decay(place), *packed_[place]);
    return row_[place].get();
}

// Rows at rest serve any group that is not larger; where productions have decays of their own, one of these.
std::size_t SubsetTableScorer::room(std::uint32_t place) const {
    return std::bit_ceil<std::size_t>(table_.group(group_[place]).size);
}
Production SubsetTableScorer::kind(std::uint32_t place) const {
    return uniform_ ? static_cast<Production>(std::bit_width(room(place))) : table_.production(group_[place]);
}
double SubsetTableScorer::decay(std::uint32_t place) const { return table_.group(group_[place]).decay; }

void SubsetTableScorer::acquire(std::uint32_t place) {
    row_[place] = pool_.acquire(kind(place), room(place), decay(place));
}

void SubsetTableScorer::release(std::uint32_t place) {
    packed_[place].reset();
    if (row_[place]) give_back(place);
}

void SubsetTableScorer::give_back(std::uint32_t place) {
    pool_.release(kind(place), decay(place), std::move(row_[place]));
}

void SubsetTableScorer::pack(std::uint32_t place) {
    auto packed = std::make_unique<Packed>(*row_[place]);
    release(place);
    packed_[place] = std::move(packed);
}

}  // namespace treekernels
