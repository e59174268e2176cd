// Trees of a DAG, each of them once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/corpus.hpp"

namespace treekernels {

class DistinctTrees {
public:
    DistinctTrees() = default;
    explicit DistinctTrees(std::span<const Node> roots) {
        for (Node root : roots) insert(root);
    }
    void insert(Node root) {
        if (number_.try_emplace(root, static_cast<std::uint32_t>(roots_.size())).second) roots_.push_back(root);
    }
    std::span<const Node> roots() const { return roots_; }
    std::size_t size() const { return roots_.size(); }
    // The root must be that of one of them.
    std::uint32_t number(Node root) const { return number_.at(root); }

private:
    std::vector<Node> roots_;
    std::unordered_map<Node, std::uint32_t> number_;
};

// Where each subtree of some trees is in a corpus whose trees from `first` on they are; kNone for the other nodes.
inline std::vector<Node> corpus_nodes(const Corpus& corpus, std::size_t first, const Dag& dag,
                                      std::span<const Node> roots) {
    std::vector<Node> there(dag.size(), kNone);
    std::vector<Node> open;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        if (there[roots[i]] != kNone) continue;
        there[roots[i]] = corpus.root(first + i);
        open.assign(1, roots[i]);
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            const auto children = dag.children(node);
            const auto theirs = corpus.children(there[node]);
            for (std::size_t k = 0; k < children.size(); ++k) {
                if (there[children[k]] != kNone) continue;
                there[children[k]] = theirs[k];
                open.push_back(children[k]);
            }
        }
    }
    return there;
}

}  // namespace treekernels
