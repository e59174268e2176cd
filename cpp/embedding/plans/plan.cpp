#include "embedding/plans/plan.hpp"

#include <algorithm>
#include <numeric>

#include "embedding/plans/units.hpp"

namespace treekernels {

struct Planner::State {
    const Dag& dag;
    std::vector<Node> roots;
    PlanParameters parameters;
    UnitCollector collector;
    std::vector<double> label_scale;  // by the numbers of the collector's labels, 0 if not known yet
    std::size_t next_tree = 0;
    std::size_t unit_limit;

    State(const Dag& d, std::span<const Node> r, const PlanParameters& p, double label_bound, double growth)
        : dag(d),
          roots(r.begin(), r.end()),
          parameters(p),
          collector(d, p, label_bound, growth),
          label_scale(2 * d.label_count(), 0.0),
          unit_limit(std::max<std::size_t>(1, 2 * p.max_slots)) {}

    // Gives each unit a slot from the step that makes it to the last that needs it.
    Plan finish(const std::function<double(const Stream&)>& scale_of) {
        const auto& units = collector.units();
        const auto& events = collector.events();
        std::vector<std::uint64_t> last_event(units.size(), 0);
        for (std::size_t at = 0; at < events.size(); ++at) {
            last_event[events[at].unit] = at;
            if (events[at].is_new)
                for (const Edge& edge : collector.edges_of(events[at].unit))
                    if (edge.slot != kNone) last_event[edge.slot] = at;
        }
        Plan plan;
        const std::vector<std::uint32_t> new_number = plan_labels(plan, scale_of);
        std::vector<std::uint32_t> slot_of(units.size(), kNone), free;
        const auto release = [&](std::uint32_t unit, std::size_t at) {
            if (last_event[unit] != at || slot_of[unit] == kNone) return;
            free.push_back(slot_of[unit]);
            slot_of[unit] = kNone;
        };
        plan.steps.reserve(events.size());
        for (std::size_t at = 0; at < events.size(); ++at) {
            const UnitCollector::Event& event = events[at];
            const UnitCollector::Unit& unit = units[event.unit];
            Step step{plan.edges.size(), 0, new_number[unit.label], slot_of[event.unit], unit.large, event.count};
            if (event.is_new) {
                if (free.empty()) free.push_back(static_cast<std::uint32_t>(plan.slots++));
                step.slot = slot_of[event.unit] = free.back();
                free.pop_back();
                step.edges = unit.edges;
                for (const Edge& edge : collector.edges_of(event.unit))
                    plan.edges.push_back({edge.label == kNone ? kNone : new_number[edge.label],
                                          edge.slot == kNone ? kNone : slot_of[edge.slot]});
                for (const Edge& edge : collector.edges_of(event.unit))
                    if (edge.slot != kNone) release(edge.slot, at);
            }
            release(event.unit, at);
            plan.steps.push_back(step);
        }
        plan.tree_end = collector.tree_end();
        plan.large_tree = collector.large_tree();
        return plan;
    }

    // The labels that are used most come first: those are worth keeping.
    std::vector<std::uint32_t> plan_labels(Plan& plan, const std::function<double(const Stream&)>& scale_of) {
        const auto& labels = collector.labels();
        const auto& label_uses = collector.label_uses();
        std::vector<std::uint32_t> order(labels.size()), new_number(labels.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t number) { return label_uses[number]; });
        for (std::uint32_t number : order) {
            new_number[number] = static_cast<std::uint32_t>(plan.labels.size());
            const std::uint32_t key = labels[number];
            const Stream stream =
                stream_of(parameters.seed, dag.label_text(key / 2), key % 2 == 0 ? kLabelPurpose : kHeadPurpose);
            double& scale = label_scale[key];
            if (scale == 0.0) scale = scale_of(stream);
            plan.labels.push_back({stream, scale, label_uses[number]});
        }
        return new_number;
    }
};

Planner::Planner(const Dag& dag, std::span<const Node> roots, const PlanParameters& parameters, double label_bound,
                 double growth)
    : state_(std::make_unique<State>(dag, roots, parameters, label_bound, growth)) {}

Planner::~Planner() = default;

std::optional<Plan> Planner::next(const std::function<double(const Stream&)>& scale_of, const Task& task) {
    State& state = *state_;
    if (state.next_tree == state.roots.size()) return std::nullopt;
    std::size_t max_trees = std::min(state.parameters.max_trees, state.roots.size() - state.next_tree);
    for (;;) {
        state.collector.clear();
        std::size_t trees = 0;
        do state.collector.add_tree(state.roots[state.next_tree + trees++], task);
        while (trees < max_trees && state.collector.units().size() < state.unit_limit);
        Plan plan = state.finish(scale_of);
        if (plan.slots > state.parameters.max_slots && trees > 1) {
            max_trees = std::max<std::size_t>(1, trees / 2);
            continue;
        }
        // How many units go into the slots is learned from plan to plan.
        const double units_a_slot =
            static_cast<double>(state.collector.units().size()) / static_cast<double>(plan.slots + 1);
        const double limit = 0.8 * units_a_slot * static_cast<double>(state.parameters.max_slots);
        if (trees > 1) state.unit_limit = static_cast<std::size_t>(std::max(1.0, limit));
        plan.first_tree = state.next_tree;
        state.next_tree += trees;
        return plan;
    }
}

}  // namespace treekernels
