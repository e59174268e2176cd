#include "search/evaluator.hpp"

namespace treekernels {

void Evaluator::begin(const Segment& segment, const QueryTree& query, std::span<const NodeKind> kinds) {
    segment_ = &segment;
    query_ = &query;
    kinds_ = kinds;
    if (place_.size() < segment.node_count()) place_.resize(segment.node_count(), kNone);
    if (group_of_.size() < segment.kind_count()) group_of_.resize(segment.kind_count(), kNone);
    for (std::uint32_t group = 0; group < kinds.size(); ++group)
        if (kinds[group] != kNone) group_of_[kinds[group]] = group;
}

void Evaluator::end() {
    forget();
    for (NodeKind kind : kinds_)
        if (kind != kNone) group_of_[kind] = kNone;
    kinds_ = {};
}

void Evaluator::forget() {
    for (Node node : met_) place_[node] = kNone;
    met_.clear();
    known_.clear();
    values_.clear();
}

double Evaluator::value(Node root, const Task& task) {
    constexpr std::size_t kMostValues = std::size_t{8} << 20;
    if (values_.size() + known_.size() > kMostValues) forget();
    if (place_[root] != kNone) return known_[place_[root]].below;
    open_.assign(1, {root, 0});
    while (!open_.empty()) {
        auto& [node, next] = open_.back();
        const auto children = segment_->children(node);
        while (next < children.size() && place_[children[next]] != kNone) ++next;
        if (next < children.size()) {
            const Node child = children[next++];
            open_.emplace_back(child, 0);
            continue;
        }
        if (met_.size() % 1024 == 0) task.check();
        find(node);
        open_.pop_back();
    }
    return known_[place_[root]].below;
}

void Evaluator::find(Node node) {
    const auto children = segment_->children(node);
    const NodeKind kind = segment_->kind(node);
    const std::uint32_t group = group_of_[kind];
    Known known{0.0, values_.size()};
    for (Node child : children) known.below += known_[place_[child]].below;
    if (group != kNone) {
        const auto members = query_->members(group);
        if (segment_->is_leaf_kind(kind)) {
            known.below += rule_.leaf_weight * query_->count(members.front());
        } else {
            double here = 0.0;
            for (std::uint32_t u : members) {
                const auto u_children = query_->children(u);
                Segment::require(u_children.size() == children.size());
                const double value = rule_(children.size(), [&](std::size_t k) {
                    const std::uint32_t x = u_children[k];
                    const NodeKind child_kind = segment_->kind(children[k]);
                    if (group_of_[child_kind] != query_->group(x)) return FragmentRule::kDifferent;
                    if (query_->is_leaf(x)) return FragmentRule::kEqualLeaves;
                    return values_[known_[place_[children[k]]].values + query_->rank(x)];
                });
                values_.push_back(value);
                here += value * query_->count(u);
            }
            known.below += here;
        }
    }
    met_.push_back(node);
    known_.push_back(known);
    place_[node] = static_cast<std::uint32_t>(known_.size() - 1);
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
        Segment::require(own.size() == others.size());
        for (std::size_t k = 0; k < own.size(); ++k) compared_.emplace_back(own[k], others[k]);
    }
    return true;
}

}  // namespace treekernels
