// Random numbers and trees for tests: the same in every run.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/dag.hpp"

namespace treekernels::tests {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    // Any of 0 .. bound-1.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
    // Between 0 and 1.
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    std::uint64_t word() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

// A tree that shares nothing: what the tests compare the DAG with. Children come before parents.
struct PlainTree {
    std::vector<std::string> labels;
    std::vector<std::vector<std::size_t>> children;
    std::size_t root() const { return labels.size() - 1; }
};

// A tree of this many nodes with few labels, so that subtrees repeat.
inline PlainTree random_plain_tree(Random& random, std::size_t size, std::size_t label_count = 3) {
    PlainTree tree;
    std::vector<std::size_t> open;
    for (std::size_t node = 0; node < size; ++node) {
        const bool last = node + 1 == size;
        const std::size_t arity = last ? open.size() : std::min(open.size(), random.below(3) * random.below(2));
        tree.labels.push_back(std::string(1, static_cast<char>('A' + random.below(label_count))));
        tree.children.emplace_back(open.end() - static_cast<std::ptrdiff_t>(arity), open.end());
        open.resize(open.size() - arity);
        open.push_back(node);
    }
    return tree;
}

inline Node intern(Dag& dag, const PlainTree& tree) {
    std::vector<Node> interned;
    for (std::size_t node = 0; node < tree.labels.size(); ++node) {
        std::vector<Node> children;
        for (std::size_t child : tree.children[node]) children.push_back(interned[child]);
        interned.push_back(dag.intern_node(dag.intern_label(tree.labels[node]), children));
    }
    return interned.back();
}

inline std::vector<Node> random_forest(Dag& dag, Random& random, std::size_t trees, std::size_t largest) {
    std::vector<Node> roots;
    for (std::size_t tree = 0; tree < trees; ++tree)
        roots.push_back(intern(dag, random_plain_tree(random, 1 + random.below(largest))));
    return roots;
}

}  // namespace treekernels::tests
