// Trees that are compared with others together: rows over all of them take half the time of rows over each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "distance/tree_distance.hpp"

namespace treekernels {

class Group {
public:
    static constexpr std::size_t kTrees = 16, kNodes = 2000;

    void assign(const Dag& dag, std::span<const Node> roots, const Task& task) {
        roots_.assign(roots.begin(), roots.end());
        all_.assign_all(dag, roots, task);
        trees_.resize(std::max(trees_.size(), roots.size()));
        is_ready_.assign(roots.size(), 0);
        sizes_.clear();
        first_.clear();
        sorted_.clear();
        for (std::size_t root = 1; root < all_.tree().count(); root += all_.tree().size[root]) {
            first_.push_back(root);
            sizes_.push_back(all_.tree().size[root]);
        }
    }
    std::size_t count() const { return roots_.size(); }
    Node root(std::size_t number) const { return roots_[number]; }
    std::size_t size(std::size_t number) const { return sizes_[number]; }
    PreparedTree& all() { return all_; }
    // The labels of a tree, in preorder, in postorder and by their numbers.
    std::span<const Label> preorder(std::size_t number) const {
        return std::span(all_.tree().label).subspan(first_[number], sizes_[number]);
    }
    std::span<const Label> postorder(std::size_t number) const {
        return std::span(post_).subspan(first_[number] - 1, sizes_[number]);
    }
    std::span<const Label> sorted(std::size_t number) const {
        return std::span(sorted_).subspan(first_[number] - 1, sizes_[number]);
    }
    // The last two have to be written first.
    void write_labels() {
        if (!sorted_.empty()) return;
        const FlatTree& tree = all_.tree();
        post_.clear();
        for (std::size_t place = 0; place + 1 < tree.count(); ++place) post_.push_back(tree.label[tree.pre[place]]);
        sorted_ = post_;
        for (std::size_t number = 0; number < count(); ++number)
            std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(first_[number] - 1),
                      sorted_.begin() + static_cast<std::ptrdiff_t>(first_[number] - 1 + sizes_[number]));
    }
    PreparedTree& tree(const Dag& dag, std::size_t number, const Task& task) {
        if (!is_ready_[number]) trees_[number].assign(dag, roots_[number], task);
        is_ready_[number] = 1;
        return trees_[number];
    }

private:
    std::vector<Node> roots_;
    std::vector<std::size_t> first_, sizes_;
    std::vector<Label> post_, sorted_;
    PreparedTree all_;
    std::vector<PreparedTree> trees_;
    std::vector<std::uint8_t> is_ready_;
};

// Trees by size, and where groups of them end.
struct TreesBySize {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> ends;
};

inline TreesBySize group_by_size(const Dag& dag, std::span<const Node> trees, const Task& task) {
    TreesBySize result;
    std::vector<std::uint32_t> sizes(trees.size());
    FlatTree flat;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        flatten(dag, trees[i], flat, task);
        sizes[i] = static_cast<std::uint32_t>(flat.count());
    }
    result.order.resize(trees.size());
    std::iota(result.order.begin(), result.order.end(), 0U);
    std::ranges::stable_sort(result.order, {}, [&](std::uint32_t tree) { return sizes[tree]; });
    for (std::size_t first = 0, nodes = 0, i = 0; i <= trees.size(); ++i) {
        const std::size_t more = i < trees.size() ? sizes[result.order[i]] : 0;
        if (i > first && (i == trees.size() || i - first == Group::kTrees || nodes + more > Group::kNodes)) {
            result.ends.push_back(i);
            first = i;
            nodes = 0;
        }
        nodes += more;
    }
    return result;
}

}  // namespace treekernels
