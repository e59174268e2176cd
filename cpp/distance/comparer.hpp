// Distances of one tree from another, and from those of a group, in the way that is quickest.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "distance/bounds.hpp"
#include "distance/distances.hpp"
#include "distance/engine/band.hpp"
#include "distance/groups.hpp"
#include "distance/tree_distance.hpp"
#include "distance/trimming.hpp"

namespace treekernels {

// Compares trees for one thread.
class Comparer {
public:
    explicit Comparer(const DistanceRequest& request)
        : request_(request), distance_(request.costs, request.most_bytes) {}

    // How far a tree is from the first `count` trees of a group.
    const std::vector<double>& operator()(PreparedTree& a, Group& group, std::size_t count, const Task& task) {
        values_.assign(count, std::numeric_limits<double>::infinity());
        find_near(a, group);
        std::erase_if(open_pairs_, [&](std::size_t i) {
            return is_quick(a, group.root(i), group.size(i), values_[i], task) || is_in_band(a, group, i, task);
        });
        const bool together = 2 * open_pairs_.size() > group.count() && distance_.to_all(a, group.all(), every_, task);
        for (std::size_t i : open_pairs_)
            values_[i] = together ? every_[i] : distance_(a, group.tree(request_.dag, i, task), task);
        for (double& value : values_)
            if (value > request_.most) value = std::numeric_limits<double>::infinity();
        return values_;
    }

private:
    // The trees whose labels do not show that they are too far away.
    void find_near(const PreparedTree& a, Group& group) {
        open_pairs_.resize(values_.size());
        std::iota(open_pairs_.begin(), open_pairs_.end(), std::size_t{0});
        const double most = request_.most;
        const auto size = static_cast<double>(a.tree().count());
        if (!request_.costs.is_unit() || most >= size + static_cast<double>(group.all().largest())) return;
        group.write_labels();
        bounds_.assign(a.tree(), request_.dag.label_count());
        std::erase_if(open_pairs_,
                      [&](std::size_t i) { return label_bound(bounds_.sorted(), group.sorted(i), most) > most; });
        for (const std::size_t order : {0, 1}) {
            if (open_pairs_.empty()) return;
            bounds_.choose(order);
            std::erase_if(open_pairs_, [&](std::size_t i) {
                return bounds_.string_bound(order == 0 ? group.preorder(i) : group.postorder(i)) > most;
            });
        }
    }

    // Compares trees of which so little may differ that a band of their tables will do.
    bool is_in_band(PreparedTree& a, Group& group, std::size_t number, const Task& task) {
        // Measured: a step takes as long as ten of those of rows.
        constexpr double kStep = 10.0;
        const double most = std::floor(request_.most);
        const double cells = a.cells().left[0], other = static_cast<double>(group.size(number));
        if (!request_.costs.is_unit() || kStep * Band::steps(cells, most) > cells * other ||
            Band::numbers(static_cast<double>(a.tree().count()), most) * sizeof(std::uint32_t) > request_.most_bytes)
            return false;
        PreparedTree& b = group.tree(request_.dag, number, task);
        values_[number] = band_.run(a.tree(), a.keyroots(From::left), b.tree(), b.keyroots(From::left),
                                    static_cast<std::uint32_t>(most), task);
        return true;
    }

    // Compares trees that are equal, or nearly so.
    bool is_quick(PreparedTree& a, Node b, std::size_t b_size, double& value, const Task& task) {
        if (a.root() == b) {
            value = 0.0;
            return true;
        }
        if (!request_.costs.is_unit()) return false;
        const auto rest = trim(request_.dag, a.root(), b);
        if (!rest.trimmed) return false;
        // What is left is worth writing out anew if it is much less: the steps grow with the product of both.
        const double whole = static_cast<double>(a.tree().count()) * static_cast<double>(b_size);
        const std::size_t one = nodes_below(rest.a_children), two = nodes_below(rest.b_children);
        value = static_cast<double>(one + two);
        if (one == 0 || two == 0) return true;
        if (static_cast<double>(one) * static_cast<double>(two) > 0.7 * whole) return false;
        a_rest_.assign(request_.dag, request_.dag.label(rest.a), rest.a_children, task);
        b_rest_.assign(request_.dag, request_.dag.label(rest.b), rest.b_children, task);
        value = distance_(a_rest_, b_rest_, task);
        return true;
    }

    std::size_t nodes_below(std::span<const Node> children) {
        std::size_t count = 0;
        open_.assign(children.begin(), children.end());
        while (!open_.empty()) {
            const Node node = open_.back();
            open_.pop_back();
            ++count;
            const auto below = request_.dag.children(node);
            open_.insert(open_.end(), below.begin(), below.end());
        }
        return count;
    }

    const DistanceRequest& request_;
    TreeDistance distance_;
    LabelBounds bounds_;
    Band band_;
    PreparedTree a_rest_, b_rest_;
    std::vector<Node> open_;
    std::vector<std::size_t> open_pairs_;
    std::vector<double> values_, every_;
};

}  // namespace treekernels
