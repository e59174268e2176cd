// What a DAG knows of the labels, productions and subtrees of another, found when first asked for.
//
// The one may grow, and is then looked at again; the other must stay as it is.
#pragma once

#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"

namespace treekernels {

class Translation {
public:
    Translation(const Dag& from, const Dag& to) : from_(from), to_(to) {}

    // kNone for what `to` does not have.
    Label label(Label label) {
        return known(labels_, label, from_.label_count(), [&] { return to_.find_label(from_.label_text(label)); });
    }
    Production production(Production production) {
        if (production == kNone) return kNone;
        return known(productions_, production, from_.production_count(), [&] {
            const Node node = from_.production_node(production);
            labels_here_.clear();
            for (Node child : from_.children(node)) labels_here_.push_back(label(from_.label(child)));
            return to_.find_production(label(from_.label(node)), labels_here_);
        });
    }
    // The children of the node must have been asked for before.
    Node node(Node node) {
        return known(nodes_, node, from_.size(), [&] {
            nodes_here_.clear();
            for (Node child : from_.children(node)) {
                TREEKERNELS_ASSERT(nodes_[child] != kUnknown);
                nodes_here_.push_back(nodes_[child]);
            }
            return to_.find_node(label(from_.label(node)), nodes_here_);
        });
    }

    // To be called when `to` has grown: it may have by now what it lacked.
    void look_again() {
        for (std::uint32_t* place : missing_) *place = kUnknown;
        missing_.clear();
    }

private:
    static constexpr std::uint32_t kUnknown = kNone - 1;

    template <class Find>
    std::uint32_t known(std::vector<std::uint32_t>& table, std::uint32_t key, std::size_t size, Find find) {
        if (table.empty()) table.resize(size, kUnknown);
        TREEKERNELS_ASSERT(table.size() == size && key < size);
        if (table[key] == kUnknown) {
            const std::uint32_t found = find();
            table[key] = found;
            if (found == kNone) missing_.push_back(&table[key]);
        }
        return table[key];
    }

    const Dag& from_;
    const Dag& to_;
    std::vector<std::uint32_t> labels_, productions_, nodes_;
    std::vector<std::uint32_t*> missing_;  // places of the tables that hold kNone
    std::vector<Label> labels_here_;
    std::vector<Node> nodes_here_;
};

}  // namespace treekernels
