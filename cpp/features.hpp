// Kernels that are dot products of counts: sum over features of weight * count in one tree * count in the other.
//
// The subtree kernel is one (its features are the distinct subtrees), and so is the part of the other kernels
// in which no two children agree (productions for subset trees, labels for partial trees).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "corpus.hpp"
#include "rows.hpp"
#include "tasks.hpp"

namespace treekernels {

// A vector of counts, which float holds exactly, and what it is to be multiplied with.
struct ScaledCounts {
    double weight;
    const float* counts;
};
// Adds all of them to `target`.
void add_scaled(double* target, std::size_t size, std::span<const ScaledCounts> terms);

// In which column trees something occurs, and how often. Most things occur once in one tree, which is kept with the key
// itself; the counts of what occurs in a large part of the trees are also kept as a plain vector.
class Postings {
public:
    Postings() = default;
    // `visit(tree, emit)` calls emit(key, count) for every key of a tree.
    template <class Visit>
    Postings(std::size_t key_count, std::size_t trees, Visit visit) : entry_(key_count) {
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
        offset_.assign(lists, 0);
        for (std::size_t tree = 0; tree < trees; ++tree)
            visit(tree, [&](std::uint32_t key, double) {
                if (entry_[key].list != kSingle) ++offset_[entry_[key].list];
            });
        for (std::size_t list = 1; list < lists; ++list) offset_[list] += offset_[list - 1];
        tree_.resize(offset_.back());
        count_.resize(offset_.back());
        std::vector<std::uint64_t> next(offset_);
        for (std::size_t tree = 0; tree < trees; ++tree) {
            visit(tree, [&](std::uint32_t key, double count) {
                if (entry_[key].list == kSingle) return;
                std::uint64_t& place = next[entry_[key].list - 1];
                tree_[place] = static_cast<std::uint32_t>(tree);
                count_[place++] = count;
            });
        }
        vector_.assign(lists, kNone);
        for (std::uint32_t list = kListed; list < lists; ++list)
            if (offset_[list] - offset_[list - 1] >= std::max<std::size_t>(16, trees / 8)) make_vector(list, trees);
    }

    // The counts of a key by tree, if they are kept as a vector; else null.
    const float* vector(std::uint32_t key) const {
        const std::uint32_t number = vector_[entry_[key].list];
        return number == kNone ? nullptr : vectors_.data() + number * vector_size_;
    }

    // Adds weight * count to the values of all trees below `columns` that have the key.
    template <class Real>
    void add(std::uint32_t key, std::size_t columns, Real weight, Real* values) const {
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

    template <class Real>
    void add_list(std::uint32_t list, std::size_t columns, Real weight, Real* values) const {
        if constexpr (std::is_same_v<Real, double>) {
            if (vector_[list] != kNone) {
                const ScaledCounts term{weight, vectors_.data() + vector_[list] * vector_size_};
                return add_scaled(values, columns, {&term, 1});
            }
        }
        const std::uint32_t* begin = tree_.data() + offset_[list - 1];
        const std::uint32_t* end = tree_.data() + offset_[list];
        if (end[-1] >= columns) end = std::lower_bound(begin, end, columns);
        const double* count = count_.data() + offset_[list - 1];
        for (const std::uint32_t* tree = begin; tree != end; ++tree, ++count) values[*tree] += weight * Real(*count);
    }

    void make_vector(std::uint32_t list, std::size_t trees) {
        for (std::size_t i = offset_[list - 1]; i < offset_[list]; ++i)
            if (static_cast<double>(static_cast<float>(count_[i])) != count_[i]) return;
        vector_size_ = trees;
        vector_[list] = static_cast<std::uint32_t>(vectors_.size() / trees);
        vectors_.resize(vectors_.size() + trees, 0.0F);
        float* vector = vectors_.data() + vectors_.size() - trees;
        for (std::size_t i = offset_[list - 1]; i < offset_[list]; ++i)
            vector[tree_[i]] = static_cast<float>(count_[i]);
    }

    std::vector<Entry> entry_;
    std::vector<std::uint64_t> offset_;  // list k has the places from offset_[k - 1] to offset_[k]
    std::vector<std::uint32_t> tree_;    // ascending in each list
    std::vector<double> count_;
    std::vector<std::uint32_t> vector_;  // of a list, kNone where it has none
    std::vector<float> vectors_;
    std::size_t vector_size_ = 0;
};

class Features {
public:
    Features() = default;
    // `visit(tree, emit)` calls emit(feature, count) for every feature of a tree, perhaps more than once, and for
    // several trees at a time if there are threads; features are numbers below `weights.size()`. Those without weight
    // are left out.
    template <class Visit>
    Features(std::size_t trees, std::size_t columns, std::vector<double> weights, unsigned threads, Visit visit)
        : weight_(std::move(weights)) {
        const std::size_t half = threads < 2 ? trees : trees / 2;
        Lists second;
        both(threads, [&] { lists_ = list(0, half, visit); }, [&] { second = list(half, trees, visit); });
        lists_.append(second);
        postings_ = Postings(weight_.size(), columns, [this](std::size_t tree, auto emit) { this->visit(tree, emit); });
    }

    // One feature for each node, `feature_of(node)`.
    template <class FeatureOf>
    static Features of_nodes(const Corpus& corpus, std::size_t columns, std::vector<double> weights, unsigned threads,
                             FeatureOf feature_of) {
        return Features(corpus.tree_count(), columns, std::move(weights), threads, [&](std::size_t tree, auto emit) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            for (std::size_t i = 0; i < nodes.size(); ++i) emit(feature_of(nodes[i]), counts[i]);
        });
    }

    template <class Real>
    void add_row(std::size_t tree, std::size_t columns, Real* values) const {
        std::vector<ScaledCounts> frequent;
        visit(tree, [&](std::uint32_t feature, double count) {
            const double weight = weight_[feature] * count;
            const float* counts = std::is_same_v<Real, double> ? postings_.vector(feature) : nullptr;
            if (counts)
                frequent.push_back({weight, counts});
            else
                postings_.add(feature, columns, Real(weight), values);
        });
        if constexpr (std::is_same_v<Real, double>) add_scaled(values, columns, frequent);
    }

    // Calls visit(feature, count) for the features of a tree.
    template <class Visit>
    void visit(std::size_t tree, Visit visit) const {
        for (std::size_t i = lists_.offset[tree]; i < lists_.offset[tree + 1]; ++i)
            visit(lists_.feature[i], lists_.count[i]);
    }
    const Postings& postings() const { return postings_; }

private:
    // The features of some trees, ascending in each.
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
                if (weight_[feature] == 0.0) return;
                if (total[feature] == 0.0) lists.feature.push_back(feature);
                total[feature] += count;
            });
            if (!std::is_sorted(lists.feature.begin() + begin, lists.feature.end()))
                std::sort(lists.feature.begin() + begin, lists.feature.end());
            for (auto feature = lists.feature.begin() + begin; feature != lists.feature.end(); ++feature) {
                lists.count.push_back(total[*feature]);
                total[*feature] = 0.0;
            }
            lists.offset.push_back(lists.feature.size());
        }
        return lists;
    }

    std::vector<double> weight_;
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
            void row(std::size_t tree, std::size_t columns, Real* values, const Task&) override {
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
