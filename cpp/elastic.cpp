#include "elastic.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>

#include "elastic_columns.hpp"
#include "failures.hpp"
#include "simd.hpp"

namespace treekernels {

namespace {

// target = base + the sum of the columns.
template <class Real>
inline __attribute__((always_inline)) void sum_vectors(Real* target, const Real* base,
                                                       std::span<const Real* const> columns, std::size_t size) {
    if (columns.size() == 1) {
        for (std::size_t i = 0; i < size; ++i) target[i] = base[i] + columns[0][i];
        return;
    }
    for (std::size_t i = 0; i < size; ++i) target[i] = base[i] + columns[0][i] + columns[1][i];
    for (std::size_t j = 2; j < columns.size(); ++j)
        for (std::size_t i = 0; i < size; ++i) target[i] += columns[j][i];
}
TREEKERNELS_SIMD void sum_columns(double* target, const double* base, std::span<const double* const> columns,
                                  std::size_t size) {
    sum_vectors(target, base, columns, size);
}
void sum_columns(Wide* target, const Wide* base, std::span<const Wide* const> columns, std::size_t size) {
    sum_vectors(target, base, columns, size);
}

// The sum over all pairs of non-empty child subsequences of equal length, without decay, for C given by columns.
template <class Real>
class OrderedSum {
public:
    Real operator()(std::span<const std::uint32_t> rows, std::span<const Real* const> columns, const Task& task) {
        Real total(0.0);
        if (rows.size() == 1 || columns.size() == 1) {
            for (std::uint32_t row : rows)
                for (const Real* column : columns) total += column[row];
            return total;
        }
        switch (columns.size()) {
            case 2:
                return narrow<2>(rows, columns);
            case 3:
                return narrow<3>(rows, columns);
            case 4:
                return narrow<4>(rows, columns);
            case 5:
                return narrow<5>(rows, columns);
            default:
                return any(rows, columns, task);
        }
    }

private:
    // Few columns stay in registers.
    template <std::size_t Columns>
    static Real narrow(std::span<const std::uint32_t> rows, std::span<const Real* const> columns) {
        Real below[Columns];
        for (Real& value : below) value = Real(0.0);
        for (std::uint32_t row : rows) {
            Real ending[Columns];
            ending[0] = columns[0][row];
            for (std::size_t j = 1; j < Columns; ++j) ending[j] = columns[j][row] * (Real(1.0) + below[j - 1]);
            Real in_row(0.0);
            for (std::size_t j = 0; j < Columns; ++j) {
                in_row += ending[j];
                below[j] += in_row;
            }
        }
        return below[Columns - 1];
    }

    Real any(std::span<const std::uint32_t> rows, std::span<const Real* const> columns, const Task& task) {
        below_.assign(columns.size(), Real(0.0));
        for (std::uint32_t row : rows) {
            if (columns.size() > 1024) task.check();
            Real in_row(0.0), diagonal(0.0);
            for (std::size_t j = 0; j < columns.size(); ++j) {
                in_row += columns[j][row] * (Real(1.0) + diagonal);
                diagonal = below_[j];
                below_[j] += in_row;
            }
        }
        return below_.back();
    }

    std::vector<Real> below_;  // the sum of all that ends at or before a column, in the rows so far
};

// The distinct subtrees x of one tree, as lanes of the vectors A(., y).
template <class Real>
class ElasticSweep {
public:
    ElasticSweep(const Corpus& corpus, const ElasticParameters& parameters, bool all_pairs)
        : corpus_(corpus),
          similarity_(*parameters.similarity),
          decay_(parameters.decay),
          all_pairs_(all_pairs),
          lane_(corpus.node_count()),
          class_lanes_(corpus.label_count()),
          inner_lanes_(corpus.label_count()),
          base_of_(corpus.label_count(), nullptr) {}

    // Takes some trees side by side: what is done for each y is then shared among them.
    void load(std::size_t first, std::size_t count) {
        for (const std::uint32_t used : classes_) {
            class_lanes_[used].clear();
            inner_lanes_[used].clear();
        }
        for (const Label used : based_) base_of_[used] = nullptr;
        classes_.clear();
        based_.clear();
        bases_.clear();
        nodes_.clear();
        roots_.clear();
        edges_.clear();
        edge_offset_.assign(1, 0);
        for (std::size_t tree = first; tree < first + count; ++tree) {
            for (Node node : corpus_.nodes(tree)) add_lane(node);
            roots_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
        }
        zeros_.assign(nodes_.size(), Real(0.0));
        load_ancestors();
    }
    // The lanes of the roots of the loaded trees.
    std::span<const std::uint32_t> roots() const { return roots_; }

    // Takes the first steps in turn and calls found(step, A(., y)).
    template <class Found>
    void run(const ElasticColumns& plan, std::size_t step_count, Found found, const Task& task) {
        const std::size_t lanes = nodes_.size();
        constexpr std::size_t kMostBytes = std::size_t{8} << 30;
        if (plan.slot_count() > kMostBytes / sizeof(Real) / lanes)
            throw TooLarge("the elastic tree kernel would need more than 8 GiB for a tree of " + std::to_string(lanes) +
                           " different subtrees; use PartialTreeKernel, or smaller trees");
        if (sums_.size() < plan.slot_count() * lanes) sums_.resize(plan.slot_count() * lanes);
        vectors_.resize(std::max(vectors_.size(), plan.slot_count()));
        const std::uint32_t* child_slot = plan.child_slots();
        std::size_t work = 0;
        for (std::size_t number = 0; number < step_count; ++number) {
            if ((work += lanes) > 4096) {
                task.check();
                work = 0;
            }
            const ElasticStep& step = plan.steps()[number];
            columns_.clear();
            for (std::uint32_t i = 0; i < step.child_count; ++i)
                if (const Real* column = vectors_[*child_slot++]; column != zeros_.data()) columns_.push_back(column);
            const Real* base = base_vector(step.label);
            Real* sum = sums_.data() + step.slot * lanes;
            if (columns_.empty() && base != passing_.data()) {  // many share such a vector
                vectors_[step.slot] = base;
            } else if (columns_.empty()) {
                std::copy_n(base, lanes, sum);
                vectors_[step.slot] = sum;
            } else {
                sum_columns(sum, base, columns_, lanes);
                if (base != zeros_.data()) add_matches(step.label, sum, task);
                vectors_[step.slot] = sum;
            }
            found(number, vectors_[step.slot]);
        }
    }

private:
    static constexpr std::size_t kMostKeptLanes = 1024;

    struct Ancestor {
        std::uint32_t lane;
        double ways;
    };

    std::span<const std::uint32_t> edges(std::uint32_t x) const {
        return {edges_.data() + edge_offset_[x], edges_.data() + edge_offset_[x + 1]};
    }

    void add_lane(Node node) {
        const auto lane = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(node);
        lane_[node] = lane;  // of the tree at hand
        for (Node child : corpus_.children(node)) edges_.push_back(lane_[child]);
        edge_offset_.push_back(edges_.size());
        const std::uint32_t label_class = similarity_.class_of(corpus_.label(node));
        if (class_lanes_[label_class].empty()) classes_.push_back(label_class);
        class_lanes_[label_class].push_back(lane);
        if (!corpus_.is_leaf(node)) inner_lanes_[label_class].push_back(lane);
    }

    // For each lane the lanes above it and the number of ways down from them, unless there are too many.
    void load_ancestors() {
        ancestors_.clear();
        ancestor_offset_.assign(1, 0);
        const std::size_t most = 64 * nodes_.size();
        std::vector<double> ways(nodes_.size(), 0.0);
        std::vector<std::vector<std::uint32_t>> parents(nodes_.size());
        for (std::uint32_t x = 0; x < nodes_.size(); ++x)
            for (std::uint32_t child : edges(x)) parents[child].push_back(x);
        std::vector<std::uint32_t> above;
        for (std::uint32_t lane = 0; lane < nodes_.size(); ++lane) {
            above.assign(1, lane);
            ways[lane] = 1.0;
            // Parents have larger numbers: in ascending order, each ancestor is complete when it is reached.
            for (std::size_t next = 0; next < above.size(); ++next) {
                std::iter_swap(above.begin() + static_cast<std::ptrdiff_t>(next),
                               std::min_element(above.begin() + static_cast<std::ptrdiff_t>(next), above.end()));
                for (std::uint32_t parent : parents[above[next]]) {
                    if (ways[parent] == 0.0) above.push_back(parent);
                    ways[parent] += ways[above[next]];
                }
                if (ancestors_.size() + above.size() > most) {
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

    // The part of A(., y) that a node y has for its label alone. It is kept for the next y with that label, unless the
    // vectors are long and, as may be, many; then it lasts until the next call.
    const Real* base_vector(Label label) {
        if (label == kNone) return zeros_.data();
        if (base_of_[label]) return base_of_[label];
        for_matching(label, class_lanes_,
                     [&](std::uint32_t x, double weight) { raised_.push_back({x, Real(weight)}); });
        const bool none = raised_.empty();
        if (!none && nodes_.size() > kMostKeptLanes) {
            passing_.assign(nodes_.size(), Real(0.0));
            spread(passing_.data());
            return passing_.data();
        }
        based_.push_back(label);
        base_of_[label] = zeros_.data();
        if (none) return zeros_.data();
        auto& base = bases_.emplace_back(nodes_.size(), Real(0.0));
        spread(base.data());
        return base_of_[label] = base.data();
    }

    // The lanes that match a label, with the weight of the match.
    template <class Found>
    void for_matching(Label label, const std::vector<std::vector<std::uint32_t>>& class_lanes, Found found) const {
        if (all_pairs_) {
            for (std::uint32_t x = 0; x < nodes_.size(); ++x) {
                const double similarity = similarity_(corpus_.label(nodes_[x]), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        } else if (similarity_.is_identity()) {
            for (std::uint32_t x : class_lanes[label]) found(x, decay_);
        } else {
            for (std::uint32_t x : class_lanes[similarity_.class_of(label)]) {
                const double similarity = similarity_(corpus_.label(nodes_[x]), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        }
    }

    // What matching children add to C(x, y), for all x, if y has this label.
    void add_matches(Label label, Real* sum, const Task& task) {
        for_matching(label, inner_lanes_, [&](std::uint32_t x, double weight) {
            if (!edges(x).empty()) raise(x, Real(weight) * ordered_(edges(x), columns_, task));
        });
        spread(sum);
    }

    void raise(std::uint32_t x, Real value) {
        if (!(value == Real(0.0))) raised_.push_back({x, value});
    }

    // Adds what has been raised to all lanes above it.
    void spread(Real* sum) {
        if (!ancestor_offset_.empty()) {
            for (const auto& [x, value] : raised_)
                for (std::size_t a = ancestor_offset_[x]; a < ancestor_offset_[x + 1]; ++a)
                    sum[ancestors_[a].lane] += value * Real(ancestors_[a].ways);
        } else if (!raised_.empty()) {
            gathered_.assign(nodes_.size(), Real(0.0));
            for (const auto& [x, value] : raised_) gathered_[x] = value;
            for (std::uint32_t x = 0; x < nodes_.size(); ++x) {
                for (std::uint32_t child : edges(x)) gathered_[x] += gathered_[child];
                sum[x] += gathered_[x];
            }
        }
        raised_.clear();
    }

    const Corpus& corpus_;
    const LabelSimilarity& similarity_;
    const double decay_;
    const bool all_pairs_;
    std::vector<Node> nodes_;  // by lane
    std::vector<std::uint32_t> roots_;
    std::vector<std::uint32_t> lane_;
    std::vector<std::vector<std::uint32_t>> class_lanes_;
    std::vector<std::vector<std::uint32_t>> inner_lanes_;  // without the leaves
    std::vector<std::uint32_t> classes_;
    std::vector<std::size_t> edge_offset_;
    std::vector<std::uint32_t> edges_;
    std::vector<std::size_t> ancestor_offset_;  // empty where the lists would be too long
    std::vector<Ancestor> ancestors_;
    std::vector<const Real*> base_of_;
    std::vector<Label> based_;
    std::deque<std::vector<Real>> bases_;
    std::vector<Real> passing_;
    std::vector<Real> zeros_;
    std::vector<Real> sums_;
    std::vector<const Real*> vectors_;  // by slot: into sums_, bases_ or zeros_
    std::vector<const Real*> columns_;
    std::vector<std::pair<std::uint32_t, Real>> raised_;
    std::vector<Real> gathered_;
    OrderedSum<Real> ordered_;
};

template <class Real>
class ElasticCorpusWorker final : public RowWorker<Real> {
public:
    ElasticCorpusWorker(const Corpus& corpus, const ElasticParameters& parameters, std::span<const Node> list)
        : corpus_(corpus), sweep_(corpus, parameters, false), plan_(corpus, *parameters.similarity), list_(list) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        rows(tree, 1, columns, false, values, 0, task);
    }

    void rows(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
              std::size_t stride, const Task& task) override {
        constexpr std::size_t kManyLanes = 96;  // their vectors should stay in a near cache
        const std::size_t most = columns + (triangle ? count - 1 : 0);
        plan_.see(first, count);
        plan_.plan(list_.first(corpus_.limit(most)), task);
        trees_ = group(most, plan_.steps().size(), [&](std::size_t tree) { return plan_.step_of(corpus_.root(tree)); });
        for (std::size_t done = 0; done < count;) {
            std::size_t some = 1;
            std::size_t lanes = corpus_.nodes(first + done).size();
            while (done + some < count && lanes + corpus_.nodes(first + done + some).size() <= kManyLanes)
                lanes += corpus_.nodes(first + done + some++).size();
            const std::size_t begin = columns + (triangle ? done : 0);
            sweep(first + done, some, begin, triangle, values + done * stride, stride, task);
            done += some;
        }
    }

private:
    void sweep(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
               std::size_t stride, const Task& task) {
        sweep_.load(first, count);
        const auto roots = sweep_.roots();
        for (std::size_t i = 0; i < count; ++i)
            std::fill_n(values + i * stride, columns + (triangle ? i : 0), Real(0.0));
        const auto found = [&](std::size_t step, const Real* sums) {
            for (std::uint32_t column : trees_[step])
                for (std::size_t i = 0; i < count; ++i)
                    if (column < columns + (triangle ? i : 0)) values[i * stride + column] = sums[roots[i]];
        };
        std::size_t step_count = 0;
        for (std::size_t column = 0; column < columns + (triangle ? count - 1 : 0); ++column)
            if (const std::uint32_t step = plan_.step_of(corpus_.root(column)); step != kNone)
                step_count = std::max<std::size_t>(step_count, step + 1);
        sweep_.run(plan_, step_count, found, task);
    }

    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    ElasticColumns plan_;
    std::span<const Node> list_;
    Grouping trees_;  // columns by the step of their root
};

template <class Real>
class ElasticRows final : public Rows<Real> {
public:
    ElasticRows(const Corpus& corpus, std::size_t columns, const ElasticParameters& parameters)
        : corpus_(corpus), parameters_(parameters), list_(corpus.limit(columns)) {
        std::iota(list_.begin(), list_.end(), 0);
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<ElasticCorpusWorker<Real>>(corpus_, parameters_, list_);
    }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
    std::vector<Node> list_;
};

template <class Real>
class ElasticPairWorker final : public PairWorker<Real> {
public:
    ElasticPairWorker(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus),
          sweep_(corpus, parameters, algorithm == PairAlgorithm::quadratic),
          plan_(corpus, *parameters.similarity) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        if (a != loaded_) {
            sweep_.load(a, 1);
            plan_.see(a, 1);
        }
        loaded_ = a;
        plan_.plan(corpus_.nodes(b), task);
        const std::uint32_t last = plan_.step_of(corpus_.root(b));
        Real result(0.0);
        if (last == kNone) return result;
        const std::uint32_t root = sweep_.roots()[0];
        const auto found = [&](std::size_t step, const Real* sums) {
            if (step == last) result = sums[root];
        };
        sweep_.run(plan_, last + 1, found, task);
        return result;
    }

private:
    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    ElasticColumns plan_;
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
