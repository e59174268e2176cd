#include "kernels/elastic/column_nodes.hpp"

#include <algorithm>

namespace treekernels {

void ElasticColumns::see(const ElasticRowTrees& rows, std::span<const std::uint32_t> trees) {
    for (const std::uint32_t label_class : seen_classes_) seen_[label_class] = false;
    seen_classes_.clear();
    for (const std::uint32_t tree : trees) {
        for (Node node : rows.corpus.nodes(tree)) {
            const Label label = rows.label(node);
            if (label == kNone) continue;
            const std::uint32_t label_class = similarity_.class_of(label);
            if (seen_[label_class]) continue;
            seen_[label_class] = true;
            seen_classes_.push_back(label_class);
        }
    }
}

void ElasticColumns::plan(std::span<const Node> list, const Task& task) {
    steps_.clear();
    first_child_.clear();
    children_.clear();
    index_.clear();
    std::size_t work = 0;
    for (Node y : list) {
        if (++work % 4096 == 0) task.check();
        const std::size_t first = children_.size();
        for (Node child : corpus_.children(y))
            if (step_of_[child] != kNone) children_.push_back(step_of_[child]);
        const Label label = corpus_.label(y);
        if (seen_[similarity_.class_of(label)]) {
            step_of_[y] = step(label, first);
        } else if (const std::size_t count = children_.size() - first; count > 1) {
            step_of_[y] = step(kNone, first);
        } else {
            step_of_[y] = count == 1 ? children_.back() : kNone;
            children_.resize(first);
        }
    }
    assign_slots();
}

// The step with this label and the last children, which are forgotten unless it is new.
std::uint32_t ElasticColumns::step(Label label, std::size_t first_child) {
    const std::span<const std::uint32_t> children(children_.begin() + static_cast<std::ptrdiff_t>(first_child),
                                                  children_.end());
    std::uint64_t hash = mix(hash_secret(), label);
    for (std::uint32_t child : children) hash = mix(hash, child);
    const std::uint32_t known = index_.find(hash, [&](std::uint32_t other) {
        const ElasticStep& step = steps_[other];
        return step.label == label && step.child_count == children.size() &&
               std::equal(children.begin(), children.end(), children_.begin() + first_child_[other]);
    });
    if (known != kNone) {
        children_.resize(first_child);
        return known;
    }
    const auto number = static_cast<std::uint32_t>(steps_.size());
    index_.insert(hash, number);
    first_child_.push_back(first_child);
    steps_.push_back({label, kNone, static_cast<std::uint32_t>(children.size())});
    return number;
}

// A slot is used again once the last parent of its subtree has been visited.
void ElasticColumns::assign_slots() {
    last_parent_.resize(steps_.size());
    auto next = children_.begin();
    for (std::uint32_t number = 0; number < steps_.size(); ++number) {
        last_parent_[number] = number;  // children come first, so parents overwrite it
        for (std::uint32_t i = 0; i < steps_[number].child_count; ++i) last_parent_[*next++] = number;
    }
    free_.clear();
    slot_count_ = 0;
    next = children_.begin();
    for (std::uint32_t number = 0; number < steps_.size(); ++number) {
        ElasticStep& step = steps_[number];
        if (free_.empty()) {
            step.slot = slot_count_++;
        } else {
            step.slot = free_.back();
            free_.pop_back();
        }
        for (std::uint32_t i = 0; i < step.child_count; ++i, ++next) {
            const std::uint32_t child = *next;
            *next = steps_[child].slot;
            if (last_parent_[child] != number) continue;
            last_parent_[child] = kNone;  // given back once, even if the child occurs twice
            free_.push_back(*next);
        }
        if (last_parent_[number] == number) free_.push_back(step.slot);
    }
}

}  // namespace treekernels
