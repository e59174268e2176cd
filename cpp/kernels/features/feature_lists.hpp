// The features that begin at each subtree of a Dag or a Corpus, and how often each does.
//
// What begins at a subtree does not depend on the tree that it is in, so it is listed once for each distinct subtree,
// from what begins at its children. Only grams go beyond the root of a tree: those are listed apart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/errors.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/tree_nodes.hpp"
#include "kernels/features/feature_table.hpp"

namespace treekernels {

class FeatureLists {
public:
    // The labels are those that the parameters have been resolved for or, where there is a DAG, those of the DAG.
    explicit FeatureLists(FeatureParameters parameters, const Dag* dag = nullptr)
        : table_(std::move(parameters), dag), parameters_(table_.parameters()), gram_(parameters_.gram()) {}
    FeatureLists(const FeatureLists&) = delete;
    FeatureLists& operator=(const FeatureLists&) = delete;

    const FeatureTable& table() const { return table_; }
    bool has(Node node) const { return node < places_.size() && places_[node].listed(); }

    // Calls visit(feature, count) for what begins at a subtree and, if it is a whole tree, for what begins above it.
    template <class Visit>
    void visit(Node node, bool whole, Visit visit) const {
        visit_list(places_[node].own, visit);
        if (whole) visit_list(places_[node].above, visit);
    }

    // Lists the features of a subtree, once. Its children must have been listed before.
    template <class Source>
    void list(const Source& source, Node node) {
        if (has(node)) return;
        if (node >= places_.size()) places_.resize(node + std::size_t{1});
        const std::size_t begin = features_.size(), tail = tails_.size();
        try {
            places_[node] = listed(source, node);
        } catch (...) {
            features_.resize(begin);
            counts_.resize(begin);
            tails_.resize(tail);
            throw;
        }
    }

    // The features of a whole tree in order of first use, for `count` to tell how much each counts; valid until the
    // next call.
    std::span<const Feature> count_tree(std::span<const Node> nodes, std::span<const double> node_counts) {
        if (total_.size() < table_.size()) total_.resize(table_.size(), 0.0);
        for (Feature feature : of_tree_) total_[feature] = 0.0;
        of_tree_.clear();
        for (std::size_t i = 0; i < nodes.size(); ++i)
            visit(nodes[i], i + 1 == nodes.size(), [&](Feature feature, double count) {
                if (total_[feature] == 0.0) of_tree_.push_back(feature);
                total_[feature] += node_counts[i] * count;
            });
        return of_tree_;
    }
    double count(Feature feature) const { return damped(total_[feature], parameters_.damping); }
    // After this, to count a tree whose subtrees have been listed cannot fail.
    void make_room_to_count() {
        if (total_.size() < table_.size()) total_.resize(table_.size(), 0.0);
        make_room(of_tree_, table_.size() - of_tree_.size());
    }

private:
    static constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // of 12 bytes each

    struct List {
        std::uint32_t begin = 0, size = 0;
    };
    struct Place {
        List own, above;
        Feature subtree = kNone, outline = kNone;
        std::uint32_t tails = kNone;  // where its lists of the ends of grams are: with a stem of one label, and so on
        bool listed() const { return tails != kNone; }
    };

    template <class Visit>
    void visit_list(List list, Visit visit) const {
        for (std::size_t i = list.begin, end = i + list.size; i < end; ++i) visit(features_[i], counts_[i]);
    }
    // The place of an entry as lists keep it.
    static std::uint32_t entry(std::size_t place) {
        if (place >= kNone) throw TooLarge("the trees have so many features that their lists cannot be numbered");
        return static_cast<std::uint32_t>(place);
    }
    bool has_kind(FeatureKind kind) const { return parameters_.has(kind); }

    template <class Source>
    Place listed(const Source& source, Node node) {
        Place place;
        place.tails = entry(tails_.size());
        const Label label = source.label(node);
        const auto children = source.children(node);
        if (gram_) list_tails(source, node);
        place.own.begin = begin_ = entry(features_.size());
        if (has_kind(FeatureKind::subtree)) {
            Feature rest = kNone;
            for (std::size_t k = children.size(); k-- > 0;)
                rest = table_.intern(FeatureKind::children, places_[children[k]].subtree, rest);
            place.subtree = table_.intern(FeatureKind::subtree, label, rest);
            if (!children.empty()) add(place.subtree, 1.0);
        }
        // A subtree without its names: without leaves that are names, and stand alone below their parents.
        if (has_kind(FeatureKind::outline)) {
            const bool names_only = children.size() == 1 && source.children(children[0]).empty() &&
                                    table_.is_name(source.label(children[0]));
            Feature rest = kNone;
            for (std::size_t k = names_only ? 0 : children.size(); k-- > 0;)
                rest = table_.intern(FeatureKind::children, places_[children[k]].outline, rest);
            place.outline = table_.intern(FeatureKind::outline, label, rest);
            if (rest != kNone) add(place.outline, 1.0);
        }
        if (has_kind(FeatureKind::leaf) && children.empty()) add(table_.intern(FeatureKind::leaf, label, kNone), 1.0);
        if (has_kind(FeatureKind::production) && !children.empty()) {
            Feature rest = kNone;
            for (std::size_t k = children.size(); k-- > 0;)
                rest = table_.intern(FeatureKind::labels, source.label(children[k]), rest);
            add(table_.intern(FeatureKind::production, label, rest), 1.0);
        }
        if (has_kind(FeatureKind::siblings))
            for (std::size_t k = 0; k + 1 < children.size(); ++k) {
                const Feature second = table_.intern(FeatureKind::labels, source.label(children[k + 1]), kNone);
                const Feature both = table_.intern(FeatureKind::labels, source.label(children[k]), second);
                add(table_.intern(FeatureKind::siblings, label, both), 1.0);
            }
        if (has_kind(FeatureKind::path)) {
            add(table_.intern(FeatureKind::path, label, kNone), 1.0);
            for (Node child : children)
                grow(places_[child].own, [&](Feature below) {
                    if (table_.index().kind(below) != FeatureKind::path || !table_.can_grow(below)) return kNone;
                    return table_.intern(FeatureKind::path, label, below);
                });
        }
        if (gram_) {
            const std::uint32_t stem = parameters_.stem;
            const auto whole = [&](Feature below) { return table_.intern(*gram_, label, below); };
            if (stem == 1) add_windows(source, node, *gram_);
            for (Node child : stem == 1 ? std::span<const Node>() : children) grow(tail(child, stem - 1), whole);
            place.own.size = entry(features_.size()) - place.own.begin;
            place.above.begin = begin_ = entry(features_.size());
            // Stems that begin one label, two labels and so on above the root.
            for (std::uint32_t missing = 1; missing < stem; ++missing)
                grow(tails_[place.tails + (stem - missing) - 1], [&](Feature below) {
                    for (std::uint32_t k = 1; k < missing; ++k)
                        below = table_.intern(FeatureKind::labels, kNoLabel, below);
                    return table_.intern(*gram_, kNoLabel, below);
                });
            place.above.size = entry(features_.size()) - place.above.begin;
        } else {
            place.own.size = entry(features_.size()) - place.own.begin;
        }
        return place;
    }

    // The ends of grams that begin at a node, with 1 .. stem - 1 labels of their stem.
    template <class Source>
    void list_tails(const Source& source, Node node) {
        const Label label = source.label(node);
        for (std::uint32_t labels = 1; labels < parameters_.stem; ++labels) {
            begin_ = entry(features_.size());
            if (labels == 1) {
                add_windows(source, node, FeatureKind::labels);
            } else {
                for (Node child : source.children(node))
                    grow(tail(child, labels - 1),
                         [&](Feature below) { return table_.intern(FeatureKind::labels, label, below); });
            }
            tails_.push_back({begin_, entry(features_.size()) - begin_});
        }
    }
    List tail(Node node, std::uint32_t labels) const { return tails_[places_[node].tails + labels - 1]; }

    // A node with each `base` children in a row, which may begin before the first and go on after the last. Of
    // unordered trees, the children are sorted, and one base begins with each of them: after the last comes the first
    // again.
    template <class Source>
    void add_windows(const Source& source, Node node, FeatureKind kind) {
        const auto children = source.children(node);
        const bool ordered = *gram_ == FeatureKind::gram;
        const std::size_t base = parameters_.base, blanks = ordered && !children.empty() ? base - 1 : 0;
        row_.assign(blanks, kNoLabel);
        for (Node child : children) row_.push_back(source.label(child));
        row_.resize(std::max(base, row_.size() + blanks), kNoLabel);
        if (!ordered) {
            table_.sort({row_.data(), children.size()});
            for (std::size_t k = 0; k + 1 < std::min(base, children.size()); ++k) row_.push_back(row_[k]);
        }
        for (std::size_t first = 0; first + base <= row_.size(); ++first) {
            Feature rest = kNone;
            for (std::size_t k = first + base; k-- > first;) rest = table_.intern(FeatureKind::labels, row_[k], rest);
            add(table_.intern(kind, source.label(node), rest), 1.0);
        }
    }

    // Adds what `change` makes of the features of another list, unless that is kNone.
    template <class Change>
    void grow(List list, Change change) {
        if (features_.size() + list.size > kMostEntries)
            throw TooLarge(has_kind(FeatureKind::path)
                               ? "the trees are so deep that their paths would fill the memory: use "
                                 "max_length=20 or so, or prune the trees"
                               : "the trees are so large that their features would fill the memory: "
                                 "prune them");
        for (std::size_t i = list.begin, end = i + list.size; i < end; ++i)
            if (const Feature feature = change(features_[i]); feature != kNone) add(feature, counts_[i]);
    }

    // What a list has twice is one entry of it.
    void add(Feature feature, double count) {
        if (feature >= place_in_list_.size()) place_in_list_.resize(feature + std::size_t{feature} / 2 + 16, 0);
        const std::size_t place = place_in_list_[feature];
        if (place >= begin_ && place < features_.size() && features_[place] == feature) {
            counts_[place] += count;
            return;
        }
        make_room(features_, 1);
        make_room(counts_, 1);
        place_in_list_[feature] = entry(features_.size());
        features_.push_back(feature);
        counts_.push_back(count);
    }

    FeatureTable table_;
    const FeatureParameters& parameters_;
    const std::optional<FeatureKind> gram_;  // the kind of grams that there are
    std::vector<Place> places_;              // by node
    std::vector<Feature> features_;
    std::vector<double> counts_;
    std::vector<List> tails_;
    std::vector<Label> row_;                    // of the children of a node
    std::uint32_t begin_ = 0;                   // of the list that is being made
    std::vector<std::uint32_t> place_in_list_;  // where a feature was last put
    std::vector<double> total_;                 // by feature, 0 for those that the tree has not
    std::vector<Feature> of_tree_;
};

// Those of trees of one DAG, one tree after the other.
class TreeFeatures {
public:
    TreeFeatures(const FeatureParameters& parameters, const Dag& dag) : lists_(parameters, &dag), dag_(dag) {}

    void list(std::span<const Node> nodes) {
        for (Node node : nodes) lists_.list(dag_, node);
    }
    std::span<const Feature> count(const TreeNodes& tree) {
        list(tree.nodes());
        return lists_.count_tree(tree.nodes(), tree.counts());
    }
    // After this, to count a tree of these subtrees cannot fail.
    void make_room(std::span<const Node> nodes) {
        list(nodes);
        lists_.make_room_to_count();
    }
    double count(Feature feature) const { return lists_.count(feature); }
    const FeatureLists& lists() const { return lists_; }
    const FeatureTable& table() const { return lists_.table(); }

private:
    FeatureLists lists_;
    const Dag& dag_;
};

// In how many trees each feature occurs, if in two or more. The features are put into another DAG as keys, as
// `FeatureWeights` reads them.
struct FeatureFrequencies {
    std::vector<Node> keys;
    std::vector<std::uint64_t> counts;
    // In how many classes it occurs, as far as it occurs equally often in them: with p for the shares of the trees of
    // each class that have it, (sum p)^2 / sum p^2. Empty if there are no classes.
    std::vector<double> spreads;
};
// `classes` has the class of each tree, or nothing; trees of a class are side by side.
FeatureFrequencies feature_frequencies(const FeatureParameters& parameters, const Dag& dag, std::span<const Node> roots,
                                       std::span<const std::uint32_t> classes, Dag& keys, const Task& task);

}  // namespace treekernels
