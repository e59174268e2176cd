// Few trees of a large DAG, in a small one of their own.
#pragma once

#include "bind/bind.hpp"

namespace treekernels {

// What has the same order in a copy of trees, beside their labels: the last bit of a sum may depend on it.
enum class KeptOrder {
    productions,  // for a corpus, which numbers subtrees anew
    subtrees,     // for a scorer, which looks productions up in a model
};

// What is computed of trees needs some memory for every node of their DAG. For a tree among a hundred thousand others
// that would take longer than all the rest, so that such trees are copied.
class FewTrees {
public:
    // The roots are nodes of the DAG, which is not copied from unless it is large and the trees are small.
    FewTrees(const Dag& dag, std::span<const Node> roots, KeptOrder order)
        : dag_(&dag), roots_(roots.begin(), roots.end()) {
        if (dag.size() >= kBriefNodes && is_brief(dag, roots, kBriefComparison)) copy(order);
    }
    FewTrees(const FewTrees&) = delete;
    FewTrees& operator=(const FewTrees&) = delete;

    const Dag& dag() const { return *dag_; }
    std::span<const Node> roots() const { return roots_; }

private:
    void copy(KeptOrder order) {
        const Dag& from = *dag_;
        std::vector<Node> nodes(roots_);
        for (std::size_t next = 0; next < nodes.size(); ++next) {
            const auto children = from.children(nodes[next]);
            nodes.insert(nodes.end(), children.begin(), children.end());
        }
        sort_unique(nodes);
        std::vector<Label> labels;
        for (Node node : nodes) labels.push_back(from.label(node));
        sort_unique(labels);
        for (Label label : labels) small_.intern_label(from.label_text(label));
        if (order == KeptOrder::productions) copy_productions(nodes, labels);
        std::vector<Node> copies, children;
        for (Node node : nodes) {
            children.clear();
            for (Node child : from.children(node)) children.push_back(copies[place(nodes, child)]);
            copies.push_back(small_.intern_node(place(labels, from.label(node)), children));
        }
        for (Node& root : roots_) root = copies[place(nodes, root)];
        dag_ = &small_;
    }
    // As nodes whose children are leaves: that is all there is to a production.
    void copy_productions(const std::vector<Node>& nodes, const std::vector<Label>& labels) {
        std::vector<Production> productions;
        for (Node node : nodes)
            if (!dag_->is_leaf(node)) productions.push_back(dag_->production(node));
        sort_unique(productions);
        std::vector<Node> leaves;
        for (Production production : productions) {
            const Node example = dag_->production_node(production);
            leaves.clear();
            for (Node child : dag_->children(example))
                leaves.push_back(small_.intern_node(place(labels, dag_->label(child)), {}));
            small_.intern_node(place(labels, dag_->label(example)), leaves);
        }
    }
    static void sort_unique(std::vector<std::uint32_t>& numbers) {
        std::ranges::sort(numbers);
        const auto repeated = std::ranges::unique(numbers);
        numbers.erase(repeated.begin(), repeated.end());
    }
    static std::uint32_t place(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(numbers, number) - numbers.begin());
    }

    const Dag* dag_;
    std::vector<Node> roots_;
    Dag small_;
};

}  // namespace treekernels
