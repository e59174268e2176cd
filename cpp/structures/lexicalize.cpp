#include "structures/lexicalize.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace treekernels {

std::vector<Node> lexicalize(const Dag& from, std::span<const Node> roots, std::span<const std::uint32_t> head_child,
                             bool tag, std::string_view separator, Dag& to, Task& task) {
    Reach reach(from, &task);
    for (Node root : roots) reach.add(root);
    std::vector<Label> head;  // of each node, a label of `from`
    std::vector<Node> there, children;
    std::string text;
    for (Node node : reach.nodes()) {
        if (there.size() % 4096 == 0) task.check();
        const auto old = from.children(node);
        text = from.label_text(from.label(node));
        children.clear();
        for (Node child : old) children.push_back(there[reach.place(child)]);
        Label found = from.label(node);
        if (!old.empty()) {
            const Production production = from.production(node);
            const std::uint32_t chosen = production < head_child.size() ? head_child[production] : kNone;
            if (chosen >= old.size()) throw std::invalid_argument("a node has no such child to be its head");
            const bool above_leaf = from.is_leaf(old[chosen]);
            if (!(tag && above_leaf)) found = head[reach.place(old[chosen])];
            const bool preterminal = std::ranges::all_of(old, [&](Node child) { return from.is_leaf(child); });
            if (!preterminal) text.append(separator).append(from.label_text(found));
        }
        head.push_back(found);
        there.push_back(to.intern_node(to.intern_label(text), children));
    }
    std::vector<Node> result;
    result.reserve(roots.size());
    for (Node root : roots) result.push_back(there[reach.place(root)]);
    return result;
}

}  // namespace treekernels
