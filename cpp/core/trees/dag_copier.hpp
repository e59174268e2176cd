// Copies subtrees from one DAG to another, each distinct one once, as they are asked for.
#pragma once

#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

class Copier {
public:
    // Labels may be changed on the way.
    Copier(const Dag& from, Dag& to, const Task& task, Dag::Relabel relabel = std::identity())
        : from_(from),
          to_(to),
          task_(task),
          relabel_(std::move(relabel)),
          reach_(from, &task),
          label_there_(from.label_count(), kNone) {}

    // Where the subtree is in the other DAG.
    Node copy(Node root) {
        reach_.add(root);
        for (std::size_t place = node_there_.size(); place < reach_.nodes().size(); ++place) {
            if (place % 4096 == 0) task_.check();
            const Node node = reach_.nodes()[place];
            children_.clear();
            for (Node child : from_.children(node)) {
                TREEKERNELS_ASSERT(reach_.place(child) < place);
                children_.push_back(node_there_[reach_.place(child)]);
            }
            node_there_.push_back(to_.intern_node(label(from_.label(node)), children_));
        }
        return node_there_[reach_.place(root)];
    }

    Label label(Label label) {
        TREEKERNELS_ASSERT(label < label_there_.size());
        Label& there = label_there_[label];
        if (there == kNone) there = to_.intern_label(relabel_(from_.label_text(label)));
        return there;
    }

private:
    const Dag& from_;
    Dag& to_;
    const Task& task_;
    Dag::Relabel relabel_;
    Reach reach_;
    std::vector<Label> label_there_;
    std::vector<Node> node_there_;
    std::vector<Node> children_;
};

}  // namespace treekernels
