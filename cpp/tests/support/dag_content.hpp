// All that can be asked of a DAG, to be compared.
#pragma once

#include <string>
#include <vector>

#include "core/dag.hpp"
#include "tests/support/check.hpp"

namespace treekernels::tests {

struct DagContent {
    std::vector<std::string> labels;
    std::vector<Label> node_labels;
    std::vector<std::vector<Node>> children;
    std::vector<Production> productions;
    std::vector<Node> production_nodes;
    std::size_t edges = 0;
    bool operator==(const DagContent&) const = default;

    explicit DagContent(const Dag& dag) : edges(dag.edge_count()) {
        for (Label label = 0; label < dag.label_count(); ++label) labels.emplace_back(dag.label_text(label));
        for (Node node = 0; node < dag.size(); ++node) {
            node_labels.push_back(dag.label(node));
            children.emplace_back(dag.children(node).begin(), dag.children(node).end());
            productions.push_back(dag.production(node));
        }
        for (Production p = 0; p < dag.production_count(); ++p) production_nodes.push_back(dag.production_node(p));
    }

    bool begins_with(const DagContent& other) const {
        const auto begins = [](const auto& all, const auto& some) {
            return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
        };
        return begins(labels, other.labels) && begins(node_labels, other.node_labels) &&
               begins(children, other.children) && begins(productions, other.productions) &&
               begins(production_nodes, other.production_nodes);
    }
};

// What holds for every DAG: everything in it can be found, once, and children come before parents.
inline void check_consistency(const Dag& dag) {
    const DagContent content(dag);
    std::size_t edges = 0;
    std::vector<bool> has_node(dag.production_count(), false);
    for (Label label = 0; label < dag.label_count(); ++label) CHECK(dag.find_label(dag.label_text(label)) == label);
    for (Node node = 0; node < dag.size(); ++node) {
        std::vector<Label> labels;
        edges += content.children[node].size();
        CHECK(content.node_labels[node] < dag.label_count());
        for (Node child : content.children[node]) {
            CHECK(child < node);
            labels.push_back(dag.label(child));
        }
        CHECK(dag.find_node(content.node_labels[node], content.children[node]) == node);
        CHECK(dag.is_leaf(node) == content.children[node].empty());
        if (dag.is_leaf(node)) {
            CHECK(content.productions[node] == kNone);
            continue;
        }
        CHECK(content.productions[node] < dag.production_count());
        CHECK(dag.find_production(content.node_labels[node], labels) == content.productions[node]);
        has_node[content.productions[node]] = true;
    }
    CHECK(edges == dag.edge_count());
    for (Production p = 0; p < dag.production_count(); ++p)
        CHECK(has_node[p] && dag.production(dag.production_node(p)) == p);
}

}  // namespace treekernels::tests
