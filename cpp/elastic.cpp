#include "elastic.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "failures.hpp"
#include "partial.hpp"
#include "simd.hpp"

namespace treekernels {

namespace {

// Which vector holds A(., y), for a list of subtrees y that is visited in ascending order.
class Slots {
public:
    explicit Slots(const Corpus& corpus)
        : corpus_(corpus), slot_(corpus.node_count()), last_parent_(corpus.node_count()) {}

    void plan(std::span<const Node> list) {
        for (Node y : list) {
            last_parent_[y] = y;  // children come first, so parents overwrite it
            for (Node child : corpus_.children(y)) last_parent_[child] = y;
        }
        free_.clear();
        count_ = 0;
        for (Node y : list) {
            if (free_.empty()) {
                slot_[y] = count_++;
            } else {
                slot_[y] = free_.back();
                free_.pop_back();
            }
            // A child that occurs twice must be given back once.
            for (Node child : corpus_.children(y)) give_back(child, y);
            if (last_parent_[y] == y) free_.push_back(slot_[y]);
        }
    }
    std::size_t count() const { return count_; }
    std::size_t operator[](Node y) const { return slot_[y]; }

private:
    void give_back(Node child, Node parent) {
        if (last_parent_[child] != parent) return;
        free_.push_back(slot_[child]);
        last_parent_[child] = kNone;
    }

    const Corpus& corpus_;
    std::vector<std::size_t> slot_;
    std::vector<Node> last_parent_;
    std::vector<std::size_t> free_;
    std::size_t count_ = 0;
};

TREEKERNELS_SIMD void add_to(double* target, const double* source, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) target[i] += source[i];
}
void add_to(Wide* target, const Wide* source, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) target[i] += source[i];
}

// The distinct subtrees x of one tree as lanes of the vectors A(., y).
template <class Real>
class ElasticSweep {
public:
    ElasticSweep(const Corpus& corpus, const ElasticParameters& parameters, bool all_pairs)
        : corpus_(corpus),
          similarity_(*parameters.similarity),
          decay_(parameters.decay),
          all_pairs_(all_pairs),
          lane_(corpus.node_count()),
          class_lanes_(corpus.label_count()) {}

    void load(std::size_t tree) {
        for (const std::uint32_t used : classes_) class_lanes_[used].clear();
        classes_.clear();
        nodes_ = corpus_.nodes(tree);
        for (std::uint32_t lane = 0; lane < nodes_.size(); ++lane) {
            lane_[nodes_[lane]] = lane;
            const std::uint32_t label_class = similarity_.class_of(corpus_.label(nodes_[lane]));
            if (class_lanes_[label_class].empty()) classes_.push_back(label_class);
            class_lanes_[label_class].push_back(lane);
        }
        load_edges();
        load_ancestors();
    }

    // Visits the list in order and calls found(y, A(root of the loaded tree, y)).
    template <class Found>
    void run(std::span<const Node> list, const Slots& slots, Found found, const Task& task) {
        const std::size_t lanes = nodes_.size();
        constexpr std::size_t kMostBytes = std::size_t{8} << 30;
        if (slots.count() > kMostBytes / sizeof(Real) / lanes)
            throw TooLarge("the elastic tree kernel would need more than 8 GiB for a tree of " + std::to_string(lanes) +
                           " different subtrees; use PartialTreeKernel, or smaller trees");
        if (sums_.size() < slots.count() * lanes) sums_.resize(slots.count() * lanes);
        std::size_t work = 0;
        for (Node y : list) {
            if ((work += lanes) > 4096) {
                task.check();
                work = 0;
            }
            Real* sum = sums_.data() + slots[y] * lanes;
            matches_.clear();
            match(y, slots, task);
            // All of the children's vectors are read before this one's is written: none shares its slot.
            std::fill(sum, sum + lanes, Real(0.0));
            for (Node child : corpus_.children(y)) add_to(sum, sums_.data() + slots[child] * lanes, lanes);
            spread(sum);
            found(y, sum[lanes - 1]);
        }
    }

private:
    void load_edges() {
        edge_offset_.assign(1, 0);
        edges_.clear();
        for (Node x : nodes_) {
            for (Node child : corpus_.children(x)) edges_.push_back(lane_[child]);
            edge_offset_.push_back(edges_.size());
        }
    }

    // For each lane the lanes above it and the number of ways down from them, unless there are too many.
    void load_ancestors() {
        ancestors_.clear();
        ancestor_offset_.assign(1, 0);
        const std::size_t most = 64 * nodes_.size();
        std::vector<double>& ways = ways_;
        ways.assign(nodes_.size(), 0.0);
        parents_.assign(nodes_.size(), {});
        for (std::uint32_t x = 0; x < nodes_.size(); ++x)
            for (std::size_t e = edge_offset_[x]; e < edge_offset_[x + 1]; ++e) parents_[edges_[e]].push_back(x);
        std::vector<std::uint32_t> above;
        for (std::uint32_t lane = 0; lane < nodes_.size(); ++lane) {
            above.assign(1, lane);
            ways[lane] = 1.0;
            // Parents have larger numbers: visiting ancestors in ascending order, each is complete when it is reached.
            for (std::size_t next = 0; next < above.size(); ++next) {
                std::ranges::nth_element(above.begin() + static_cast<std::ptrdiff_t>(next),
                                         above.begin() + static_cast<std::ptrdiff_t>(next), above.end());
                for (std::uint32_t parent : parents_[above[next]]) {
                    if (ways[parent] == 0.0) above.push_back(parent);
                    ways[parent] += ways[above[next]];
                }
                if (ancestors_.size() + above.size() > most) {
                    ancestors_.clear();
                    ancestor_offset_.clear();
                    return;
                }
            }
            for (std::uint32_t x : above) {
                ancestors_.push_back({x, ways[x]});
                ways[x] = 0.0;
            }
            ancestor_offset_.push_back(ancestors_.size());
        }
    }

    // Finds C(x, y) of all x that match y.
    void match(Node y, const Slots& slots, const Task& task) {
        const Label label = corpus_.label(y);
        const auto try_lane = [&](std::uint32_t x) {
            const double similarity = similarity_(corpus_.label(nodes_[x]), label);
            if (similarity == 0.0) return;
            matches_.push_back({x, Real(similarity * decay_) * (Real(1.0) + children_sum(x, y, slots, task))});
        };
        if (all_pairs_) {
            for (std::uint32_t x = 0; x < nodes_.size(); ++x) try_lane(x);
        } else {
            for (std::uint32_t x : class_lanes_[similarity_.class_of(label)]) try_lane(x);
        }
    }

    Real children_sum(std::uint32_t x, Node y, const Slots& slots, const Task& task) {
        const auto y_children = corpus_.children(y);
        const std::uint32_t* x_child = edges_.data() + edge_offset_[x];
        const std::size_t rows = edge_offset_[x + 1] - edge_offset_[x];
        const std::size_t lanes = nodes_.size();
        const auto value = [&](std::size_t i, std::size_t j) {
            return sums_[slots[y_children[j]] * lanes + x_child[i]];
        };
        if (rows == 0 || y_children.empty()) return Real(0.0);
        if (rows == 1 || y_children.size() == 1) {
            Real total(0.0);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < y_children.size(); ++j) total += value(i, j);
            return total;
        }
        return subsequences_(rows, y_children.size(), 1.0, value, task);
    }

    // Adds each C(x, y) to all lanes above x.
    void spread(Real* sum) {
        if (matches_.empty()) return;
        if (!ancestor_offset_.empty()) {
            for (const auto& [x, value] : matches_)
                for (std::size_t a = ancestor_offset_[x]; a < ancestor_offset_[x + 1]; ++a)
                    sum[ancestors_[a].lane] += value * Real(ancestors_[a].ways);
            return;
        }
        gathered_.assign(nodes_.size(), Real(0.0));
        for (const auto& [x, value] : matches_) gathered_[x] = value;
        for (std::size_t x = 0; x < nodes_.size(); ++x) {
            for (std::size_t e = edge_offset_[x]; e < edge_offset_[x + 1]; ++e) gathered_[x] += gathered_[edges_[e]];
            sum[x] += gathered_[x];
        }
    }

    struct Ancestor {
        std::uint32_t lane;
        double ways;
    };
    struct MatchedLane {
        std::uint32_t lane;
        Real value;
    };

    const Corpus& corpus_;
    const LabelSimilarity& similarity_;
    const double decay_;
    const bool all_pairs_;
    std::span<const Node> nodes_;
    std::vector<std::uint32_t> lane_;
    std::vector<std::vector<std::uint32_t>> class_lanes_;
    std::vector<std::uint32_t> classes_;
    std::vector<std::size_t> edge_offset_;
    std::vector<std::uint32_t> edges_;
    std::vector<std::vector<std::uint32_t>> parents_;
    std::vector<double> ways_;
    std::vector<std::size_t> ancestor_offset_;  // empty where the lists would be too long
    std::vector<Ancestor> ancestors_;
    std::vector<Real> sums_;
    std::vector<MatchedLane> matches_;
    std::vector<Real> gathered_;
    SubsequenceSum<Real> subsequences_;
};

template <class Real>
class ElasticCorpusWorker final : public RowWorker<Real> {
public:
    ElasticCorpusWorker(const Corpus& corpus, const ElasticParameters& parameters, std::span<const Node> list,
                        const Slots& slots, const Grouping& trees_of_root)
        : corpus_(corpus), sweep_(corpus, parameters, false), list_(list), slots_(slots), trees_(trees_of_root) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        sweep_.load(tree);
        const auto found = [&](Node y, Real sum) {
            for (std::uint32_t column : trees_[y])
                if (column < columns) values[column] = sum;
        };
        sweep_.run(list_.first(corpus_.limit(columns)), slots_, found, task);
    }

private:
    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    std::span<const Node> list_;
    const Slots& slots_;
    const Grouping& trees_;
};

template <class Real>
class ElasticRows final : public Rows<Real> {
public:
    ElasticRows(const Corpus& corpus, std::size_t columns, const ElasticParameters& parameters)
        : corpus_(corpus), parameters_(parameters), list_(corpus.limit(columns)), slots_(corpus) {
        std::iota(list_.begin(), list_.end(), 0);
        slots_.plan(list_);
        trees_of_root_ = group(columns, corpus.node_count(), [&](std::size_t tree) { return corpus.root(tree); });
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<ElasticCorpusWorker<Real>>(corpus_, parameters_, list_, slots_, trees_of_root_);
    }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
    std::vector<Node> list_;
    Slots slots_;
    Grouping trees_of_root_;
};

template <class Real>
class ElasticPairWorker final : public PairWorker<Real> {
public:
    ElasticPairWorker(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus), sweep_(corpus, parameters, algorithm == PairAlgorithm::quadratic), slots_(corpus) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        if (a != loaded_) sweep_.load(a);
        loaded_ = a;
        const auto list = corpus_.nodes(b);
        slots_.plan(list);
        Real result(0.0);
        sweep_.run(
            list, slots_, [&](Node, Real sum) { result = sum; }, task);
        return result;
    }

private:
    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    Slots slots_;
    std::size_t loaded_ = static_cast<std::size_t>(-1);
};

template <class Real>
class ElasticPairs final : public Pairs<Real> {
public:
    ElasticPairs(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus), parameters_(parameters), algorithm_(algorithm) {}

    std::unique_ptr<PairWorker<Real>> worker() const override {
        return std::make_unique<ElasticPairWorker<Real>>(corpus_, parameters_, algorithm_);
    }
    // The sweep looks after its memory itself.
    double self_memory(std::size_t) const override { return 0.0; }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
    PairAlgorithm algorithm_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> elastic_rows(const Corpus& corpus, std::size_t columns,
                                         const ElasticParameters& parameters) {
    return std::make_unique<ElasticRows<Real>>(corpus, columns, parameters);
}
template std::unique_ptr<Rows<double>> elastic_rows(const Corpus&, std::size_t, const ElasticParameters&);
template std::unique_ptr<Rows<Wide>> elastic_rows(const Corpus&, std::size_t, const ElasticParameters&);

template <class Real>
std::unique_ptr<Pairs<Real>> elastic_pairs(const Corpus& corpus, const ElasticParameters& parameters,
                                           PairAlgorithm algorithm) {
    return std::make_unique<ElasticPairs<Real>>(corpus, parameters, algorithm);
}
template std::unique_ptr<Pairs<double>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);
template std::unique_ptr<Pairs<Wide>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);

}  // namespace treekernels
