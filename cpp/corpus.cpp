#include "corpus.hpp"

#include <algorithm>

namespace treekernels {

Corpus::Corpus(const Dag& dag, std::span<const Node> columns, std::span<const Node> rows, const Task& task)
    : label_count_(dag.label_count()), production_count_(dag.production_count()) {
    Reach reach(dag, &task);
    for (const auto roots : {columns, rows}) {
        for (Node root : roots) {
            reach.add(root);
            for (std::size_t node = label_.size(); node < reach.nodes().size(); ++node) {
                const Node original = reach.nodes()[node];
                label_.push_back(dag.label(original));
                production_.push_back(dag.production(original));
                for (Node child : dag.children(original)) children_.push_back(reach.place(child));
                child_offset_.push_back(children_.size());
            }
            root_.push_back(reach.place(root));
            limit_.push_back(static_cast<Node>(label_.size()));
        }
    }
    count_trees(task);
}

Corpus::Corpus(const Corpus& whole, std::size_t tree, const Task& task)
    : label_count_(whole.label_count_), production_count_(whole.production_count_) {
    const auto nodes = whole.nodes(tree);
    for (Node node : nodes) {
        label_.push_back(whole.label(node));
        production_.push_back(whole.production(node));
        for (Node child : whole.children(node))
            children_.push_back(static_cast<Node>(std::ranges::lower_bound(nodes, child) - nodes.begin()));
        child_offset_.push_back(children_.size());
    }
    root_.push_back(static_cast<Node>(nodes.size() - 1));
    limit_.push_back(static_cast<Node>(nodes.size()));
    count_trees(task);
}

void Corpus::cut(const std::vector<bool>& marked) {
    std::vector<Node> kept;
    std::vector<std::uint64_t> offset{0};
    for (Node node = 0; node < node_count(); ++node) {
        if (marked[node])
            production_[node] = kNone;
        else
            kept.insert(kept.end(), children(node).begin(), children(node).end());
        offset.push_back(kept.size());
    }
    children_ = std::move(kept);
    child_offset_ = std::move(offset);
}

void Corpus::count_trees(const Task& task) {
    std::vector<std::uint32_t> seen_in(node_count(), kNone);  // the last tree that met a node
    std::vector<double> count(node_count());
    tree_nodes_.reserve(3 * node_count());
    tree_counts_.reserve(3 * node_count());
    for (std::uint32_t tree = 0; tree < tree_count(); ++tree) {
        task.check();
        const std::size_t begin = tree_nodes_.size();
        const Node first_new = limit_[tree], end_new = limit_[tree + 1];
        const auto meet = [&](Node node) {
            if (seen_in[node] == tree) return;
            seen_in[node] = tree;
            count[node] = 0.0;
            if (node < first_new) tree_nodes_.push_back(node);
        };
        // What is new in this tree is all of it, in order. The rest is found below that, or below the root.
        meet(root_[tree]);
        for (Node node = first_new; node < end_new; ++node) {
            meet(node);
            for (Node child : children(node)) meet(child);
        }
        for (std::size_t next = begin; next < tree_nodes_.size(); ++next)
            for (Node child : children(tree_nodes_[next])) meet(child);
        std::sort(tree_nodes_.begin() + static_cast<std::ptrdiff_t>(begin), tree_nodes_.end());
        for (Node node = first_new; node < end_new; ++node) tree_nodes_.push_back(node);
        // Parents have larger numbers: going down, a node's count is complete before it is handed on.
        count[root_[tree]] = 1.0;
        for (std::size_t next = tree_nodes_.size(); next-- > begin;)
            for (Node child : children(tree_nodes_[next])) count[child] += count[tree_nodes_[next]];
        for (std::size_t next = begin; next < tree_nodes_.size(); ++next)
            tree_counts_.push_back(count[tree_nodes_[next]]);
        tree_offset_.push_back(tree_nodes_.size());
    }
}

}  // namespace treekernels
