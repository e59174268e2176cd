#include "kernels/subset/subset.hpp"

#include <algorithm>

#include "gram/all_pairs.hpp"
#include "kernels/subset/base.hpp"
#include "kernels/subset/index.hpp"
#include "kernels/subset/row.hpp"
#include "kernels/subset/unary_paths.hpp"

namespace treekernels {

namespace {

// Rows of C, of each distinct subtree of a tree in turn. Where unary paths are used, without what the ways down from u
// and v have in common beyond their first production.
template <class Real>
class SubsetWorker final : public RowWorker<Real> {
public:
    SubsetWorker(const Corpus& corpus, const SubsetIndex& index, const Postings& occurrences, const SubsetBase& base,
                 const UnaryPaths* paths, const SubsetParameters& parameters)
        : corpus_(corpus),
          index_(index),
          occurrences_(occurrences),
          base_(base),
          paths_(paths),
          parameters_(parameters) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        base_.row(tree, columns, values, sums_);
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        const bool all = columns == index_.column_count();
        const Node end = corpus_.limit(columns);
        if (row_of_.size() < nodes.size()) {
            row_of_.resize(nodes.size());
            packed_of_.resize(nodes.size());
            uses_.resize(nodes.size(), 0);
        }
        const auto joins = index_.joins(tree);
        for (const Join& join : joins)
            if (all || join.before != 0) ++uses_[join.child];
        for (std::size_t begin = 0, after; begin < joins.size(); begin = after) {
            const std::uint32_t u = joins[begin].parent;
            for (after = begin; after < joins.size() && joins[after].parent == u;) ++after;
            task.check();
            const auto own = joins.subspan(begin, after - begin);
            const Production p = corpus_.production(nodes[u]);
            if (paths_ && corpus_.children(nodes[u]).size() == 1)
                raise_chain(own.front(), nodes, p, end);
            else
                raise(own, nodes, p, all);
            if (row_of_[u]) {
                add(p, counts[u], columns, values);
                if (uses_[u] == 0)
                    release(u, p);
                else if (pool_.bytes() > kRowBudget)
                    pack(u, p);
            }
            for (const Join& join : own) {
                if (!(all || join.before != 0) || --uses_[join.child] != 0) continue;
                if (row_of_[join.child]) release(join.child, corpus_.production(nodes[join.child]));
                packed_of_[join.child].reset();
            }
        }
    }

private:
    using Join = SubsetIndex::Join;
    using Row = SubsetRow<Real>;
    using Packed = PackedRow<Real>;
    // What C of a subtree has beyond the base.
    struct Surplus {
        std::uint32_t rank;
        Real value;
    };
    // Rows of this many bytes are held before they are packed.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    // Computes the row of a subtree, unless nothing in it differs from the decay.
    void raise(std::span<const Join> joins, std::span<const Node> nodes, Production p, bool all) {
        const Real decay = decay_of(p);
        for (const Join& join : joins) {
            const auto whole = index_.bucket(join.bucket);
            const auto bucket = all ? whole : whole.first(join.before);
            if (bucket.empty()) continue;
            std::unique_ptr<Row>& own = row_of_[join.parent];
            if (!own) own = acquire(p);
            const Node x = nodes[join.child];
            const Real child_decay = decay_of(corpus_.production(x));
            const Real in_base = paths_ ? Real(0.0) : Real(base_.edge_weight(p, corpus_.production(x)));
            const bool packed = packed_of_[join.child] != nullptr;
            if (packed) unpack(join.child, corpus_.production(x));
            const Row* child = row_of_[join.child].get();
            if (surplus_.size() < surplus_count_ + bucket.size() + 1)
                surplus_.resize(2 * (surplus_count_ + bucket.size()) + 1);
            Surplus* place = surplus_.data() + surplus_count_;
            const auto rise = [&place, in_base](std::uint32_t rank, Real by) {
                *place = {rank, by - in_base};
                place += in_base < by;  // C is the decay at least
            };
            const bool run = Row::always_raises(decay, child_decay) && index_.is_run(join.bucket);
            const auto multiply = [&](auto below) {
                if (run)
                    own->begin_run(bucket.front().rank, bucket, decay, below, rise);
                else
                    own->multiply(bucket, decay, child_decay, below, rise);
            };
            if (paths_)
                multiply([&](std::uint32_t rank) {
                    const double beyond = paths_->beyond_first(x, index_.member(corpus_.production(x), rank));
                    return (child ? child->values[rank] : child_decay) + Real(beyond);
                });
            else if (child)
                multiply([below = child->values.data()](std::uint32_t rank) { return below[rank]; });
            else if (run)  // then there is no more than the base has
                own->begin_run(bucket.front().rank, bucket.size(), decay, child_decay);
            else
                multiply([c = child_decay](std::uint32_t) { return c; });
            surplus_count_ = static_cast<std::size_t>(place - surplus_.data());
            if (packed) release(join.child, corpus_.production(x));
        }
    }

    // One child: what is raised there, and has the same production above it, is raised here. All have one decay.
    void raise_chain(const Join& join, std::span<const Node> nodes, Production p, Node end) {
        const Production q = corpus_.production(nodes[join.child]);
        const bool packed = packed_of_[join.child] != nullptr;
        if (packed) unpack(join.child, q);
        if (row_of_[join.child]) raise_chain(join, p, *row_of_[join.child], end);
        if (packed) release(join.child, q);
    }

    void raise_chain(const Join& join, Production p, const Row& below, Node end) {
        const auto bucket = index_.bucket(join.bucket);
        const Real decay = decay_of(p);
        below.visit_raised([&](std::uint32_t rank) {
            const auto found = std::ranges::lower_bound(bucket, rank, {}, &SubsetIndex::Entry::child_rank);
            if (found == bucket.end() || found->child_rank != rank) return;
            if (index_.member(p, found->rank) >= end) return;
            if (!row_of_[join.parent]) row_of_[join.parent] = acquire(p);
            const Real by = decay * (below.values[rank] - decay);
            if (decay + by == decay) return;
            row_of_[join.parent]->raise(found->rank, decay + by);
            if (surplus_count_ == surplus_.size()) surplus_.resize(2 * surplus_count_ + 1);
            surplus_[surplus_count_++] = {found->rank, by};
        });
    }

    void add(Production p, double count, std::size_t columns, Real* values) {
        const std::uint32_t begin = index_.group_begin(p);
        for (const Surplus& surplus : std::span(surplus_).first(surplus_count_))
            occurrences_.add(begin + surplus.rank, columns, surplus.value * Real(count), values);
        surplus_count_ = 0;
    }

    Real decay_of(Production p) const { return Real(parameters_.decay_of(p)); }
    std::unique_ptr<Row> acquire(Production p) { return pool_.acquire(p, index_.group_size(p), decay_of(p)); }
    void pack(std::uint32_t place, Production p) {
        packed_of_[place] = std::make_unique<Packed>(*row_of_[place]);
        release(place, p);
    }
    // The packed row stays, for other parents.
    void unpack(std::uint32_t place, Production p) {
        row_of_[place] = pool_.unpack(p, index_.group_size(p), decay_of(p), *packed_of_[place]);
    }
    void release(std::uint32_t place, Production p) { pool_.release(p, decay_of(p), std::move(row_of_[place])); }

    const Corpus& corpus_;
    const SubsetIndex& index_;
    const Postings& occurrences_;  // of the members of all groups
    const SubsetBase& base_;
    const UnaryPaths* paths_;  // null where all chains are short
    const SubsetParameters& parameters_;
    SubsetRowPool<Real> pool_;
    // By the place of a subtree in its tree.
    std::vector<std::unique_ptr<Row>> row_of_;
    std::vector<std::unique_ptr<Packed>> packed_of_;
    std::vector<std::uint32_t> uses_;  // joins of the tree that still need the row
    std::vector<Surplus> surplus_;     // of the subtree at hand
    std::size_t surplus_count_ = 0;
    SubsetBase::Sums sums_;
};

template <class Real>
class SubsetRows final : public Rows<Real> {
public:
    SubsetRows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, unsigned threads,
               const Task& task)
        : corpus_(corpus), parameters_(std::move(parameters)), paths_(long_paths(corpus, parameters_, task)) {
        run_both(
            threads, [&] { index_ = SubsetIndex(corpus, columns, task); },
            [&] { base_ = SubsetBase(corpus, columns, parameters_, paths_.get(), task); });
        run_both(
            threads,
            [&] {
                index_.fill(corpus, paths_ != nullptr, task);
                occurrences_ = find_occurrences(columns, task);
            },
            [&] {
                if (!paths_) base_.add_edges(corpus, columns, index_, task);
            });
        index_.forget_edges();
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<SubsetWorker<Real>>(corpus_, index_, occurrences_, base_, paths_.get(), parameters_);
    }

private:
    Postings find_occurrences(std::size_t columns, const Task& task) const {
        return Postings(index_.member_count(), columns, kVectorOfReals, task, [this](std::size_t tree, auto emit) {
            const auto nodes = corpus_.nodes(tree);
            const auto counts = corpus_.counts(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (!corpus_.is_leaf(nodes[i])) emit(index_.place(corpus_, nodes[i]), counts[i]);
        });
    }

    // Where productions weigh alike: what the ways down have in common is then known by its length.
    static std::unique_ptr<UnaryPaths> long_paths(const Corpus& corpus, const SubsetParameters& parameters,
                                                  const Task& task) {
        if (!parameters.uniform()) return nullptr;
        const auto lengths = UnaryPaths::lengths(corpus);
        if (lengths.empty() || *std::ranges::max_element(lengths) <= UnaryPaths::kLong) return nullptr;
        return std::make_unique<UnaryPaths>(corpus, parameters.decay, task);
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

    template <class Lookup>
    Real operator()(Node u, Node, std::span<const std::uint32_t> u_children, std::span<const std::uint32_t> v_children,
                    Lookup lookup, const Task&) const {
        if (u_children.empty()) return Real(parameters.leaf_weight);
        Real c(parameters.decay_of(corpus.production(u)));
        for (std::size_t i = 0; i < u_children.size(); ++i) {
            const bool leaf = u_children[i] == kNone, other_leaf = v_children[i] == kNone;
            if (leaf != other_leaf)
                c *= Real(parameters.half_cut());
            else if (!leaf)
                c *= Real(parameters.cut_weight) + lookup(u_children[i], v_children[i]);
        }
        return c;
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
