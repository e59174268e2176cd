#include "kernels/subset/subset.hpp"

#include <algorithm>

#include "gram/pairs/all_pairs.hpp"
#include "kernels/subset/base.hpp"
#include "kernels/subset/chains/unary_paths.hpp"
#include "kernels/subset/index.hpp"
#include "kernels/subset/rows/raise.hpp"
#include "kernels/subset/rule.hpp"

namespace treekernels {

namespace {

// What C of a subtree and the one with some rank has beyond the part that is a dot product of counts (base.hpp).
template <class Real>
struct Surplus {
    std::uint32_t rank;
    Real value;
};

// Lists the surplus while a row is raised.
template <class Real>
class SurplusRise {
public:
    static constexpr bool knows_least = true;
    static constexpr std::size_t lanes = 1;
    // Where unary paths are used, the base has nothing of what C rises by at the least.
    SurplusRise(std::vector<Surplus<Real>>& list, bool base_has_least)
        : list_(list), base_has_least_(base_has_least), next_(list.data()) {}

    void make_room(std::size_t more) {
        const auto size = static_cast<std::size_t>(next_ - list_.data());
        if (list_.size() < size + more + 1) list_.resize(2 * (size + more) + 1);  // one more is written than is kept
        next_ = list_.data() + size;
    }
    TREEKERNELS_INLINE void begin(Real least) { least_ = base_has_least_ ? least : Real(0.0); }
    TREEKERNELS_INLINE void operator()(std::size_t, std::uint32_t rank, Real by) {
        *next_ = {rank, by - least_};
        next_ += least_ < by;  // C is the decay at least
    }
    std::span<const Surplus<Real>> listed() const { return {list_.data(), next_}; }

private:
    std::vector<Surplus<Real>>& list_;
    const bool base_has_least_;
    Surplus<Real>* next_;
    Real least_{};
};

// Rows of C, of each distinct subtree of a tree in turn. Where unary paths are used, without what the ways down from u
// and v have in common beyond their first production.
template <class Real>
class SubsetWorker final : public RowWorker<Real> {
public:
    SubsetWorker(const Corpus& corpus, const SubsetIndex& index, const Postings& occurrences, const SubsetBase& base,
                 const UnaryPaths* paths, const SubsetParameters& parameters)
        : corpus_(corpus),
          index_(index),
          layout_(index.layout()),
          occurrences_(occurrences),
          base_(base),
          paths_(paths),
          rows_(parameters.uniform()) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        base_.row(tree, columns, values, sums_);
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        const bool all = columns == index_.column_count();
        rows_.cover(nodes.size());
        joins_.clear();
        for (const Join& join : index_.joins(tree)) {
            if (!all && join.before == 0) continue;
            joins_.push_back(join);
            rows_.expect_use(join.child);
        }
        const std::span<const Join> joins(joins_);
        for (std::size_t begin = 0, after; begin < joins.size(); begin = after) {
            const std::uint32_t u = joins[begin].parent;
            for (after = begin; after < joins.size() && joins[after].parent == u;) ++after;
            task.check();
            const auto of_parent = joins.subspan(begin, after - begin);
            const SubsetGroup& group = layout_.group(layout_.find_group(corpus_.production(nodes[u])));
            SurplusRise<Real> rise(surplus_, paths_ == nullptr);
            if (paths_ && corpus_.children(nodes[u]).size() == 1)
                raise_chain(of_parent.front(), group, corpus_.limit(columns), rise);
            else
                raise_row(of_parent, nodes, group, all, rise);
            for (const auto& [rank, value] : rise.listed())
                occurrences_.add(group.begin + rank, columns, value * Real(counts[u]), values);
            rows_.finish(u);
            for (const Join& join : of_parent) rows_.let_go(join.child);
        }
    }

private:
    using Join = SubsetIndex::Join;

    void raise_row(std::span<const Join> joins, std::span<const Node> nodes, const SubsetGroup& group, bool all,
                   SurplusRise<Real>& rise) {
        const auto bucket_of = [&](const Join& join) {
            SubsetBucket bucket = layout_.bucket(join.bucket);
            if (!all) bucket.size = join.before;
            rise.make_room(bucket.size);
            return bucket;
        };
        if (!paths_) return raise(rows_, joins.front().parent, group, joins, bucket_of, rise);
        raise(rows_, joins.front().parent, group, joins, bucket_of, rise, [&](const Join& join) {
            const Node x = nodes[join.child];
            const SubsetGroup& below = layout_.group(layout_.find_group(corpus_.production(x)));
            return [this, x, &below](std::uint32_t rank) {
                return Real(paths_->beyond_first(x, index_.member(below, rank)));
            };
        });
    }

    // One child: what is raised there, and has the same production above it, is raised here. All have one decay.
    void raise_chain(const Join& join, const SubsetGroup& group, Node end, SurplusRise<Real>& rise) {
        const auto* below = rows_.find(join.child);
        if (!below) return;
        const SubsetBucket bucket = layout_.bucket(join.bucket);
        const std::span<const std::uint32_t> child_ranks(bucket.child_ranks, bucket.size);
        const Real decay(group.decay);
        SubsetRow<Real>* row = nullptr;
        rise.begin(Real(0.0));
        below->visit_raised([&](std::uint32_t rank) {
            const auto place = std::ranges::lower_bound(child_ranks, rank);
            if (place == child_ranks.end() || *place != rank) return;
            const std::uint32_t above = bucket.ranks[place - child_ranks.begin()];
            if (index_.member(group, above) >= end) return;
            const Real by = decay * (below->values[rank] - decay);
            if (decay + by == decay) return;
            if (!row) row = &rows_.make(join.parent, group);
            row->raise(above, decay + by);
            rise.make_room(1);
            rise(0, above, by);
        });
    }

    const Corpus& corpus_;
    const SubsetIndex& index_;
    const SubsetLayout& layout_;
    const Postings& occurrences_;  // of the members of all groups
    const SubsetBase& base_;
    const UnaryPaths* paths_;             // null where all chains are short
    SubsetRowKeeper<Real> rows_;          // by the place of a subtree in its tree
    std::vector<Surplus<Real>> surplus_;  // of the subtree at hand
    std::vector<Join> joins_;
    SubsetBase::Sums sums_;
};

template <class Real>
class SubsetRows final : public Rows<Real> {
public:
    SubsetRows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, unsigned threads,
               const Task& task)
        : corpus_(corpus), parameters_(std::move(parameters)) {
        // Where productions weigh alike: what the ways down have in common is then known by its length.
        if (parameters_.uniform()) paths_ = UnaryPaths::find(corpus, parameters_.decay, task);
        run_both(
            threads, [&] { index_.find_buckets(corpus, columns, parameters_, task); },
            [&] { base_ = SubsetBase(corpus, columns, parameters_, paths_.get(), task); });
        run_both(
            threads,
            [&] {
                index_.list_joins(corpus, task);
                if (paths_) index_.sort_chains(corpus);
                occurrences_ = find_occurrences(columns, task);
            },
            [&] {
                if (!paths_)
                    base_.add_edges(corpus, columns, index_.bucket_of_edges(), index_.layout().bucket_count(), task);
            });
        index_.forget_edges();
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<SubsetWorker<Real>>(corpus_, index_, occurrences_, base_, paths_.get(), parameters_);
    }

private:
    Postings find_occurrences(std::size_t columns, const Task& task) const {
        return Postings(index_.layout().member_count(), columns, kVectorOfReals, task,
                        [this](std::size_t tree, auto emit) {
                            const auto nodes = corpus_.nodes(tree);
                            const auto counts = corpus_.counts(tree);
                            for (std::size_t i = 0; i < nodes.size(); ++i)
                                if (!corpus_.is_leaf(nodes[i])) emit(index_.place(corpus_, nodes[i]), counts[i]);
                        });
    }

    const Corpus& corpus_;
    const SubsetParameters parameters_;
    std::unique_ptr<UnaryPaths> paths_;
    SubsetIndex index_;
    Postings occurrences_;
    SubsetBase base_;
};

}  // namespace

// C of two nodes for the pairwise algorithms.
template <class Real>
struct SubsetLocal {
    SubsetParameters parameters;
    const Corpus& corpus;
    SubsetRule<Real> rule = SubsetRule<Real>::with_cut_weight(parameters.cut_weight);

    template <class Lookup>
    Real operator()(Node u, Node, std::span<const std::uint32_t> u_children, std::span<const std::uint32_t> v_children,
                    Lookup lookup, const Task&) const {
        if (u_children.empty()) return Real(parameters.leaf_weight);
        return rule(Real(parameters.decay_of(corpus.production(u))), u_children.size(), [&](std::size_t k) {
            const bool leaf = u_children[k] == kNone, other_leaf = v_children[k] == kNone;
            if (leaf != other_leaf) return rule.leaf_and_node();
            return leaf ? rule.leaves() : rule.nodes(lookup(u_children[k], v_children[k]));
        });
    }
};

template <class Real>
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters,
                                        unsigned threads, const Task& task) {
    return std::make_unique<SubsetRows<Real>>(corpus, columns, std::move(parameters), threads, task);
}
template std::unique_ptr<Rows<double>> subset_rows(const Corpus&, std::size_t, SubsetParameters, unsigned, const Task&);
template std::unique_ptr<Rows<Wide>> subset_rows(const Corpus&, std::size_t, SubsetParameters, unsigned, const Task&);

template <class Real>
std::unique_ptr<PairValues<Real>> subset_pairs(const Corpus& corpus, SubsetParameters parameters,
                                               PairAlgorithm algorithm, const Task& task) {
    // Productions and, after them, the labels of leaves if these count on their own.
    std::vector<std::uint32_t> keys(corpus.node_count());
    for (Node node = 0; node < keys.size(); ++node) {
        keys[node] = corpus.production(node);
        if (parameters.leaf_weight != 0.0 && corpus.is_leaf(node))
            keys[node] = static_cast<std::uint32_t>(corpus.production_count()) + corpus.label(node);
    }
    return make_pairs<Real>(corpus, keys, false, algorithm, SubsetLocal<Real>{parameters, corpus}, task);
}
template std::unique_ptr<PairValues<double>> subset_pairs(const Corpus&, SubsetParameters, PairAlgorithm, const Task&);
template std::unique_ptr<PairValues<Wide>> subset_pairs(const Corpus&, SubsetParameters, PairAlgorithm, const Task&);

}  // namespace treekernels
