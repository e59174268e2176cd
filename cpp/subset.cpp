#include "subset.hpp"

#include <algorithm>

#include "features.hpp"
#include "subset_index.hpp"
#include "subset_row.hpp"
#include "unary_paths.hpp"

namespace treekernels {

namespace {

// Rows of C, of each distinct subtree of a tree in turn. Where unary paths are used, without what the ways down from u
// and v have in common beyond their first production.
template <class Real>
class SubsetWorker final : public RowWorker<Real> {
public:
    SubsetWorker(const Corpus& corpus, const SubsetIndex& index, const Features& base, const UnaryPaths* paths,
                 double decay)
        : corpus_(corpus),
          index_(index),
          base_(base),
          paths_(paths),
          decay_(decay),
          pool_(decay_),
          row_of_(corpus.node_count()),
          packed_of_(corpus.node_count()),
          uses_(corpus.node_count(), 0) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        std::fill(values, values + columns, Real(0.0));
        base_.add_row(tree, columns, values);
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        const Node end = corpus_.limit(columns);
        for (Node u : nodes) {
            uses_[u] = 0;  // children come first
            for (Node child : corpus_.children(u)) ++uses_[child];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node u = nodes[i];
            if (corpus_.is_leaf(u)) continue;
            task.check();
            raise(u, end);
            if (row_of_[u]) {
                add(u, counts[i], columns, values);
                if (uses_[u] == 0)
                    release(u);
                else if (pool_.bytes() > kRowBudget)
                    pack(u);
            }
            for (Node child : corpus_.children(u)) {
                if (--uses_[child] != 0) continue;
                if (row_of_[child]) release(child);
                packed_of_[child].reset();
            }
        }
    }

private:
    using Row = SubsetRow<Real>;
    using Packed = PackedRow<Real>;
    // Rows of this many bytes are held before they are packed.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    // Computes the row of u, unless nothing in it differs from the decay.
    void raise(Node u, Node end) {
        const Production p = corpus_.production(u);
        const auto children = corpus_.children(u);
        if (paths_ && children.size() == 1) return raise_chain(u, p, children[0], end);
        for (std::size_t c = 0; c < children.size(); ++c) {
            const auto bucket = index_.bucket(corpus_.first_edge(u) + c, end);
            if (bucket.empty()) continue;
            if (!row_of_[u]) row_of_[u] = acquire(p);
            const bool packed = packed_of_[children[c]] != nullptr;
            if (packed) unpack(children[c]);
            const Row* child = row_of_[children[c]].get();
            if (paths_)
                row_of_[u]->multiply(bucket, decay_, [&, x = children[c]](std::uint32_t rank) {
                    const double beyond = paths_->beyond_first(x, index_.member(corpus_.production(x), rank));
                    return (child ? child->values[rank] : decay_) + Real(beyond);
                });
            else if (child)
                row_of_[u]->multiply(bucket, decay_, [&](std::uint32_t rank) { return child->values[rank]; });
            else
                row_of_[u]->multiply(bucket, decay_, [this](std::uint32_t) { return decay_; });
            if (packed) release(children[c]);
        }
    }

    // One child: what is raised there, and has the same production above it, is raised here.
    void raise_chain(Node u, Production p, Node child, Node end) {
        const bool packed = packed_of_[child] != nullptr;
        if (packed) unpack(child);
        if (row_of_[child]) raise_chain(u, p, *row_of_[child], end);
        if (packed) release(child);
    }

    void raise_chain(Node u, Production p, const Row& below, Node end) {
        const auto bucket = index_.bucket(corpus_.first_edge(u));
        for (std::size_t i = 0; i < below.raised_count; ++i) {
            const std::uint32_t rank = below.raised[i];
            const auto found = std::ranges::lower_bound(bucket, rank, {}, &SubsetIndex::Entry::child_rank);
            if (found == bucket.end() || found->child_rank != rank) continue;
            if (index_.member(p, found->rank) >= end) continue;
            if (!row_of_[u]) row_of_[u] = acquire(p);
            Row& row = *row_of_[u];
            const Real higher = decay_ + decay_ * (below.values[rank] - decay_);
            if (higher == decay_) continue;
            row.values[found->rank] = higher;
            row.raised[row.raised_count++] = found->rank;
        }
    }

    void add(Node u, double count, std::size_t columns, Real* values) const {
        const Row& row = *row_of_[u];
        const std::uint32_t begin = index_.group_begin(corpus_.production(u));
        for (std::size_t i = 0; i < row.raised_count; ++i) {
            const std::uint32_t rank = row.raised[i];
            index_.postings().add(begin + rank, columns, (row.values[rank] - decay_) * Real(count), values);
        }
    }

    std::unique_ptr<Row> acquire(Production p) { return pool_.acquire(p, index_.group_size(p)); }
    void pack(Node u) {
        packed_of_[u] = std::make_unique<Packed>(*row_of_[u]);
        release(u);
    }
    // The packed row stays, for other parents.
    void unpack(Node u) {
        const Production p = corpus_.production(u);
        row_of_[u] = pool_.unpack(p, index_.group_size(p), *packed_of_[u]);
    }
    void release(Node u) { pool_.release(corpus_.production(u), std::move(row_of_[u])); }

    const Corpus& corpus_;
    const SubsetIndex& index_;
    const Features& base_;
    const UnaryPaths* paths_;  // null where all chains are short
    const Real decay_;
    SubsetRowPool<Real> pool_;
    std::vector<std::unique_ptr<Row>> row_of_;
    std::vector<std::unique_ptr<Packed>> packed_of_;
    std::vector<std::uint32_t> uses_;  // edges of the tree that still need the row
};

template <class Real>
class SubsetRows final : public Rows<Real> {
public:
    SubsetRows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, unsigned threads)
        : corpus_(corpus), decay_(parameters.decay), paths_(long_paths(corpus, parameters.decay)) {
        both(
            threads, [&] { index_ = SubsetIndex(corpus, columns, paths_ != nullptr); },
            [&] { base_ = base_features(columns, parameters.leaf_weight); });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<SubsetWorker<Real>>(corpus_, index_, base_, paths_.get(), decay_);
    }

private:
    // Chains up to this length are not worth the trouble.
    static constexpr std::uint32_t kLongPath = 64;

    Features base_features(std::size_t columns, double leaf_weight) {
        // Fragments that take part in every pair of equal productions, then leaves by label.
        std::vector<double> weights =
            paths_ ? paths_->edge_weights() : std::vector<double>(corpus_.production_count(), decay_);
        const auto fragments = static_cast<std::uint32_t>(weights.size());
        weights.resize(weights.size() + corpus_.label_count(), leaf_weight);
        return Features(corpus_.tree_count(), columns, std::move(weights), 1, [&](std::size_t tree, auto emit) {
            const auto nodes = corpus_.nodes(tree);
            const auto counts = corpus_.counts(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (corpus_.is_leaf(nodes[i]))
                    emit(fragments + corpus_.label(nodes[i]), counts[i]);
                else if (!paths_)
                    emit(corpus_.production(nodes[i]), counts[i]);
            }
            if (paths_) visit_paths(tree, emit);
        });
    }

    static std::unique_ptr<UnaryPaths> long_paths(const Corpus& corpus, double decay) {
        const auto lengths = UnaryPaths::lengths(corpus);
        if (lengths.empty() || *std::ranges::max_element(lengths) <= kLongPath) return nullptr;
        return std::make_unique<UnaryPaths>(corpus, decay);
    }

    // All edges above the ends of the tree's ways down, with the number of ways.
    template <class Emit>
    void visit_paths(std::size_t tree, Emit emit) {
        const auto nodes = corpus_.nodes(tree);
        const auto counts = corpus_.counts(tree);
        path_count_.resize(paths_->edge_weights().size(), -1.0);
        std::vector<std::uint32_t> edges;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (corpus_.is_leaf(nodes[i])) continue;
            const std::uint32_t end = paths_->edge_of(nodes[i]);
            for (std::uint32_t edge = end; edge != kNone && path_count_[edge] < 0.0; edge = paths_->edge_above(edge)) {
                path_count_[edge] = 0.0;
                edges.push_back(edge);
            }
            path_count_[end] += counts[i];
        }
        // Ascending, so that an edge is complete before it is added to the one above.
        std::ranges::sort(edges);
        for (std::uint32_t edge : edges) {
            emit(edge, path_count_[edge]);
            if (const std::uint32_t above = paths_->edge_above(edge); above != kNone)
                path_count_[above] += path_count_[edge];
            path_count_[edge] = -1.0;
        }
    }

    const Corpus& corpus_;
    double decay_;
    std::unique_ptr<UnaryPaths> paths_;
    SubsetIndex index_;
    Features base_;
    std::vector<double> path_count_;  // scratch: -1 for edges that the tree has not
};

}  // namespace

// C of two nodes for the pairwise algorithms.
template <class Real>
struct SubsetLocal {
    SubsetParameters parameters;

    template <class Lookup>
    Real operator()(Node, Node, std::span<const std::uint32_t> u_children, std::span<const std::uint32_t> v_children,
                    Lookup lookup, const Task&) const {
        if (u_children.empty()) return Real(parameters.leaf_weight);
        Real c(parameters.decay);
        for (std::size_t i = 0; i < u_children.size(); ++i) c *= Real(1.0) + lookup(u_children[i], v_children[i]);
        return c;
    }
};

template <class Real>
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters,
                                        unsigned threads) {
    return std::make_unique<SubsetRows<Real>>(corpus, columns, parameters, threads);
}
template std::unique_ptr<Rows<double>> subset_rows(const Corpus&, std::size_t, SubsetParameters, unsigned);
template std::unique_ptr<Rows<Wide>> subset_rows(const Corpus&, std::size_t, SubsetParameters, unsigned);

template <class Real>
std::unique_ptr<Pairs<Real>> subset_pairs(const Corpus& corpus, SubsetParameters parameters, PairAlgorithm algorithm) {
    // Productions and, after them, the labels of leaves if these count on their own.
    std::vector<std::uint32_t> keys(corpus.node_count());
    for (Node node = 0; node < keys.size(); ++node) {
        keys[node] = corpus.production(node);
        if (parameters.leaf_weight != 0.0 && corpus.is_leaf(node))
            keys[node] = static_cast<std::uint32_t>(corpus.production_count()) + corpus.label(node);
    }
    return std::make_unique<KeyedPairs<Real, SubsetLocal<Real>>>(KeyedTrees(corpus, keys, false), algorithm,
                                                                 SubsetLocal<Real>{parameters});
}
template std::unique_ptr<Pairs<double>> subset_pairs(const Corpus&, SubsetParameters, PairAlgorithm);
template std::unique_ptr<Pairs<Wide>> subset_pairs(const Corpus&, SubsetParameters, PairAlgorithm);

}  // namespace treekernels
