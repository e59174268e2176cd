#include "gram/pairs/all_pairs.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"

namespace treekernels {

namespace {

constexpr double kMostNodes = 8192;  // of a tree: half a gigabyte for the matrix of two

}  // namespace

WrittenOutTrees::WrittenOutTrees(const Corpus& corpus, std::span<const std::uint32_t> keys, bool link_leaves,
                                 const Task& task) {
    // Children have smaller numbers. A number that is too large for a sum stays too large.
    std::vector<double> size(corpus.node_count(), 1.0);
    for (Node node = 0; node < size.size(); ++node)
        for (const Node child : corpus.children(node)) size[node] += size[child];
    double total = 0.0;
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        const double nodes = size[corpus.root(tree)];
        if (nodes > kMostNodes)
            throw TooLarge("the algorithm 'qtk' has a number for each pair of nodes and takes trees of at most " +
                           std::to_string(static_cast<int>(kMostNodes)) +
                           " nodes, but there is a larger one: use the algorithm 'corpus' or 'ftk'");
        total += nodes;
    }
    const auto count = static_cast<std::size_t>(total);
    for (auto* numbers : {&node_, &key_, &child_}) numbers->reserve(count);
    weight_.reserve(count);
    edge_.reserve(count + corpus.tree_count());
    tree_offset_.reserve(corpus.tree_count() + 1);
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        task.check();
        append(corpus, tree, keys, link_leaves);
    }
}

void WrittenOutTrees::append(const Corpus& corpus, std::size_t tree, std::span<const std::uint32_t> keys,
                             bool link_leaves) {
    struct Open {
        Node node;
        std::size_t children_done = 0;
    };
    const std::size_t begin = node_.size();
    std::vector<Open> open{{corpus.root(tree)}};
    std::vector<std::uint32_t> done;  // places of nodes whose parents are still open
    while (!open.empty()) {
        const Node node = open.back().node;
        const auto children = corpus.children(node);
        if (open.back().children_done < children.size()) {
            open.push_back({children[open.back().children_done++]});
            continue;
        }
        open.pop_back();
        edge_.push_back(child_.size());
        const std::size_t first = done.size() - children.size();
        for (std::size_t i = 0; i < children.size(); ++i) {
            const bool linked = keys[children[i]] != kNone && (link_leaves || !corpus.is_leaf(children[i]));
            child_.push_back(linked ? done[first + i] : kNone);
        }
        done.resize(first);
        done.push_back(static_cast<std::uint32_t>(node_.size() - begin));
        node_.push_back(node);
        key_.push_back(keys[node]);
    }
    edge_.push_back(child_.size());
    // What a subtree counts is shared by all places where it occurs.
    const auto distinct = corpus.nodes(tree);
    const auto place = [&](Node node) {
        return static_cast<std::size_t>(std::ranges::lower_bound(distinct, node) - distinct.begin());
    };
    std::vector<double> occurrences(distinct.size(), 0.0);
    for (std::size_t i = begin; i < node_.size(); ++i) occurrences[place(node_[i])] += 1.0;
    for (std::size_t i = begin; i < node_.size(); ++i)
        weight_.push_back(corpus.counts(tree)[place(node_[i])] / occurrences[place(node_[i])]);
    tree_offset_.push_back(node_.size());
}

}  // namespace treekernels
