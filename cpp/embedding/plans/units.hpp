// What has to be composed for some trees: units, each the vector of a distinct subtree, and when each is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "embedding/plans/chain_contexts.hpp"
#include "embedding/plans/plan.hpp"

namespace treekernels {

// A number that must not be known for long: forgets all of them at once, in time proportional to how many there are.
class ShortLivedNumbers {
public:
    explicit ShortLivedNumbers(std::size_t size) : number_(size, kNone) {}
    std::uint32_t& operator[](std::uint32_t key) {
        TREEKERNELS_ASSERT(key < number_.size());
        if (number_[key] == kNone) used_.push_back(key);
        return number_[key];
    }
    void clear() {
        for (std::uint32_t key : used_) number_[key] = kNone;
        used_.clear();
    }

private:
    std::vector<std::uint32_t> number_;
    std::vector<std::uint32_t> used_;
};

class UnitCollector {
public:
    // The vector of a subtree, in a place where some chains lead to it.
    struct Unit {
        std::uint64_t first_edge;
        std::uint32_t edges;
        std::uint32_t label;
        double log_bound;
        bool large;
        bool dead;  // the zero vector
    };

    // What happens to a unit, before slots are known.
    struct Event {
        std::uint32_t unit;
        bool is_new;
        double count;
    };

    UnitCollector(const Dag& dag, const PlanParameters& parameters, double label_bound, double growth);

    void clear();
    // Adds the units that a tree needs and the others do not have, and what becomes of them.
    void add_tree(Node root, const Task& task);

    const std::vector<Unit>& units() const { return units_; }
    // What a unit is composed of, with units instead of slots.
    std::span<const Edge> edges_of(std::uint32_t unit) const {
        return {edges_.data() + units_[unit].first_edge, units_[unit].edges};
    }
    // In the order of the trees; those of a tree end at tree_end().
    const std::vector<Event>& events() const { return events_; }
    const std::vector<std::uint64_t>& tree_end() const { return tree_end_; }
    const std::vector<bool>& large_tree() const { return large_tree_; }
    // Twice the label, and one more for that of a head; and how often each is used.
    const std::vector<std::uint32_t>& labels() const { return labels_; }
    const std::vector<std::uint64_t>& label_uses() const { return label_uses_; }

private:
    std::uint32_t number_of(Label label, bool head);
    std::uint32_t& unit_of(Node node, std::uint32_t context);
    bool expands(Node node, std::uint32_t context, std::size_t position, Node child);
    std::uint32_t context_below(Node node, std::uint32_t context, std::size_t position);
    void ensure(Node root, double count);
    std::uint32_t make(Node node, std::uint32_t context);

    const Dag& dag_;
    PlanParameters parameters_;
    double label_log_, growth_log_;
    TreeWalk tree_;
    ProductionKeys production_keys_;
    ShortLivedNumbers label_number_, unit_number_;
    PairMap<std::uint32_t> unit_in_context_;
    ChainContexts contexts_;
    std::vector<Unit> units_;
    std::vector<Edge> edges_;
    std::vector<Event> events_;
    std::vector<std::uint64_t> tree_end_;
    std::vector<bool> large_tree_;
    std::vector<std::uint32_t> labels_;
    std::vector<std::uint64_t> label_uses_;
};

}  // namespace treekernels
