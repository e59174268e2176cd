#include "subset.hpp"

#include <algorithm>

#include "features.hpp"
#include "unary_paths.hpp"

namespace treekernels {

namespace {

// The column subtrees of one production are a group; a subtree's rank is its place in its group. Subtrees that agree in
// the child that tells most are neighbours, since they are raised together.
class SubsetIndex {
public:
    struct Entry {
        std::uint32_t rank;        // of a subtree of the joined production
        std::uint32_t child_rank;  // of its child at the joined position
    };

    // With `by_child`, the bucket of an only child is sorted by that child's rank.
    SubsetIndex(const Corpus& corpus, std::size_t columns, bool by_child) {
        const Node end = corpus.limit(columns);
        find_buckets(corpus, end);
        rank_members(corpus, end);
        fill_buckets(corpus, end, by_child);
        postings_ = Postings(groups_.items.size(), columns, [&](std::size_t tree, auto emit) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (!corpus.is_leaf(nodes[i]))
                    emit(static_cast<std::uint32_t>(groups_.offset[corpus.production(nodes[i])] + rank_[nodes[i]]),
                         counts[i]);
        });
    }

    std::size_t group_size(Production p) const { return groups_.offset[p + 1] - groups_.offset[p]; }
    std::uint32_t group_begin(Production p) const { return static_cast<std::uint32_t>(groups_.offset[p]); }
    Node member(Production p, std::uint32_t rank) const { return groups_.items[groups_.offset[p] + rank]; }
    // The subtrees below `end` that agree with an edge in production, position and the child's production.
    std::span<const Entry> bucket(std::uint64_t edge, Node end) const {
        const std::span<const Entry> whole = bucket(edge);
        if (whole.empty()) return {};
        const Node* first = entry_node_.data() + (whole.data() - entries_.data());
        const Node* last = first + whole.size();
        if (last[-1] < end) return whole;
        return whole.first(static_cast<std::size_t>(std::lower_bound(first, last, end) - first));
    }
    // All of them, by the rank of the child, where the child is the only one.
    std::span<const Entry> bucket(std::uint64_t edge) const {
        const std::uint32_t b = edge_bucket_[edge];
        if (b == kNone) return {};
        return {entries_.data() + bucket_offset_[b], entries_.data() + bucket_offset_[b + 1]};
    }
    const Postings& postings() const { return postings_; }

private:
    struct Key {
        Production parent;
        std::uint32_t position;
        Production child;
        bool operator==(const Key&) const = default;
    };

    // Numbers the triples that occur in columns, and counts their subtrees.
    void find_buckets(const Corpus& corpus, Node end) {
        NumberIndex index;
        std::vector<std::uint64_t> sizes;
        edge_bucket_.assign(corpus.edge_count(), kNone);
        for (Node u = 0; u < corpus.node_count(); ++u) {
            const auto children = corpus.children(u);
            for (std::size_t c = 0; c < children.size(); ++c) {
                if (corpus.is_leaf(children[c])) continue;
                const Key key{corpus.production(u), static_cast<std::uint32_t>(c), corpus.production(children[c])};
                const std::uint64_t hash = mix(mix(mix(0, key.parent), key.position), key.child);
                std::uint32_t bucket = index.find(hash, [&](std::uint32_t b) { return keys_[b] == key; });
                if (bucket == kNone) {
                    if (u >= end) continue;  // no column has it
                    bucket = static_cast<std::uint32_t>(keys_.size());
                    keys_.push_back(key);
                    sizes.push_back(0);
                    index.insert(hash, bucket);
                }
                edge_bucket_[corpus.first_edge(u) + c] = bucket;
                if (u < end) ++sizes[bucket];
            }
        }
        bucket_offset_.assign(sizes.size() + 1, 0);
        for (std::size_t b = 0; b < sizes.size(); ++b) bucket_offset_[b + 1] = bucket_offset_[b] + sizes[b];
    }

    // The position of each production whose buckets have the most pairs of subtrees.
    std::vector<std::uint32_t> telling_positions(const Corpus& corpus) const {
        std::vector<std::uint64_t> slot(corpus.production_count() + 1, 0);
        for (const Key& key : keys_)
            slot[key.parent + 1] = std::max<std::uint64_t>(slot[key.parent + 1], key.position + 1);
        for (std::size_t p = 0; p < corpus.production_count(); ++p) slot[p + 1] += slot[p];
        std::vector<double> pairs(slot.back(), 0.0);
        for (std::size_t b = 0; b < keys_.size(); ++b) {
            const auto size = static_cast<double>(bucket_offset_[b + 1] - bucket_offset_[b]);
            pairs[slot[keys_[b].parent] + keys_[b].position] += size * size;
        }
        std::vector<std::uint32_t> best(corpus.production_count(), kNone);
        for (std::size_t p = 0; p < best.size(); ++p) {
            const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(slot[p]);
            const auto last = pairs.begin() + static_cast<std::ptrdiff_t>(slot[p + 1]);
            if (first != last) best[p] = static_cast<std::uint32_t>(std::max_element(first, last) - first);
        }
        return best;
    }

    void rank_members(const Corpus& corpus, Node end) {
        groups_ = group(end, corpus.production_count(),
                        [&](std::size_t v) { return corpus.production(static_cast<Node>(v)); });
        const std::vector<std::uint32_t> position = telling_positions(corpus);
        rank_.assign(end, kNone);
        for (std::size_t p = 0; p < corpus.production_count(); ++p) {
            const auto begin = groups_.items.begin() + static_cast<std::ptrdiff_t>(groups_.offset[p]);
            const auto last = groups_.items.begin() + static_cast<std::ptrdiff_t>(groups_.offset[p + 1]);
            if (last - begin > 1 && position[p] != kNone)
                std::stable_sort(begin, last, [&](Node a, Node b) {
                    return edge_bucket_[corpus.first_edge(a) + position[p]] <
                           edge_bucket_[corpus.first_edge(b) + position[p]];
                });
            for (auto member = begin; member != last; ++member)
                rank_[*member] = static_cast<std::uint32_t>(member - begin);
        }
    }

    void fill_buckets(const Corpus& corpus, Node end, bool by_child) {
        entries_.resize(bucket_offset_.back());
        entry_node_.resize(bucket_offset_.back());
        std::vector<std::uint64_t> next(bucket_offset_.begin(), bucket_offset_.end() - 1);
        for (Node v = 0; v < end; ++v) {
            const auto children = corpus.children(v);
            for (std::size_t c = 0; c < children.size(); ++c) {
                const std::uint32_t b = edge_bucket_[corpus.first_edge(v) + c];
                if (b == kNone) continue;
                entry_node_[next[b]] = v;
                entries_[next[b]++] = {rank_[v], rank_[children[c]]};
            }
        }
        if (!by_child) return;
        std::vector<bool> done(keys_.size());
        for (Node v = 0; v < end; ++v) {
            if (corpus.children(v).size() != 1) continue;
            const std::uint32_t b = edge_bucket_[corpus.first_edge(v)];
            if (b == kNone || done[b]) continue;
            done[b] = true;
            std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b]),
                      entries_.begin() + static_cast<std::ptrdiff_t>(bucket_offset_[b + 1]),
                      [](const Entry& x, const Entry& y) { return x.child_rank < y.child_rank; });
        }
    }

    Grouping groups_;
    std::vector<std::uint32_t> rank_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> edge_bucket_;
    std::vector<std::uint64_t> bucket_offset_;
    std::vector<Entry> entries_;
    std::vector<Node> entry_node_;  // whose entry it is: ascending in each bucket
    Postings postings_;
};

// C(u, v) for one u and all v of its production, by rank; the decay wherever it is not listed as raised. Where unary
// paths are used, without what the ways down from u and v have in common beyond their first production.
template <class Real>
struct SubsetRow {
    std::vector<Real> values;
    std::vector<std::uint32_t> raised;
    std::size_t raised_count = 0;
};

// The raised values alone: what is kept of a row when memory is short. A node may have a million different children.
template <class Real>
struct PackedRow {
    std::vector<std::uint32_t> ranks;
    std::vector<Real> values;
};

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
          pool_(corpus.production_count()),
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
                else if (row_bytes_ > kRowBudget)
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
                multiply(*row_of_[u], bucket, [&, x = children[c]](std::uint32_t rank) {
                    const double beyond = paths_->beyond_first(x, index_.member(corpus_.production(x), rank));
                    return (child ? child->values[rank] : decay_) + Real(beyond);
                });
            else if (child)
                multiply(*row_of_[u], bucket, [&](std::uint32_t rank) { return child->values[rank]; });
            else
                multiply(*row_of_[u], bucket, [this](std::uint32_t) { return decay_; });
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

    template <class ChildValue>
    void multiply(Row& row, std::span<const SubsetIndex::Entry> bucket, ChildValue child) {
        Real* values = row.values.data();
        std::uint32_t* raised = row.raised.data();
        // Nothing is raised yet: no need to look. (A decay that vanishes beside 1 would not raise anything.)
        if (row.raised_count == 0 && !(Real(1.0) + decay_ == Real(1.0))) {
            for (const auto& entry : bucket) {
                values[entry.rank] = decay_ * (Real(1.0) + child(entry.child_rank));
                *raised++ = entry.rank;
            }
            row.raised_count = bucket.size();
            return;
        }
        std::size_t count = row.raised_count;
        for (const auto& entry : bucket) {
            const Real old = values[entry.rank];
            const Real higher = old * (Real(1.0) + child(entry.child_rank));
            values[entry.rank] = higher;
            raised[count] = entry.rank;
            count += (old == decay_) & !(higher == decay_);
        }
        row.raised_count = count;
    }

    void add(Node u, double count, std::size_t columns, Real* values) const {
        const Row& row = *row_of_[u];
        const std::uint32_t begin = index_.group_begin(corpus_.production(u));
        for (std::size_t i = 0; i < row.raised_count; ++i) {
            const std::uint32_t rank = row.raised[i];
            index_.postings().add(begin + rank, columns, (row.values[rank] - decay_) * Real(count), values);
        }
    }

    std::unique_ptr<Row> acquire(Production p) {
        auto& free = pool_[p];
        if (free.empty()) {
            auto row = std::make_unique<Row>();
            row->values.assign(index_.group_size(p), decay_);
            row->raised.resize(index_.group_size(p) + 1);
            row_bytes_ += row->values.size() * sizeof(Real) + row->raised.size() * sizeof(std::uint32_t);
            return row;
        }
        auto row = std::move(free.back());
        free.pop_back();
        return row;
    }

    void pack(Node u) {
        const Row& row = *row_of_[u];
        auto packed = std::make_unique<Packed>();
        packed->ranks.assign(row.raised.begin(), row.raised.begin() + static_cast<std::ptrdiff_t>(row.raised_count));
        for (std::uint32_t rank : packed->ranks) packed->values.push_back(row.values[rank]);
        packed_of_[u] = std::move(packed);
        release(u);
    }

    // The packed row stays, for other parents.
    void unpack(Node u) {
        const Packed& packed = *packed_of_[u];
        row_of_[u] = acquire(corpus_.production(u));
        Row& row = *row_of_[u];
        row.raised_count = packed.ranks.size();
        for (std::size_t i = 0; i < packed.ranks.size(); ++i) {
            row.raised[i] = packed.ranks[i];
            row.values[packed.ranks[i]] = packed.values[i];
        }
    }

    void release(Node u) {
        auto& row = row_of_[u];
        for (std::size_t i = 0; i < row->raised_count; ++i) row->values[row->raised[i]] = decay_;
        row->raised_count = 0;
        pool_[corpus_.production(u)].push_back(std::move(row));
    }

    const Corpus& corpus_;
    const SubsetIndex& index_;
    const Features& base_;
    const UnaryPaths* paths_;  // null where all chains are short
    const Real decay_;
    std::vector<std::vector<std::unique_ptr<Row>>> pool_;  // rows at rest, by production
    std::vector<std::unique_ptr<Row>> row_of_;
    std::vector<std::unique_ptr<Packed>> packed_of_;
    std::vector<std::uint32_t> uses_;  // edges of the tree that still need the row
    std::size_t row_bytes_ = 0;
};

template <class Real>
class SubsetRows final : public Rows<Real> {
public:
    SubsetRows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters)
        : corpus_(corpus),
          decay_(parameters.decay),
          paths_(long_paths(corpus, parameters.decay)),
          index_(corpus, columns, paths_ != nullptr) {
        // Fragments that take part in every pair of equal productions, then leaves by label.
        std::vector<double> weights =
            paths_ ? paths_->edge_weights() : std::vector<double>(corpus.production_count(), decay_);
        const auto fragments = static_cast<std::uint32_t>(weights.size());
        weights.resize(weights.size() + corpus.label_count(), parameters.leaf_weight);
        base_ = Features(corpus.tree_count(), columns, std::move(weights), [&](std::size_t tree, auto emit) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (corpus.is_leaf(nodes[i]))
                    emit(fragments + corpus.label(nodes[i]), counts[i]);
                else if (!paths_)
                    emit(corpus.production(nodes[i]), counts[i]);
            }
            if (paths_) visit_paths(tree, emit);
        });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<SubsetWorker<Real>>(corpus_, index_, base_, paths_.get(), decay_);
    }

private:
    // Chains up to this length are not worth the trouble.
    static constexpr std::uint32_t kLongPath = 64;

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
std::unique_ptr<Rows<Real>> subset_rows(const Corpus& corpus, std::size_t columns, SubsetParameters parameters) {
    return std::make_unique<SubsetRows<Real>>(corpus, columns, parameters);
}
template std::unique_ptr<Rows<double>> subset_rows(const Corpus&, std::size_t, SubsetParameters);
template std::unique_ptr<Rows<Wide>> subset_rows(const Corpus&, std::size_t, SubsetParameters);

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
