#include "gram/pairs/pairwise.hpp"

#include <algorithm>
#include <numeric>

namespace treekernels {

KeyedTrees::KeyedTrees(const Corpus& corpus, std::span<const std::uint32_t> keys, bool link_leaves, const Task& task) {
    std::vector<std::uint32_t> local(corpus.node_count());
    const auto add_edges = [&](Order& order, std::size_t begin) {
        for (std::size_t i = begin; i < order.node.size(); ++i) {
            order.edge.push_back(order.child.size());
            for (Node child : corpus.children(order.node[i])) {
                const bool linked = keys[child] != kNone && (link_leaves || !corpus.is_leaf(child));
                order.child.push_back(linked ? local[child] : kNone);
            }
        }
        order.edge.push_back(order.child.size());
    };
    for (Order* order : {&bottom_up_, &sorted_}) {
        order->node.reserve(corpus.total_nodes());
        order->count.reserve(corpus.total_nodes());
        order->edge.reserve(corpus.total_nodes() + corpus.tree_count());
        order->child.reserve(2 * corpus.total_nodes());
    }
    key_.reserve(corpus.total_nodes());
    from_sorted_.reserve(corpus.total_nodes());
    std::vector<std::uint32_t> permutation;
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        task.check();
        const std::size_t begin = bottom_up_.node.size();
        const auto nodes = corpus.nodes(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (keys[nodes[i]] == kNone) continue;
            local[nodes[i]] = static_cast<std::uint32_t>(bottom_up_.node.size() - begin);
            bottom_up_.node.push_back(nodes[i]);
            bottom_up_.count.push_back(corpus.counts(tree)[i]);
        }
        add_edges(bottom_up_, begin);
        permutation.resize(bottom_up_.node.size() - begin);
        std::iota(permutation.begin(), permutation.end(), 0);
        const auto key_then_place = [&](std::uint32_t i) { return std::pair(keys[bottom_up_.node[begin + i]], i); };
        std::ranges::sort(permutation, {}, key_then_place);
        for (std::uint32_t i : permutation) {
            const Node node = bottom_up_.node[begin + i];
            local[node] = static_cast<std::uint32_t>(sorted_.node.size() - begin);
            from_sorted_.push_back(i);
            key_.push_back(keys[node]);
            sorted_.node.push_back(node);
            sorted_.count.push_back(bottom_up_.count[begin + i]);
        }
        add_edges(sorted_, begin);
        tree_offset_.push_back(bottom_up_.node.size());
    }
}

double KeyedTrees::self_pairs(std::size_t tree) const {
    const std::uint32_t* key = keys(tree);
    double pairs = 0.0;
    for (std::uint32_t i = 0, run = 0; i < size(tree); ++i) {
        run = i > 0 && key[i] == key[i - 1] ? run + 1 : 1;
        pairs += 2.0 * run - 1.0;
    }
    return pairs;
}

}  // namespace treekernels
