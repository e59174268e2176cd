// Kernels that are dot products of counts: sum over features of weight * count in one tree * count in the other.
//
// The subtree kernel is one (its features are the distinct subtrees), and so is the part of the other kernels
// in which no two children agree (productions for subset trees, labels for partial trees).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/corpus.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/count_damping.hpp"
#include "gram/interfaces.hpp"

namespace treekernels {

// A vector of small counts, and what it is to be multiplied with.
template <class Sum>
struct ScaledCounts {
    Sum weight;
    const std::uint8_t* counts;
};
// Adds all of them to `target`.
void add_scaled(double* target, std::size_t size, std::span<const ScaledCounts<double>> terms);
void add_scaled(std::uint16_t* target, std::size_t size, std::span<const ScaledCounts<std::uint16_t>> terms);
void add_scaled(std::uint32_t* target, std::size_t size, std::span<const ScaledCounts<std::uint32_t>> terms);
template <class Sum>
inline constexpr bool kHasVectors = std::is_arithmetic_v<Sum>;

// What occurs in more than one of so many trees has its counts kept as a vector: where adding up a vector takes less
// time than going through a list.
inline constexpr std::size_t kVectorOfReals = 8;
inline constexpr std::size_t kVectorOfCounts = 32;

// In which column trees something occurs, and how often. Most things occur once in one tree, which is kept with the key
// itself; the counts of what occurs in a large part of the trees are kept as a plain vector.
class Postings {
public:
    Postings() = default;
    // `visit(tree, emit)` calls emit(key, count) for every key of a tree, once.
    template <class Visit>
    Postings(std::size_t key_count, std::size_t trees, std::size_t vector_share, const Task& task, Visit visit_tree)
        : entry_(key_count) {
        const auto visit = [&](std::size_t tree, auto emit) {
            task.check();
            visit_tree(tree, emit);
        };
        for (std::size_t tree = 0; tree < trees; ++tree) {
            visit(tree, [&](std::uint32_t key, double count) {
                Entry& entry = entry_[key];
                if (entry.tree != kNone || count != 1.0) entry.list = kListed;
                if (entry.tree == kNone) entry.tree = static_cast<std::uint32_t>(tree);
            });
        }
        std::uint32_t lists = kListed;
        for (Entry& entry : entry_)
            if (entry.list == kListed) entry.list = lists++;
        list_.assign(lists, {});
        for (std::size_t tree = 0; tree < trees; ++tree)
            visit(tree, [&](std::uint32_t key, double count) {
                if (entry_[key].list == kSingle) return;
                list_[entry_[key].list].end += count >= 1.0;
                list_[entry_[key].list].more_end += count != 1.0;
            });
        std::uint64_t places = 0, more_places = 0;
        for (List& list : list_) {
            places += std::exchange(list.end, places);
            more_places += std::exchange(list.more_end, more_places);
        }
        tree_.resize(places);
        more_.resize(more_places);
        // The ends move on as the lists are filled.
        for (std::size_t tree = 0; tree < trees; ++tree) {
            visit(tree, [&](std::uint32_t key, double count) {
                if (entry_[key].list == kSingle) return;
                List& list = list_[entry_[key].list];
                if (count >= 1.0) tree_[list.end++] = static_cast<std::uint32_t>(tree);
                const double beyond = count >= 1.0 ? count - 1.0 : count;
                if (count != 1.0) more_[list.more_end++] = {static_cast<std::uint32_t>(tree), beyond};
            });
        }
        for (std::uint32_t list = kListed; list < lists; ++list)
            if (list_[list].end - list_[list - 1].end >= std::max<std::size_t>(16, trees / vector_share))
                make_vector(list, trees);
    }

    bool occurs_below(std::uint32_t key, std::size_t columns) const {
        TREEKERNELS_ASSERT(key < entry_.size());
        return entry_[key].tree < columns;
    }

    // The counts of a key by tree, if they are kept as a vector, but for what `add_beyond` adds; else null.
    const std::uint8_t* vector(std::uint32_t key) const {
        const std::uint32_t number = list_[entry_[key].list].vector;
        return number == kNone ? nullptr : vectors_.data() + number * vector_size_;
    }
    // Adds weight * what the counts are beyond those in the vector of a key.
    template <class Real>
    void add_beyond(std::uint32_t key, std::size_t columns, Real weight, Real* values) const {
        if (!list_[entry_[key].list].is_whole) add_more(entry_[key].list, columns, weight, values);
    }

    // Adds weight * count to the values of all trees below `columns` that have the key.
    template <class Real>
    void add(std::uint32_t key, std::size_t columns, Real weight, Real* values) const {
        TREEKERNELS_ASSERT(key < entry_.size());
        const Entry entry = entry_[key];
        if (entry.tree >= columns) return;
        if (entry.list == kSingle)
            values[entry.tree] += weight;
        else
            add_list(entry.list, columns, weight, values);
    }

private:
    static constexpr std::uint32_t kSingle = 0;
    static constexpr std::uint32_t kListed = 1;
    struct Entry {
        std::uint32_t tree = kNone;  // the first
        std::uint32_t list = kSingle;
    };
    struct List {  // begins where the one before it ends
        std::uint64_t end = 0;
        std::uint64_t more_end = 0;
        std::uint32_t vector = kNone;
        bool is_whole = false;  // whether the vector has all of the counts, or only that there is one
    };
    struct More {
        std::uint32_t tree;
        double count;  // beyond the first, or all of it if that is less than 1
    };

    template <class Real>
    void add_list(std::uint32_t list, std::size_t columns, Real weight, Real* values) const {
        bool done = false;
        if constexpr (kHasVectors<Real>) {
            if (list_[list].vector != kNone) {
                const ScaledCounts<Real> term{weight, vectors_.data() + list_[list].vector * vector_size_};
                add_scaled(values, columns, {&term, 1});
                if (list_[list].is_whole) return;
                done = true;
            }
        }
        const std::uint32_t* end = tree_.data() + list_[list].end;
        for (const std::uint32_t* tree = tree_.data() + list_[list - 1].end; !done && tree != end && *tree < columns;
             ++tree)
            values[*tree] += weight;
        add_more(list, columns, weight, values);
    }
    template <class Real>
    void add_more(std::uint32_t list, std::size_t columns, Real weight, Real* values) const {
        const More* more_end = more_.data() + list_[list].more_end;
        for (const More* more = more_.data() + list_[list - 1].more_end; more != more_end && more->tree < columns;
             ++more)
            values[more->tree] += static_cast<Real>(weight * Real(more->count));
    }

    void make_vector(std::uint32_t list, std::size_t trees) {
        const std::span<const More> more(more_.data() + list_[list - 1].more_end, more_.data() + list_[list].more_end);
        list_[list].is_whole = std::ranges::all_of(more, [](const More& m) {
            return m.count >= 1.0 && m.count + 1.0 <= 255.0 &&
                   m.count == static_cast<double>(static_cast<std::uint8_t>(m.count));
        });
        vector_size_ = trees;
        list_[list].vector = static_cast<std::uint32_t>(vectors_.size() / trees);
        vectors_.resize(vectors_.size() + trees, 0);
        std::uint8_t* vector = vectors_.data() + vectors_.size() - trees;
        for (std::size_t i = list_[list - 1].end; i < list_[list].end; ++i) vector[tree_[i]] = 1;
        if (!list_[list].is_whole) return;
        for (const More& m : more) {
            TREEKERNELS_ASSERT(m.tree < trees && m.count + 1.0 == static_cast<std::uint8_t>(m.count + 1.0));
            vector[m.tree] = static_cast<std::uint8_t>(m.count + 1.0);
        }
    }

    std::vector<Entry> entry_;
    std::vector<List> list_;           // the one numbered kSingle is empty
    std::vector<std::uint32_t> tree_;  // ascending in each list
    std::vector<More> more_;           // also
    std::vector<std::uint8_t> vectors_;
    std::size_t vector_size_ = 0;
};

class Features {
public:
    Features() = default;
    // `visit(tree, emit)` calls emit(feature, count) for every feature of a tree, perhaps more than once (once if
    // counts may be negative), and for several trees at a time if there are threads; features are numbers below
    // `weights.size()`. Those without weight are left out. How often a tree has a feature is added up, and then damped.
    template <class Visit>
    Features(std::size_t trees, std::size_t columns, std::vector<double> weights, std::size_t vector_share,
             unsigned threads, const Task& task, Visit visit_tree, CountDamping damping = CountDamping::linear)
        : weight_(std::move(weights)), damping_(damping) {
        const auto visit = [&](std::size_t tree, auto emit) {
            task.check();
            visit_tree(tree, emit);
        };
        const std::size_t half = threads < 2 ? trees : trees / 2;
        Lists second;
        run_both(threads, [&] { lists_ = list(0, half, visit); }, [&] { second = list(half, trees, visit); });
        lists_.append(second);
        postings_ = Postings(weight_.size(), columns, vector_share, task,
                             [this](std::size_t tree, auto emit) { this->visit(tree, emit); });
    }

    // One feature for each node, `feature_of(node)`.
    template <class FeatureOf>
    static Features of_nodes(const Corpus& corpus, std::size_t columns, std::vector<double> weights, unsigned threads,
                             const Task& task, FeatureOf feature_of) {
        return Features(corpus.tree_count(), columns, std::move(weights), kVectorOfReals, threads, task,
                        [&](std::size_t tree, auto emit) {
                            const auto nodes = corpus.nodes(tree);
                            const auto counts = corpus.counts(tree);
                            for (std::size_t i = 0; i < nodes.size(); ++i) emit(feature_of(nodes[i]), counts[i]);
                        });
    }

    bool empty() const { return lists_.offset.size() == 1; }

    // Adds the dot products of a tree with the first columns.
    template <class Sum>
    void add_row(std::size_t tree, std::size_t columns, Sum* sums) const {
        std::vector<ScaledCounts<Sum>> frequent;
        visit(tree, [&](std::uint32_t feature, double count) {
            if (!postings_.occurs_below(feature, columns)) return;
            if constexpr (std::is_integral_v<Sum>)
                TREEKERNELS_ASSERT(weight_[feature] * count <= std::numeric_limits<Sum>::max());
            const Sum weight = static_cast<Sum>(weight_[feature] * count);
            const std::uint8_t* counts = kHasVectors<Sum> ? postings_.vector(feature) : nullptr;
            if (counts) {
                frequent.push_back({weight, counts});
                postings_.add_beyond(feature, columns, weight, sums);
            } else {
                postings_.add(feature, columns, weight, sums);
            }
        });
        if constexpr (kHasVectors<Sum>) add_scaled(sums, columns, frequent);
    }

    // The largest sum of squared counts of a tree. Without weights, no dot product of two trees is larger.
    double largest_square() const {
        double largest = 0.0;
        for (std::size_t tree = 0; tree + 1 < lists_.offset.size(); ++tree) {
            double square = 0.0;
            visit(tree, [&](std::uint32_t, double count) { square += count * count; });
            largest = std::max(largest, square);
        }
        return largest;
    }

    // Calls visit(feature, count) for the features of a tree.
    template <class Visit>
    void visit(std::size_t tree, Visit visit) const {
        for (std::size_t i = lists_.offset[tree]; i < lists_.offset[tree + 1]; ++i)
            visit(lists_.feature[i], lists_.count[i]);
    }
    const Postings& postings() const { return postings_; }

private:
    // The features of some trees, in the order in which they are first met.
    struct Lists {
        std::vector<std::uint64_t> offset{0};
        std::vector<std::uint32_t> feature;
        std::vector<double> count;

        void append(const Lists& other) {
            const std::uint64_t end = offset.back();
            for (std::size_t tree = 1; tree < other.offset.size(); ++tree) offset.push_back(end + other.offset[tree]);
            feature.insert(feature.end(), other.feature.begin(), other.feature.end());
            count.insert(count.end(), other.count.begin(), other.count.end());
        }
    };

    template <class Visit>
    Lists list(std::size_t first, std::size_t last, Visit visit) const {
        Lists lists;
        std::vector<double> total(first < last ? weight_.size() : 0, 0.0);
        for (std::size_t tree = first; tree < last; ++tree) {
            const auto begin = static_cast<std::ptrdiff_t>(lists.feature.size());
            visit(tree, [&](std::uint32_t feature, double count) {
                TREEKERNELS_ASSERT(feature < weight_.size());
                if (weight_[feature] == 0.0) return;
                if (total[feature] == 0.0) lists.feature.push_back(feature);
                total[feature] += count;
            });
            for (auto feature = lists.feature.begin() + begin; feature != lists.feature.end(); ++feature) {
                lists.count.push_back(damped(total[*feature], damping_));
                total[*feature] = 0.0;
            }
            lists.offset.push_back(lists.feature.size());
        }
        return lists;
    }

    std::vector<double> weight_;
    CountDamping damping_ = CountDamping::linear;
    Lists lists_;
    Postings postings_;
};

// Rows of a kernel that is nothing but features.
template <class Real>
class FeatureRows final : public Rows<Real> {
public:
    explicit FeatureRows(Features features) : features_(std::move(features)) {}

    std::unique_ptr<RowWorker<Real>> worker() const override {
        struct Worker final : RowWorker<Real> {
            explicit Worker(const Features& features) : features(features) {}
            void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
                task.check();
                std::fill(values, values + columns, Real(0.0));
                features.add_row(tree, columns, values);
            }
            const Features& features;
        };
        return std::make_unique<Worker>(features_);
    }

private:
    Features features_;
};

}  // namespace treekernels
