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

void QueryTree::measure(const FragmentRule& rule, const Task& task) {
    group_norm_.assign(group_count(), 0.0);
    first_value_.resize(size());
    values_.clear();
    norm_ = 0.0;
    // Node by node, as they come in the tree: so the sum does not depend on how the source numbers its kinds. C of a
    // node with those of lower rank, and with itself, is kept.
    for (std::uint32_t u = 0; u < size(); ++u) {
        if (u % 64 == 0) task.check();
        first_value_[u] = values_.size();
        double sum = 0.0;
        if (is_leaf(u)) {
            sum = rule.leaf_weight * count_[u] * count_[u];
        } else {
            const auto own = members(group_[u]).first(rank_[u] + 1);
            const auto u_children = children(u);
            for (std::uint32_t v : own) {
                const auto v_children = children(v);
                const double value = rule(u_children.size(), [&](std::size_t k) {
                    const std::uint32_t x = u_children[k], y = v_children[k];
                    if (group_[x] != group_[y]) return FragmentRule::kDifferent;
                    if (is_leaf(x)) return FragmentRule::kEqualLeaves;
                    return rank_[x] > rank_[y] ? values_[first_value_[x] + rank_[y]]
                                               : values_[first_value_[y] + rank_[x]];
                });
                values_.push_back(value);
                sum += value * count_[v] * (v == u ? 1.0 : 2.0);
            }
            sum *= count_[u];
        }
        group_norm_[group_[u]] += sum;
        norm_ += sum;
    }
    if (!fits_double(norm_)) norm_ = std::numeric_limits<double>::infinity();
}

}  // namespace treekernels
