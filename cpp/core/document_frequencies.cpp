#include "core/document_frequencies.hpp"

#include "core/tree_nodes.hpp"

namespace treekernels {

namespace {

// `key_of(node)` is below `keys`, or kNone.
template <class KeyOf>
std::vector<std::uint64_t> frequencies(const Dag& dag, std::span<const Node> roots, std::size_t keys, const Task& task,
                                       KeyOf key_of) {
    std::vector<std::uint64_t> result(keys, 0);
    std::vector<std::size_t> last(keys, 0);  // the tree that had it last, from 1 on
    TreeView view(dag);
    for (std::size_t tree = 0; tree < roots.size(); ++tree) {
        task.check();
        for (Node node : view(roots[tree]).nodes()) {
            const std::uint32_t key = key_of(node);
            if (key == kNone || last[key] == tree + 1) continue;
            last[key] = tree + 1;
            ++result[key];
        }
    }
    return result;
}

}  // namespace

std::vector<std::uint64_t> production_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task) {
    return frequencies(dag, roots, dag.production_count(), task, [&](Node node) { return dag.production(node); });
}

std::vector<std::uint64_t> label_frequencies(const Dag& dag, std::span<const Node> roots, const Task& task) {
    return frequencies(dag, roots, dag.label_count(), task, [&](Node node) { return dag.label(node); });
}

}  // namespace treekernels
