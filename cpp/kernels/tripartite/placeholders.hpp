// Placeholders: numbers that nodes of a text and of a hypothesis carry, equal ones where the two are linked.
//
// A placeholder is a suffix of the label: NP:1 is the label NP with placeholder 1. A colon that is not followed by
// digits to the end, or has nothing before it, belongs to the label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/corpus.hpp"
#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "gram/pairs/pairwise.hpp"

namespace treekernels {

inline constexpr std::uint64_t kNoPlaceholder = ~std::uint64_t{0};

struct LabelParts {
    std::string_view name;  // with the colon if there is a placeholder: NP: is another name than NP
    std::uint64_t placeholder;
};

// Throws std::invalid_argument for a number that is too long.
LabelParts split_label(std::string_view label);

// The labels of a DAG, taken apart; equal names have equal numbers.
struct SplitLabels {
    explicit SplitLabels(const Dag& dag);
    std::vector<std::uint32_t> name;
    std::vector<std::uint64_t> placeholder;
};

// The numbers of the placeholders of each pair, ascending, one after the other.
struct PlaceholderLists {
    std::vector<std::uint64_t> offset{0};
    std::vector<std::uint64_t> number;
};
PlaceholderLists placeholders_of(const Corpus& texts, const Corpus& hypotheses, const SplitLabels& labels);

// Trees of one side, made ready for comparison. Keys are productions up to a one-to-one renaming of their placeholders.
class AnchoredTrees {
public:
    // `lists` has the placeholders of each tree's pair; a placeholder is known by its place there.
    AnchoredTrees(Corpus corpus, const SplitLabels& labels, const PlaceholderLists& lists, unsigned threads,
                  const Task& task);

    const KeyedTrees& keyed() const { return keyed_; }
    // The same trees, cut wherever a production has a placeholder.
    const Corpus& plain() const { return plain_; }

    // The different placeholders in the production of a node, in order of first use: as many as its key says.
    std::span<const std::uint32_t> slots(std::size_t tree, std::uint32_t local) const {
        return slots_.of(keyed_.begin(tree) + local);
    }

    // A node as the loops that look at many pairs of nodes need it, all in one place.
    struct Place {
        // What tells quickly that two nodes with equal keys have no common neighbours without placeholders.
        std::uint64_t way_up;  // equal ones for nodes that have a plain parent in common; kNoWayUp, kManyWaysUp
        std::uint64_t below;   // no common bits: no child at the same place with the same key
        std::uint64_t slot;    // the first of its production
        std::uint64_t edge;    // to its first child
        std::uint32_t slot_count;
        std::uint32_t edge_count;
        double count;
    };
    static constexpr std::uint64_t kNoWayUp = ~std::uint64_t{0};
    static constexpr std::uint64_t kManyWaysUp = kNoWayUp - 1;
    struct Edge {
        std::uint32_t child;  // kNone for a leaf
        std::uint32_t key;    // of the child; kNone for a leaf
    };

    // One tree, its nodes numbered bottom-up.
    struct View {
        const Place* places;
        const std::uint32_t* slot;
        const Edge* edge;

        std::span<const std::uint32_t> slots(const Place& place) const {
            return {slot + place.slot, slot + place.slot + place.slot_count};
        }
        std::span<const Edge> edges(const Place& place) const {
            return {edge + place.edge, edge + place.edge + place.edge_count};
        }
    };
    View view(std::size_t tree) const {
        return {places_.data() + keyed_.begin(tree), slots_.placeholder.data(), edges_.data()};
    }

    // The following number nodes bottom-up too.
    std::size_t key_count() const { return keys_.slot_count.size(); }
    std::uint32_t key(std::size_t tree, std::uint32_t local) const { return key_[keyed_.begin(tree) + local]; }
    struct Parent {
        std::uint32_t local;
        std::uint32_t position;  // of the child below it
    };
    std::span<const Parent> parents(std::size_t tree, std::uint32_t local) const {
        const std::size_t place = keyed_.begin(tree) + local;
        return {parent_.data() + parent_offset_[place], parent_.data() + parent_offset_[place + 1]};
    }

private:
    struct Slots {
        std::vector<std::uint64_t> offset{0};
        std::vector<std::uint32_t> placeholder;
        std::span<const std::uint32_t> of(std::size_t place) const {
            return {placeholder.data() + offset[place], placeholder.data() + offset[place + 1]};
        }
    };

    struct Keys {
        std::vector<std::uint32_t> of_node;     // of the corpus, kNone for leaves; empty once the trees are made
        std::vector<std::uint32_t> slot_count;  // by key: different placeholders
    };
    static Keys keys_of(const Corpus& corpus, const SplitLabels& labels);
    void find_parents();
    void find_slots(const SplitLabels& labels, const PlaceholderLists& lists);
    void find_places();
    void cut_plain();

    Keys keys_;
    KeyedTrees keyed_;
    Corpus plain_;
    std::vector<std::uint32_t> key_;
    std::vector<Place> places_;
    std::vector<Edge> edges_;
    std::vector<std::uint64_t> parent_offset_;
    std::vector<Parent> parent_;
    Slots slots_;
};

// Sentence pairs, made ready for comparison.
class AnchoredPairs {
public:
    AnchoredPairs(const Dag& dag, std::span<const Node> texts, std::span<const Node> hypotheses, unsigned threads,
                  const Task& task);

    std::size_t count() const { return identity_.size(); }
    // Numbers below the first; equal ones for pairs of equal trees.
    std::size_t identities() const { return identities_; }
    std::uint32_t identity(std::size_t pair) const { return identity_[pair]; }

    std::uint32_t placeholder_count(std::size_t pair) const {
        return static_cast<std::uint32_t>(lists_.offset[pair + 1] - lists_.offset[pair]);
    }
    // The number that a placeholder of a pair has in its labels.
    std::uint64_t placeholder(std::size_t pair, std::uint32_t place) const {
        return lists_.number[lists_.offset[pair] + place];
    }
    const AnchoredTrees& texts() const { return *texts_; }
    const AnchoredTrees& hypotheses() const { return *hypotheses_; }

private:
    PlaceholderLists lists_;
    std::optional<AnchoredTrees> texts_, hypotheses_;  // there once they are made
    std::size_t identities_ = 0;
    std::vector<std::uint32_t> identity_;
};

}  // namespace treekernels
