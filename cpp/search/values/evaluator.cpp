#include "search/values/evaluator.hpp"

#include <algorithm>

namespace treekernels {

void Evaluator::begin(const Segment& segment, const QueryTree& query, std::span<const NodeKind> kinds) {
    segment_ = &segment;
    query_ = &query;
    const std::size_t kept = segment.node_count() - segment.flat_end();
    if (place_.size() < kept) place_.resize(kept, kNone);
    if (group_of_.size() < segment.kind_count()) group_of_.resize(segment.kind_count(), kNone);
    kinds_ = kinds;  // there is room for them now: end() relies on it, also if memory runs out below
    for (std::uint32_t group = 0; group < kinds.size(); ++group)
        if (kinds[group] != kNone) group_of_[kinds[group]] = group;
    flat_.assign(query.size(), 0.0);
    flat_total_.assign(query.group_count(), 0.0);
    for (std::uint32_t group = 0; group < flat_total_.size(); ++group)
        for (std::uint32_t u : query.members(group)) {
            const auto children = query.children(u);
            if (children.empty()) continue;
            flat_[u] = rule_(query.factor(group), children.size(), [&](std::size_t k) {
                return query.is_leaf(children[k]) ? rule_.leaves() : rule_.leaf_and_node();
            });
            flat_total_[group] += flat_[u] * query.count(u);
        }
}

void Evaluator::end() {
    forget();
    for (NodeKind kind : kinds_)
        if (kind != kNone) group_of_[kind] = kNone;
    kinds_ = {};
}

void Evaluator::forget() {
    for (Node node : met_) place_[node - segment_->flat_end()] = kNone;
    met_.clear();
    known_.clear();
    values_.clear();
}

double Evaluator::flat_value(Node node, NodeKind kind, std::uint32_t group) const {
    if (segment_->is_leaf_kind(kind))
        return group == kNone ? 0.0 : rule_.leaf_weight * query_->count(query_->members(group).front());
    double below = 0.0;
    if (sums_below_ && rule_.leaf_weight != 0.0)
        for (Node child : segment_->children(node)) {
            const std::uint32_t leaf = group_of_[segment_->kind(child)];
            if (leaf != kNone) below += rule_.leaf_weight * query_->count(query_->members(leaf).front());
        }
    return group == kNone ? below : below + flat_total_[group];
}

double Evaluator::value(Node root, const Task& task) {
    constexpr std::size_t kMostValues = std::size_t{8} << 20;
    const Node flat_end = segment_->flat_end();
    if (root < flat_end) {
        if (!sums_below_) return damped_sum(root);
        const NodeKind kind = segment_->kind(root);
        return flat_value(root, kind, group_of_[kind]);
    }
    if (values_.size() + known_.size() > kMostValues) forget();
    open_.assign(1, root);
    while (!open_.empty()) {
        const Node node = open_.back();
        if (place_[node - flat_end] != kNone) {
            open_.pop_back();
            continue;
        }
        const std::size_t depth = open_.size();
        const auto children = segment_->children(node);
        for (Node child : children)
            if (child >= flat_end && place_[child - flat_end] == kNone) open_.push_back(child);
        if (open_.size() > depth) continue;
        if (met_.size() % 1024 == 0) task.check();
        find(node, children);
        open_.pop_back();
    }
    return sums_below_ ? known_[place_[root - flat_end]].sum : damped_sum(root);
}

double Evaluator::damped_sum(Node root) {
    if (times_.size() < segment_->node_count()) times_.resize(segment_->node_count(), 0.0);
    const Node first = rule_.leaf_weight == 0.0 ? segment_->leaf_end() : 0;
    if (root < first) return 0.0;
    struct Clear {
        std::vector<double>& times;
        bool done = false;
        ~Clear() {
            if (!done) std::ranges::fill(times, 0.0);
        }
    } clear{times_};
    // As the nodes come in the tree, so that the sum does not depend on how the segment numbers them.
    tree_.clear();
    walk_.assign(1, {root, 0});
    times_[root] = 1.0;
    while (!walk_.empty()) {
        auto& [node, next] = walk_.back();
        const auto children = segment_->children(node);
        while (next < children.size() && (children[next] < first || times_[children[next]] != 0.0)) ++next;
        if (next < children.size()) {
            const Node child = children[next++];
            times_[child] = 1.0;
            walk_.emplace_back(child, 0);
            continue;
        }
        tree_.push_back(node);
        walk_.pop_back();
    }
    double sum = 0.0;
    if (rule_.damping != CountDamping::binary) {
        for (Node node : tree_) times_[node] = 0.0;
        times_[root] = 1.0;
        // Parents come later: going down, a count is complete before it is handed on.
        for (std::size_t i = tree_.size(); i-- > 0;)
            for (Node child : segment_->children(tree_[i]))
                if (child >= first) times_[child] += times_[tree_[i]];
    }
    for (Node node : tree_) {
        sum += damped(times_[node], rule_.damping) * own_value(node);
        times_[node] = 0.0;
    }
    clear.done = true;
    return sum;
}

double Evaluator::own_value(Node node) const {
    const Node flat_end = segment_->flat_end();
    if (node >= flat_end) return known_[place_[node - flat_end]].sum;
    const NodeKind kind = segment_->kind(node);
    return flat_value(node, kind, group_of_[kind]);
}

void Evaluator::find(Node node, std::span<const Node> children) {
    const Node flat_end = segment_->flat_end();
    const std::uint32_t group = group_of_[segment_->kind(node)];
    Known known{0.0, values_.size()};
    child_.clear();
    for (Node child : children) {
        const NodeKind kind = segment_->kind(child);
        const std::uint32_t child_group = group_of_[kind];
        if (child < flat_end) {
            if (sums_below_) known.sum += flat_value(child, kind, child_group);
            child_.push_back({child_group, kFlat});
        } else {
            const Known& below = known_[place_[child - flat_end]];
            if (sums_below_) known.sum += below.sum;
            child_.push_back({child_group, below.values});
        }
    }
    if (group != kNone) {
        double here = 0.0;
        const double factor = query_->factor(group);
        for (std::uint32_t u : query_->members(group)) {
            const auto u_children = query_->children(u);
            const double value = rule_(factor, children.size(), [&](std::size_t k) {
                const std::uint32_t x = u_children[k];
                if (child_[k].group != query_->group(x)) return rule_.apart();
                if (query_->is_leaf(x)) return rule_.leaves();
                return rule_.nodes(child_[k].values == kFlat ? flat_[x] : values_[child_[k].values + query_->rank(x)]);
            });
            values_.push_back(value);
            here += value * query_->count(u);
        }
        known.sum += here;
    }
    met_.push_back(node);
    known_.push_back(known);
    place_[node - flat_end] = static_cast<std::uint32_t>(known_.size() - 1);
}

bool Evaluator::is_equal(Node root) {
    // Both sides hold each distinct subtree once: they are equal if one is the image of the other.
    image_.assign(query_->size(), kNone);
    compared_.assign(1, {query_->root(), root});
    while (!compared_.empty()) {
        const auto [u, node] = compared_.back();
        compared_.pop_back();
        if (image_[u] == node) continue;
        if (image_[u] != kNone || kinds_[query_->group(u)] != segment_->kind(node)) return false;
        image_[u] = node;
        const auto own = query_->children(u), others = segment_->children(node);
        for (std::size_t k = 0; k < own.size(); ++k) compared_.emplace_back(own[k], others[k]);
    }
    return true;
}

}  // namespace treekernels
