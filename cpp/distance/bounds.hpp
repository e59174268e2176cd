// What shows that two trees are far apart without comparing them, for unit costs: each edit changes the number of nodes
// by one at most, and takes away and adds one label at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// The sorted labels of many trees.
class LabelLists {
public:
    void add(const Dag& dag, Node root, const Task& task) {
        const auto begin = static_cast<std::ptrdiff_t>(labels_.size());
        open_.assign(1, root);
        for (std::size_t seen = 0; !open_.empty(); ++seen) {
            if (seen % 4096 == 0) task.check();
            const Node node = open_.back();
            open_.pop_back();
            labels_.push_back(dag.label(node));
            open_.insert(open_.end(), dag.children(node).begin(), dag.children(node).end());
        }
        std::sort(labels_.begin() + begin, labels_.end());
        offset_.push_back(labels_.size());
    }
    std::size_t count() const { return offset_.size() - 1; }
    std::span<const Label> operator[](std::size_t tree) const {
        return {labels_.data() + offset_[tree], labels_.data() + offset_[tree + 1]};
    }

private:
    std::vector<std::uint64_t> offset_{0};
    std::vector<Label> labels_;
    std::vector<Node> open_;
};

// At least how far two trees with these labels are from each other; may stop at what is more than `most`.
inline double label_bound(std::span<const Label> a, std::span<const Label> b, double most) {
    const std::size_t larger = std::max(a.size(), b.size());
    if (static_cast<double>(larger - std::min(a.size(), b.size())) > most)
        return static_cast<double>(larger - std::min(a.size(), b.size()));
    std::size_t i = 0, j = 0, common = 0;
    while (i < a.size() && j < b.size()) {
        const Label x = a[i], y = b[j];
        common += x == y;
        // Without a branch: which of the two is smaller cannot be predicted.
        i += x <= y;
        j += y <= x;
    }
    return static_cast<double>(larger - common);
}

}  // namespace treekernels
