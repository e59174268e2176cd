#include "embedding/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/assert.hpp"

namespace treekernels {

namespace {

// Elements up to this power of two are composed without looking at them. Even float32 has room for more.
constexpr double kLargeLog = 60.0;
constexpr double kLargeSumLog = 100.0;

// A number that must not be known for long: forgets all of them at once, in time proportional to how many there are.
class Numbers {
public:
    explicit Numbers(std::size_t size) : number_(size, kNone) {}
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

struct PairHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const {
        return hash_pair(pair.first, pair.second);
    }
};
template <class Value>
using PairMap = std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, Value, PairHash>;

// The last links on the way down to a subtree, as far as chains look back. Number 0 is none: the root of a fragment.
class Contexts {
public:
    explicit Contexts(std::size_t links) : links_(links), windows_(1) {}

    std::uint64_t chain(std::uint32_t context) const {
        std::uint64_t chain = kNoChain;
        for (const auto& [production, position] : windows_[context])
            chain = with_position(with_production(chain, production), position);
        return chain;
    }
    std::uint32_t extend(std::uint32_t context, std::uint64_t production, std::size_t position) {
        if (links_ == 0) return 0;
        const auto [found, is_new] = next_.try_emplace({context, with_position(production, position)}, 0U);
        if (is_new) {
            Window window = windows_[context];
            window.emplace_back(production, position);
            if (window.size() > links_) window.erase(window.begin());
            // Windows of different pasts may be equal; they are then two contexts that mean the same.
            found->second = static_cast<std::uint32_t>(windows_.size());
            windows_.push_back(std::move(window));
        }
        return found->second;
    }
    void clear() {
        next_.clear();
        windows_.resize(1);
    }

private:
    using Window = std::vector<std::pair<std::uint64_t, std::size_t>>;
    std::size_t links_;
    std::vector<Window> windows_;
    PairMap<std::uint32_t> next_;
};

}  // namespace

struct Planner::State {
    const Dag& dag;
    std::vector<Node> roots;
    PlanParameters parameters;
    double label_log, growth_log;

    TreeWalk tree;
    ProductionKeys production_keys;
    std::vector<double> label_scale;  // as in `labels`, 0 if not known yet
    std::size_t next_tree = 0;
    std::size_t unit_limit;

    // What the plan in the making knows.
    Numbers label_number, unit_number;
    PairMap<std::uint32_t> unit_in_context;
    Contexts contexts;
    std::vector<Unit> units;
    std::vector<Edge> edges;  // with units instead of slots
    std::vector<Event> events;
    std::vector<std::uint64_t> tree_end;
    std::vector<bool> large_tree;
    std::vector<std::uint32_t> labels;  // twice the label, and one more for that of a head
    std::vector<std::uint64_t> label_uses;

    State(const Dag& d, std::span<const Node> r, const PlanParameters& p, double label_bound, double growth)
        : dag(d),
          roots(r.begin(), r.end()),
          parameters(p),
          label_log(std::log2(label_bound)),
          growth_log(std::log2(growth)),
          tree(d),
          production_keys(d),
          label_scale(2 * d.label_count(), 0.0),
          unit_limit(std::max<std::size_t>(1, 2 * p.max_slots)),
          label_number(2 * d.label_count()),
          unit_number(d.size()),
          contexts(p.kept && p.link_length > 2 ? p.link_length - 2 : 0) {}

    void clear() {
        label_number.clear();
        unit_number.clear();
        unit_in_context.clear();
        contexts.clear();
        units.clear();
        edges.clear();
        events.clear();
        tree_end.clear();
        large_tree.clear();
        labels.clear();
        label_uses.clear();
    }

    std::uint32_t number_of(Label label, bool head) {
        const std::uint32_t key = 2 * label + (head && parameters.own_heads ? 1 : 0);
        std::uint32_t& number = label_number[key];
        if (number == kNone) {
            number = static_cast<std::uint32_t>(labels.size());
            labels.push_back(key);
            label_uses.push_back(0);
        }
        ++label_uses[number];
        return number;
    }

    std::uint32_t& unit_of(Node node, std::uint32_t context) {
        if (context == 0) return unit_number[node];
        return unit_in_context.try_emplace({node, context}, kNone).first->second;
    }

    // Whether a fragment that got to `node` in this context may take in what is below this child.
    bool expands(Node node, std::uint32_t context, std::size_t position, Node child) {
        if (dag.is_leaf(child)) return false;
        if (!parameters.kept) return true;
        if (!parameters.kept->contains(with_production(kNoChain, production_keys(child)))) return false;
        if (parameters.link_length < 2) return true;
        const std::uint64_t here = with_production(contexts.chain(context), production_keys(node));
        return parameters.kept->contains(with_production(with_position(here, position), production_keys(child)));
    }

    std::uint32_t context_below(Node node, std::uint32_t context, std::size_t position) {
        if (!parameters.kept || parameters.link_length <= 2) return 0;
        return contexts.extend(context, production_keys(node), position);
    }

    // The unit of an inner node; makes it and what it is composed of if need be.
    std::uint32_t ensure(Node root, std::uint32_t root_context, double count) {
        struct Open {
            Node node;
            std::uint32_t context;
            std::uint32_t next;
        };
        if (const std::uint32_t known = unit_of(root, root_context); known != kNone) {
            if (!units[known].dead) events.push_back({known, false, count});
            return known;
        }
        std::vector<Open> stack{{root, root_context, 0}};
        while (!stack.empty()) {
            auto& [node, context, next] = stack.back();
            const auto children = dag.children(node);
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
            if (!units[unit].dead) events.push_back({unit, true, is_root ? count : 0.0});
            stack.pop_back();
        }
        return unit_of(root, root_context);
    }

    std::uint32_t make(Node node, std::uint32_t context) {
        const bool subset = parameters.fragments == Fragments::subset;
        const double weight_log = std::log2(parameters.weight);
        const std::uint64_t first_edge = edges.size();
        Unit unit{first_edge, 0, 0, label_log, false, false};
        double largest = label_log;
        unit.dead = parameters.kept && !parameters.kept->contains(with_production(kNoChain, production_keys(node)));
        const auto children = dag.children(node);
        for (std::size_t position = 0; position < children.size() && !unit.dead; ++position) {
            const Node child = children[position];
            Edge edge{kNone, kNone};
            if (expands(node, context, position, child)) {
                edge.slot = unit_of(child, context_below(node, context, position));
                if (units[edge.slot].dead) edge.slot = kNone;
            }
            if (subset || dag.is_leaf(child))
                edge.label = number_of(dag.label(child), false);
            else if (edge.slot == kNone)
                unit.dead = true;  // a whole subtree with a part that is not kept
            double log = edge.label == kNone ? -1e300 : label_log;
            if (edge.slot != kNone) {
                const Unit& below = units[edge.slot];
                const double scaled = below.log_bound + weight_log;
                log = std::max(log, scaled) + std::log2(1.0 + std::exp2(-std::abs(log - scaled)));
                unit.large = unit.large || below.large;
            }
            unit.log_bound += log + growth_log;
            largest = std::max({largest, unit.log_bound, log});
            edges.push_back(edge);
        }
        if (unit.dead) {
            edges.resize(first_edge);
        } else {
            unit.label = number_of(dag.label(node), true);
            unit.large = unit.large || largest > kLargeLog;
        }
        unit.edges = static_cast<std::uint32_t>(edges.size() - first_edge);
        units.push_back(unit);
        return static_cast<std::uint32_t>(units.size() - 1);
    }

    void add_tree(Node root, const Task& task) {
        tree.walk(root, task);
        const std::size_t first_event = events.size();
        const bool whole = parameters.fragments == Fragments::whole;
        for (std::size_t place = 0; place < tree.nodes().size(); ++place) {
            const Node node = tree.nodes()[place];
            if (dag.is_leaf(node)) continue;
            const bool counts = !whole || place + 1 == tree.nodes().size();
            if (!counts && unit_of(node, 0) != kNone) continue;
            ensure(node, 0, counts ? tree.count(place) : 0.0);
            if (place % 4096 == 0) task.check();
        }
        bool large = false;
        const double terms_log = std::log2(static_cast<double>(events.size() - first_event) + 1.0);
        for (std::size_t at = first_event; at < events.size(); ++at) {
            const Unit& unit = units[events[at].unit];
            large =
                large || unit.large || unit.log_bound + std::log2(events[at].count + 1.0) + terms_log > kLargeSumLog;
        }
        tree_end.push_back(events.size());
        large_tree.push_back(large);
    }

    // Gives each unit a slot from the step that makes it to the last that needs it.
    Plan finish(const std::function<double(const Stream&)>& scale_of) {
        std::vector<std::uint64_t> last_event(units.size(), 0);
        for (std::size_t at = 0; at < events.size(); ++at) {
            last_event[events[at].unit] = at;
            if (events[at].is_new)
                for (const Edge& edge : edges_of(events[at].unit))
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
            const Event& event = events[at];
            const Unit& unit = units[event.unit];
            Step step{plan.edges.size(), 0, new_number[unit.label], slot_of[event.unit], unit.large, event.count};
            if (event.is_new) {
                if (free.empty()) free.push_back(static_cast<std::uint32_t>(plan.slots++));
                step.slot = slot_of[event.unit] = free.back();
                free.pop_back();
                step.edges = unit.edges;
                for (const Edge& edge : edges_of(event.unit))
                    plan.edges.push_back({edge.label == kNone ? kNone : new_number[edge.label],
                                          edge.slot == kNone ? kNone : slot_of[edge.slot]});
                for (const Edge& edge : edges_of(event.unit))
                    if (edge.slot != kNone) release(edge.slot, at);
            }
            release(event.unit, at);
            plan.steps.push_back(step);
        }
        plan.tree_end = tree_end;
        plan.large_tree = large_tree;
        return plan;
    }

    std::span<const Edge> edges_of(std::uint32_t unit) const {
        return {edges.data() + units[unit].first_edge, units[unit].edges};
    }

    // The labels that are used most come first: those are worth keeping.
    std::vector<std::uint32_t> plan_labels(Plan& plan, const std::function<double(const Stream&)>& scale_of) {
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
        state.clear();
        std::size_t trees = 0;
        do state.add_tree(state.roots[state.next_tree + trees++], task);
        while (trees < max_trees && state.units.size() < state.unit_limit);
        Plan plan = state.finish(scale_of);
        if (plan.slots > state.parameters.max_slots && trees > 1) {
            max_trees = std::max<std::size_t>(1, trees / 2);
            continue;
        }
        // How many units go into the slots is learned from plan to plan.
        const double units_a_slot = static_cast<double>(state.units.size()) / static_cast<double>(plan.slots + 1);
        const double limit = 0.8 * units_a_slot * static_cast<double>(state.parameters.max_slots);
        if (trees > 1) state.unit_limit = static_cast<std::size_t>(std::max(1.0, limit));
        plan.first_tree = state.next_tree;
        state.next_tree += trees;
        return plan;
    }
}

}  // namespace treekernels
