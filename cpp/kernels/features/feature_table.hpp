// Features of trees that can be counted, numbered in order of first use.
//
// A feature is a sequence: its first element, and the rest, which is a number of this table too. So features that share
// an end share its entry, and whatever table knows the rest of a feature finds the feature in one step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/number_index.hpp"
#include "core/memory/room.hpp"
#include "core/trees/count_damping.hpp"

namespace treekernels {

// The first two are no features, but what the others end in: some labels in a row, and some subtrees in a row.
enum class FeatureKind : std::uint8_t {
    labels,
    children,
    path,
    leaf,
    production,
    siblings,
    subtree,
    gram,
    outline,
    window  // a gram of unordered children
};
inline constexpr std::array<const char*, 10> kFeatureNames{"",         "",        "path", "leaf",    "production",
                                                           "siblings", "subtree", "gram", "outline", "window"};

using Feature = std::uint32_t;
inline constexpr Label kNoLabel = kNone - 1;  // where a gram goes beyond the tree

// The features themselves.
class FeatureIndex {
public:
    // `rest` is kNone where there is no more. The first element of `children` is a subtree, and of all others a label.
    Feature find(FeatureKind kind, std::uint32_t first, Feature rest) const {
        return index_.find(hash(kind, first, rest), [&](Feature feature) {
            const Entry& entry = entries_[feature];
            return entry.first == first && entry.rest == rest && entry.kind == kind;
        });
    }
    // It must be new. There is room for it, or nothing changes.
    Feature insert(FeatureKind kind, std::uint32_t first, Feature rest) {
        make_room(entries_, 1);
        index_.make_room();
        entries_.push_back({first, rest, kind});
        const auto feature = static_cast<Feature>(entries_.size() - 1);
        index_.insert(hash(kind, first, rest), feature);
        return feature;
    }

    // For so many features in all.
    void reserve(std::size_t count) {
        entries_.reserve(count);
        index_.make_room(count - std::min(count, entries_.size()));
    }

    std::size_t size() const { return entries_.size(); }
    FeatureKind kind(Feature feature) const { return entries_[feature].kind; }
    std::uint32_t first(Feature feature) const { return entries_[feature].first; }
    Feature rest(Feature feature) const { return entries_[feature].rest; }

private:
    struct Entry {
        std::uint32_t first;
        Feature rest;
        FeatureKind kind;
    };
    static std::uint64_t hash(FeatureKind kind, std::uint32_t first, Feature rest) {
        return mix(mix(hash_secret() ^ static_cast<std::uint64_t>(kind), first), rest);
    }

    std::vector<Entry> entries_;
    NumberIndex index_;
};

// What features weigh, each by itself. Does not change once it is shared.
class FeatureWeights {
public:
    // The features are trees of a DAG: below a root that has the name of the kind, a subtree, a production, a leaf, a
    // path, a parent with two children in a row, or a stem with its base. Throws std::invalid_argument for others.
    FeatureWeights(double unseen, const Dag& keys, std::span<const Node> roots, std::span<const double> weights);

    // kNone for a label that no feature has.
    Label label(std::string_view text) const { return labels_.find_label(text); }
    // kNone for a feature that has no weight of its own, and is the end of none that has.
    Feature find(FeatureKind kind, std::uint32_t first, Feature rest) const { return index_.find(kind, first, rest); }
    double operator[](Feature feature) const { return feature == kNone ? unseen_ : weights_[feature]; }

private:
    friend class FeatureReader;
    Feature intern(FeatureKind kind, std::uint32_t first, Feature rest);

    double unseen_;
    Dag labels_;
    FeatureIndex index_;
    std::vector<double> weights_;  // by feature; that of all others for the ends of some
};

struct FeatureParameters {
    std::array<double, kFeatureNames.size()>
        weights{};                     // by kind: how much its features count, and 0 for those that are left out
    double path_decay = 1.0;           // of each label of a path
    double subtree_decay = 1.0;        // of each inner node of a subtree
    std::uint32_t max_length = kNone;  // labels of a path at most; kNone for any number
    std::uint32_t stem = 2, base = 3;  // of grams: p labels going down, and q children in a row
    CountDamping damping = CountDamping::linear;
    std::shared_ptr<const FeatureWeights> learned{};             // null where all features of a kind weigh the same
    std::shared_ptr<const std::vector<Label>> labels_learned{};  // by label of the corpus at hand; set by resolve()

    double weight(FeatureKind kind) const { return weights[static_cast<std::size_t>(kind)]; }
    bool has(FeatureKind kind) const { return weight(kind) != 0.0; }
    // The kind of grams that there are: those of ordered or of unordered children.
    std::optional<FeatureKind> gram() const {
        if (has(FeatureKind::window)) return FeatureKind::window;
        return has(FeatureKind::gram) ? std::optional(FeatureKind::gram) : std::nullopt;
    }
    std::shared_ptr<const std::vector<bool>> names{};           // which of these labels are names; set by resolve()
    std::shared_ptr<const std::vector<std::uint32_t>> ranks{};  // of these labels as texts; set by resolve()
    // Looks the labels up in the DAG of the trees.
    void resolve(const Dag& dag);
};

// Features with what they weigh in the kernel.
class FeatureTable {
public:
    // The labels are those that the parameters have been resolved for or, where there is a DAG, those of the DAG.
    explicit FeatureTable(FeatureParameters parameters, const Dag* dag = nullptr)
        : parameters_(std::move(parameters)), dag_(dag) {}

    Feature intern(FeatureKind kind, std::uint32_t first, Feature rest) {
        const Feature known = index_.find(kind, first, rest);
        return known == kNone ? insert(kind, first, rest) : known;
    }
    Feature find(FeatureKind kind, std::uint32_t first, Feature rest) const { return index_.find(kind, first, rest); }

    std::size_t size() const { return index_.size(); }
    const FeatureIndex& index() const { return index_; }
    const FeatureParameters& parameters() const { return parameters_; }
    // Whether a label is a word of letters, digits and underscores, which begins with no digit.
    bool is_name(Label label);
    // Sorts labels as texts, so that the order does not depend on how they are numbered.
    void sort(std::span<Label> labels) const;
    bool can_grow(Feature path) const { return lengths_[path] < parameters_.max_length; }
    // What it brings to the kernel for each time that two trees have it; 0 for what is no feature.
    const std::vector<double>& weights() const { return weights_; }
    // Whether it has a learned weight of its own, or is the end of a feature that has.
    bool is_learned(Feature feature) const { return !parameters_.learned || learned_[feature] != kNone; }

private:
    struct Properties {
        double scale = 1.0;        // decay to the power of the labels of a path, or the inner nodes of a subtree
        std::uint32_t length = 1;  // of a path
        Feature learned = kNone;   // its number among the learned weights
    };
    Feature insert(FeatureKind kind, std::uint32_t first, Feature rest);
    Properties properties_of(FeatureKind kind, std::uint32_t first, Feature rest);
    bool decays() const { return parameters_.path_decay != 1.0 || parameters_.subtree_decay != 1.0; }
    double scale(Feature feature) const { return scales_.empty() || feature == kNone ? 1.0 : scales_[feature]; }
    Label learned_label(Label label);

    FeatureParameters parameters_;
    const Dag* dag_;
    FeatureIndex index_;
    // By feature, each of them empty where nobody asks for it: there are millions of features.
    std::vector<double> scales_;
    std::vector<std::uint32_t> lengths_;
    std::vector<Feature> learned_;
    std::vector<double> weights_;
    std::vector<Label> labels_;  // of the DAG, as the learned weights number them
    std::vector<bool> names_;    // by label of the DAG
};

// Trees that stand for features, as `FeatureWeights` reads them. Labels are those of the DAG.
std::vector<Node> feature_keys(const FeatureIndex& index, std::span<const Feature> features, const Dag& labels,
                               std::uint32_t base, Dag& keys);

}  // namespace treekernels
