#include "structures/prune.hpp"

#include <algorithm>

#include "core/trees/dag_copier.hpp"

namespace treekernels {

// What becomes of a subtree depends on how far down it starts. So this goes level by level, and on each looks at
// every distinct subtree once that is too deep for what is left of the depth.
std::vector<Node> prune_depth(const Dag& from, std::span<const Node> roots, std::uint64_t depth, Dag& to, Task& task) {
    Reach reach(from, &task);
    for (Node root : roots) reach.add(root);
    std::vector<std::uint32_t> height(reach.nodes().size(), 1);
    for (std::size_t place = 0; place < height.size(); ++place)
        for (Node child : from.children(reach.nodes()[place]))
            height[place] = std::max(height[place], height[reach.place(child)] + 1);

    Copier copier(from, to, task);
    std::vector<std::vector<Node>> levels;  // those to be cut
    std::vector<std::uint32_t> seen_on(height.size(), kNone);
    const auto add = [&](Node node, std::uint32_t level) {
        const std::uint32_t place = reach.place(node);
        if (height[place] <= depth - level || seen_on[place] == level) return;
        seen_on[place] = level;
        if (levels.size() == level) levels.emplace_back();
        levels[level].push_back(node);
    };
    for (Node root : roots) add(root, 0);
    for (std::uint32_t level = 0; level < levels.size() && level + 1 < depth; ++level) {
        for (std::size_t at = 0; at < levels[level].size(); ++at) {
            if (at % 4096 == 0) task.check();
            for (Node child : from.children(levels[level][at])) add(child, level + 1);
        }
    }

    std::vector<Node> cut(height.size(), kNone), now, children;
    const auto pruned = [&](Node node, std::uint64_t left) {
        const std::uint32_t place = reach.place(node);
        return height[place] <= left ? copier.copy(node) : cut[place];
    };
    for (std::size_t level = levels.size(); level-- > 0;) {
        task.check();
        now.clear();
        for (Node node : levels[level]) {
            children.clear();
            if (level + 1 < depth)
                for (Node child : from.children(node)) children.push_back(pruned(child, depth - level - 1));
            now.push_back(to.intern_node(copier.label(from.label(node)), children));
        }
        for (std::size_t at = 0; at < now.size(); ++at) cut[reach.place(levels[level][at])] = now[at];
    }
    std::vector<Node> result;
    result.reserve(roots.size());
    for (Node root : roots) result.push_back(pruned(root, depth));
    return result;
}

}  // namespace treekernels
