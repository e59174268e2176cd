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

namespace treekernels {

// In which column trees something occurs, and how often. Trees ascend.
class Postings {
public:
    struct Range {
        const std::uint32_t* tree;
        const double* count;
        std::size_t size;
    };

    Postings() = default;
    // `visit(tree, emit)` calls emit(key, count) for every key of a tree.
    template <class Visit>
    Postings(std::size_t key_count, std::size_t trees, Visit visit) : offset_(key_count + 1, 0) {
        for (std::size_t tree = 0; tree < trees; ++tree)
            visit(tree, [&](std::uint32_t key, double) { ++offset_[key + 1]; });
        for (std::size_t key = 0; key < key_count; ++key) offset_[key + 1] += offset_[key];
        tree_.resize(offset_[key_count]);
        count_.resize(offset_[key_count]);
        std::vector<std::uint64_t> next(offset_.begin(), offset_.end() - 1);
        for (std::size_t tree = 0; tree < trees; ++tree) {
            visit(tree, [&](std::uint32_t key, double count) {
                tree_[next[key]] = static_cast<std::uint32_t>(tree);
                count_[next[key]++] = count;
            });
        }
    }

    // The trees below `columns` that have the key.
    Range find(std::uint32_t key, std::size_t columns) const {
        const std::uint32_t* begin = tree_.data() + offset_[key];
        const std::uint32_t* end = tree_.data() + offset_[key + 1];
        // Most keys are in few trees, or all of their trees are wanted.
        if (begin != end && end[-1] >= columns)
            end = end - begin < 8 ? std::find_if(begin, end, [&](std::uint32_t tree) { return tree >= columns; })
                                  : std::lower_bound(begin, end, columns);
        return {begin, count_.data() + offset_[key], static_cast<std::size_t>(end - begin)};
    }

    template <class Real>
    void add(std::uint32_t key, std::size_t columns, Real weight, Real* values) const {
        const Range range = find(key, columns);
        for (std::size_t i = 0; i < range.size; ++i) values[range.tree[i]] += weight * Real(range.count[i]);
    }

private:
    std::vector<std::uint64_t> offset_;
    std::vector<std::uint32_t> tree_;
    std::vector<double> count_;
};

class Features {
public:
    Features() = default;
    // `feature_of(node)` is a number below `weights.size()`, or kNone for a node that does not count.
    template <class FeatureOf>
    Features(const Corpus& corpus, std::size_t columns, std::vector<double> weights, FeatureOf feature_of)
        : weight_(std::move(weights)) {
        std::vector<double> total(weight_.size(), 0.0);
        for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            const std::size_t begin = feature_.size();
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const std::uint32_t feature = feature_of(nodes[i]);
                if (feature == kNone || weight_[feature] == 0.0) continue;
                if (total[feature] == 0.0) feature_.push_back(feature);
                total[feature] += counts[i];
            }
            std::sort(feature_.begin() + static_cast<std::ptrdiff_t>(begin), feature_.end());
            for (std::size_t i = begin; i < feature_.size(); ++i) {
                count_.push_back(total[feature_[i]]);
                total[feature_[i]] = 0.0;
            }
            tree_offset_.push_back(feature_.size());
        }
        postings_ = Postings(weight_.size(), columns, [this](std::size_t tree, auto emit) {
            for (std::size_t i = tree_offset_[tree]; i < tree_offset_[tree + 1]; ++i) emit(feature_[i], count_[i]);
        });
    }

    template <class Real>
    void add_row(std::size_t tree, std::size_t columns, Real* values) const {
        visit(tree, [&](std::uint32_t feature, double count) {
            postings_.add(feature, columns, Real(weight_[feature] * count), values);
        });
    }

    // Calls visit(feature, count) for the features of a tree.
    template <class Visit>
    void visit(std::size_t tree, Visit visit) const {
        for (std::size_t i = tree_offset_[tree]; i < tree_offset_[tree + 1]; ++i) visit(feature_[i], count_[i]);
    }
    const Postings& postings() const { return postings_; }

private:
    std::vector<double> weight_;
    std::vector<std::uint64_t> tree_offset_{0};
    std::vector<std::uint32_t> feature_;
    std::vector<double> count_;
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
