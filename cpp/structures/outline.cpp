#include "structures/outline.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace treekernels {

void Outline::fill(const Dag& dag, Node root, const Task& task) {
    node.clear();
    parent.clear();
    begin.clear();
    std::uint32_t leaves = 0;
    std::vector<std::pair<Node, std::uint32_t>> waiting{{root, kNone}};
    while (!waiting.empty()) {
        const auto [next, above] = waiting.back();
        waiting.pop_back();
        const auto number = static_cast<std::uint32_t>(node.size());
        if (number % 4096 == 0) task.check();
        node.push_back(next);
        parent.push_back(above);
        begin.push_back(leaves);
        const auto children = dag.children(next);
        if (children.empty()) ++leaves;
        for (std::size_t at = children.size(); at-- > 0;) waiting.emplace_back(children[at], number);
    }
    stop.resize(size());
    end.resize(size());
    for (std::uint32_t number = 0; number < size(); ++number) {
        stop[number] = number + 1;
        end[number] = begin[number] + (dag.is_leaf(node[number]) ? 1 : 0);
    }
    for (auto number = static_cast<std::uint32_t>(size()); number-- > 1;) {
        stop[parent[number]] = std::max(stop[parent[number]], stop[number]);
        end[parent[number]] = std::max(end[parent[number]], end[number]);
    }
}

void check_outlines(const Dag& dag, std::span<const Node> roots) {
    for (std::uint64_t nodes : tree_sizes(dag, roots).nodes)
        if (nodes >= kNone) throw TooLarge("a tree has too many nodes to be numbered: 4294967294 is the limit");
}

}  // namespace treekernels
