#include "embedding/plans/units.hpp"

#include <algorithm>
#include <cmath>

namespace treekernels {

namespace {

// Elements up to this power of two are composed without looking at them. Even float32 has room for more.
constexpr double kLargeLog = 60.0;
constexpr double kLargeSumLog = 100.0;

}  // namespace

UnitCollector::UnitCollector(const Dag& dag, const PlanParameters& parameters, double label_bound, double growth)
    : dag_(dag),
      parameters_(parameters),
      label_log_(std::log2(label_bound)),
      growth_log_(std::log2(growth)),
      tree_(dag),
      production_keys_(dag),
      label_number_(2 * dag.label_count()),
      unit_number_(dag.size()),
      contexts_(parameters.kept && parameters.link_length > 2 ? parameters.link_length - 2 : 0) {}

void UnitCollector::clear() {
    label_number_.clear();
    unit_number_.clear();
    unit_in_context_.clear();
    contexts_.clear();
    units_.clear();
    edges_.clear();
    events_.clear();
    tree_end_.clear();
    large_tree_.clear();
    labels_.clear();
    label_uses_.clear();
}

std::uint32_t UnitCollector::number_of(Label label, bool head) {
    const std::uint32_t key = 2 * label + (head && parameters_.own_heads ? 1 : 0);
    std::uint32_t& number = label_number_[key];
    if (number == kNone) {
        number = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back(key);
        label_uses_.push_back(0);
    }
    ++label_uses_[number];
    return number;
}

std::uint32_t& UnitCollector::unit_of(Node node, std::uint32_t context) {
    if (context == 0) return unit_number_[node];
    return unit_in_context_.try_emplace({node, context}, kNone).first->second;
}

// Whether a fragment that got to `node` in this context may take in what is below this child.
bool UnitCollector::expands(Node node, std::uint32_t context, std::size_t position, Node child) {
    if (dag_.is_leaf(child)) return false;
    if (!parameters_.kept) return true;
    if (!parameters_.kept->contains(with_production(kNoChain, production_keys_(child)))) return false;
    if (parameters_.link_length < 2) return true;
    const std::uint64_t here = with_production(contexts_.chain(context), production_keys_(node));
    return parameters_.kept->contains(with_production(with_position(here, position), production_keys_(child)));
}

std::uint32_t UnitCollector::context_below(Node node, std::uint32_t context, std::size_t position) {
    if (!parameters_.kept || parameters_.link_length <= 2) return 0;
    return contexts_.extend(context, production_keys_(node), position);
}

// Makes the unit of an inner node, as the root of fragments, and what it is composed of, unless they are there.
void UnitCollector::ensure(Node root, double count) {
    struct Open {
        Node node;
        std::uint32_t context;
        std::uint32_t next;
    };
    if (const std::uint32_t known = unit_of(root, 0); known != kNone) {
        if (!units_[known].dead) events_.push_back({known, false, count});
        return;
    }
    std::vector<Open> stack{{root, 0, 0}};
    while (!stack.empty()) {
        auto& [node, context, next] = stack.back();
        const auto children = dag_.children(node);
        std::uint32_t missing = kNone, below = 0;
        for (; next < children.size() && missing == kNone; ++next) {
            if (!expands(node, context, next, children[next])) continue;
            below = context_below(node, context, next);
            if (unit_of(children[next], below) == kNone) missing = next;
        }
        if (missing != kNone) {
            stack.push_back({children[missing], below, 0});
            continue;
        }
        const bool is_root = stack.size() == 1;
        const std::uint32_t unit = make(node, context);
        unit_of(node, context) = unit;
        if (!units_[unit].dead) events_.push_back({unit, true, is_root ? count : 0.0});
        stack.pop_back();
    }
}

std::uint32_t UnitCollector::make(Node node, std::uint32_t context) {
    const bool subset = parameters_.fragments == Fragments::subset;
    const double weight_log = std::log2(parameters_.weight);
    const std::uint64_t first_edge = edges_.size();
    Unit unit{first_edge, 0, 0, label_log_, false, false};
    double largest = label_log_;
    unit.dead = parameters_.kept && !parameters_.kept->contains(with_production(kNoChain, production_keys_(node)));
    const auto children = dag_.children(node);
    for (std::size_t position = 0; position < children.size() && !unit.dead; ++position) {
        const Node child = children[position];
        Edge edge{kNone, kNone};
        if (expands(node, context, position, child)) {
            edge.slot = unit_of(child, context_below(node, context, position));
            if (units_[edge.slot].dead) edge.slot = kNone;
        }
        if (subset || dag_.is_leaf(child))
            edge.label = number_of(dag_.label(child), false);
        else if (edge.slot == kNone)
            unit.dead = true;  // a whole subtree with a part that is not kept
        double log = edge.label == kNone ? -1e300 : label_log_;
        if (edge.slot != kNone) {
            const Unit& below = units_[edge.slot];
            const double scaled = below.log_bound + weight_log;
            log = std::max(log, scaled) + std::log2(1.0 + std::exp2(-std::abs(log - scaled)));
            unit.large = unit.large || below.large;
        }
        unit.log_bound += log + growth_log_;
        largest = std::max({largest, unit.log_bound, log});
        edges_.push_back(edge);
    }
    if (unit.dead) {
        edges_.resize(first_edge);
    } else {
        unit.label = number_of(dag_.label(node), true);
        unit.large = unit.large || largest > kLargeLog;
    }
    unit.edges = static_cast<std::uint32_t>(edges_.size() - first_edge);
    units_.push_back(unit);
    return static_cast<std::uint32_t>(units_.size() - 1);
}

void UnitCollector::add_tree(Node root, const Task& task) {
    tree_.walk(root, task);
    const std::size_t first_event = events_.size();
    const bool whole = parameters_.fragments == Fragments::whole;
    for (std::size_t place = 0; place < tree_.nodes().size(); ++place) {
        const Node node = tree_.nodes()[place];
        if (dag_.is_leaf(node)) continue;
        const bool counts = !whole || place + 1 == tree_.nodes().size();
        if (!counts && unit_of(node, 0) != kNone) continue;
        ensure(node, counts ? tree_.count(place) : 0.0);
        if (place % 4096 == 0) task.check();
    }
    bool large = false;
    const double terms_log = std::log2(static_cast<double>(events_.size() - first_event) + 1.0);
    for (std::size_t at = first_event; at < events_.size(); ++at) {
        const Unit& unit = units_[events_[at].unit];
        large = large || unit.large || unit.log_bound + std::log2(events_[at].count + 1.0) + terms_log > kLargeSumLog;
    }
    tree_end_.push_back(events_.size());
    large_tree_.push_back(large);
}

}  // namespace treekernels
