#include "distance/flat_tree.hpp"

#include <ranges>

namespace treekernels {

namespace {

class Flattener {
public:
    Flattener(const Dag& dag, FlatTree& tree, const Task& task) : dag_(dag), tree_(tree), task_(task) {
        for (auto* numbers : {&tree.node, &tree.label, &tree.parent, &tree.size, &tree.post, &tree.pre})
            numbers->clear();
    }

    void run(Node root, Label label, std::span<const Node> children) {
        add(root, label, kNone, children);
        while (!open_.empty()) {
            const auto [node, parent] = open_.back();
            open_.pop_back();
            add(node, dag_.label(node), parent, dag_.children(node));
        }
        measure();
    }

private:
    struct Open {
        Node node;
        std::uint32_t parent;
    };

    void add(Node node, Label label, std::uint32_t parent, std::span<const Node> children) {
        const auto number = static_cast<std::uint32_t>(tree_.node.size());
        if (number % 4096 == 0) task_.check();
        tree_.node.push_back(node);
        tree_.label.push_back(label);
        tree_.parent.push_back(parent);
        for (Node child : children | std::views::reverse) open_.push_back({child, number});
    }

    void measure() {
        const std::size_t count = tree_.count();
        tree_.size.assign(count, 1);
        for (std::size_t number = count; number-- > 1;) tree_.size[tree_.parent[number]] += tree_.size[number];
        tree_.post.resize(count);
        tree_.pre.resize(count);
        // Of the nodes of the tree, all come before a node in postorder that come before it in preorder or are below
        // it, but those above it.
        std::vector<std::uint32_t>& depth = tree_.pre;
        for (std::size_t number = 0; number < count; ++number) {
            depth[number] = number == 0 ? 0 : depth[tree_.parent[number]] + 1;
            tree_.post[number] = static_cast<std::uint32_t>(number) + tree_.size[number] - 1 - depth[number];
        }
        for (std::uint32_t number = 0; number < count; ++number) tree_.pre[tree_.post[number]] = number;
    }

    const Dag& dag_;
    FlatTree& tree_;
    const Task& task_;
    std::vector<Open> open_;
};

}  // namespace

void flatten(const Dag& dag, Node root, FlatTree& tree, const Task& task) {
    Flattener(dag, tree, task).run(root, dag.label(root), dag.children(root));
}

void flatten(const Dag& dag, Label root, std::span<const Node> children, FlatTree& tree, const Task& task) {
    Flattener(dag, tree, task).run(kNone, root, children);
}

}  // namespace treekernels
