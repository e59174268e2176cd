#include "core/trees/document_frequencies.hpp"

#include "core/trees/tree_nodes.hpp"

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

DocumentFrequencies document_frequencies(const Dag& dag, std::span<const Node> roots, bool labels, Dag& keys,
                                         const Task& task) {
    const auto counts = labels ? label_frequencies(dag, roots, task) : production_frequencies(dag, roots, task);
    DocumentFrequencies found;
    std::vector<Node> children;
    const auto leaf = [&](Label label) { return keys.intern_node(keys.intern_label(dag.label_text(label)), {}); };
    for (std::uint32_t key = 0; key < counts.size(); ++key) {
        if (key % 4096 == 0) task.check();
        if (counts[key] == 0) continue;
        found.counts.push_back(counts[key]);
        if (labels) {
            found.keys.push_back(leaf(key));
            continue;
        }
        const Node node = dag.production_node(key);
        children.clear();
        for (Node child : dag.children(node)) children.push_back(leaf(dag.label(child)));
        found.keys.push_back(keys.intern_node(keys.intern_label(dag.label_text(dag.label(node))), children));
    }
    return found;
}

}  // namespace treekernels
