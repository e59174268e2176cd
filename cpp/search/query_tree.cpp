#include "search/query_tree.hpp"

#include "core/wide.hpp"

namespace treekernels {

void QueryTree::group_nodes() {
    by_kind_.clear();
    for (std::uint32_t node = 0; node < kind_.size(); ++node) by_kind_.emplace_back(kind_[node], node);
    std::ranges::sort(by_kind_);
    group_.resize(size_t{kind_.size()});
    rank_.resize(kind_.size());
    group_kind_.clear();
    group_offset_.clear();
    members_.clear();
    pairs_ = 0.0;
    for (const auto& [kind, node] : by_kind_) {
        if (group_kind_.empty() || group_kind_.back() != kind) {
            group_kind_.push_back(kind);
            group_offset_.push_back(static_cast<std::uint32_t>(members_.size()));
        }
        group_[node] = static_cast<std::uint32_t>(group_kind_.size() - 1);
        rank_[node] = static_cast<std::uint32_t>(members_.size()) - group_offset_.back();
        pairs_ += 1.0 + rank_[node];
        members_.push_back(node);
    }
    group_offset_.push_back(static_cast<std::uint32_t>(members_.size()));
}

void QueryTree::find_edges() {
    by_edge_.clear();
    edges_.clear();
    edge_feature_.assign(children_.size(), kNone);
    for (std::uint32_t u = 0; u < size(); ++u)
        for (std::uint32_t slot = child_offset_[u]; slot < child_offset_[u + 1]; ++slot)
            if (!is_leaf(children_[slot]))
                by_edge_.push_back({{group_[u], slot - child_offset_[u], group_[children_[slot]]}, slot});
    std::ranges::sort(by_edge_);
    std::uint32_t u = 0;
    for (std::size_t i = 0; i < by_edge_.size(); ++i) {
        const auto& [edge, slot] = by_edge_[i];
        if (i == 0 || by_edge_[i - 1].first != edge) {
            u = static_cast<std::uint32_t>(std::ranges::upper_bound(child_offset_, slot) - child_offset_.begin() - 1);
            edges_.push_back({u, edge.position});
        }
        edge_feature_[slot] = static_cast<std::uint32_t>(group_count() + edges_.size() - 1);
    }
}

void QueryTree::measure(const FragmentRule& rule, const Task& task) {
    edges_.clear();
    if (!rule.whole()) find_edges();
    feature_norm_.assign(feature_count(), 0.0);
    first_value_.resize(size());
    values_.clear();
    norm_ = 0.0;
    // Node by node, as they come in the tree: so the sum does not depend on how the source numbers its kinds. C of a
    // node with those of lower rank, and with itself, is kept.
    for (std::uint32_t u = 0; u < size(); ++u) {
        if (u % 64 == 0) task.check();
        first_value_[u] = values_.size();
        if (is_leaf(u)) {
            const double sum = rule.leaf_weight * count_[u] * count_[u];
            feature_norm_[group_[u]] += sum;
            norm_ += sum;
            continue;
        }
        const auto u_children = children(u);
        const double factor = factor_[group_[u]];
        double sum = 0.0;
        for (std::uint32_t v : members(group_[u]).first(rank_[u] + 1)) {
            const auto v_children = children(v);
            const double times = count_[u] * count_[v] * (v == u ? 1.0 : 2.0);
            double shared = factor;  // by fragments whose last child that goes on comes before the one at hand
            const double value = rule(factor, u_children.size(), [&](std::size_t k) {
                const std::uint32_t x = u_children[k], y = v_children[k];
                if (group_[x] != group_[y]) return rule.apart();
                if (is_leaf(x)) return rule.leaves();
                const double below =
                    rank_[x] > rank_[y] ? values_[first_value_[x] + rank_[y]] : values_[first_value_[y] + rank_[x]];
                if (!rule.whole()) {
                    feature_norm_[edge_feature_[child_offset_[u] + k]] += times * shared * below;
                    shared *= rule.nodes(below);
                }
                return rule.nodes(below);
            });
            feature_norm_[group_[u]] += times * (rule.whole() ? value : factor);
            values_.push_back(value);
            sum += value * times;
        }
        norm_ += sum;
    }
    if (!fits_double(norm_)) norm_ = std::numeric_limits<double>::infinity();
}

}  // namespace treekernels
