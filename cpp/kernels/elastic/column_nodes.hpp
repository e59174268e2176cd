// The columns of the elastic tree kernel, as some row trees see them.
//
// A label that no row tree has matches nothing. A subtree with such labels only has A(., y) = 0: its parents can do
// without it. Subtrees that differ only in such labels have equal A(., y): one of them stands for all. In a treebank
// this leaves less than half of the subtrees, since a few sentences have few of the words of all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus.hpp"
#include "gram/labels/label_similarity.hpp"
#include "kernels/elastic/lanes.hpp"

namespace treekernels {

// One vector A(., y) to be computed, from those of the next `child_count` child slots.
struct ElasticStep {
    Label label;  // kNone for one that no row tree has
    std::uint32_t slot;
    std::uint32_t child_count;
};

class ElasticColumns {
public:
    ElasticColumns(const Corpus& corpus, const LabelSimilarity& similarity)
        : corpus_(corpus),
          similarity_(similarity),
          step_of_(corpus.node_count()),
          seen_(similarity.label_count(), false) {}

    // Chooses the row trees.
    void see(const ElasticRowTrees& rows, std::span<const std::uint32_t> trees);
    // Plans the visit of a list of subtrees in ascending order. It must hold their children, too.
    void plan(std::span<const Node> list, const Task& task);

    std::span<const ElasticStep> steps() const { return steps_; }
    const std::uint32_t* child_slots() const { return children_.data(); }
    std::size_t child_slot_count() const { return children_.size(); }
    std::size_t slot_count() const { return slot_count_; }
    // The step that gives A(., y) of a listed subtree; kNone where that is 0.
    std::uint32_t step_of(Node y) const { return step_of_[y]; }

private:
    std::uint32_t step(Label label, std::size_t first_child);
    void assign_slots();

    const Corpus& corpus_;
    const LabelSimilarity& similarity_;
    std::vector<std::uint32_t> step_of_;
    std::vector<bool> seen_;  // by label class
    std::vector<std::uint32_t> seen_classes_;
    std::vector<ElasticStep> steps_;
    std::vector<std::size_t> first_child_;  // by step
    std::vector<std::uint32_t> children_;   // as steps, and in the end as slots
    NumberIndex index_;                     // of the steps
    std::vector<std::uint32_t> last_parent_;
    std::vector<std::uint32_t> free_;
    std::uint32_t slot_count_ = 0;
};

}  // namespace treekernels
