// Memory for the sweep of the elastic tree kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corpus.hpp"

namespace treekernels {

// Which slot holds A(., y), for a list of subtrees y that is visited in ascending order. A slot is used again once the
// last parent of its subtree has been visited. Slots are listed in the order of the visit.
class Slots {
public:
    explicit Slots(const Corpus& corpus)
        : corpus_(corpus), slot_(corpus.node_count()), last_parent_(corpus.node_count()) {}

    void plan(std::span<const Node> list) {
        for (Node y : list) {
            last_parent_[y] = y;  // children come first, so parents overwrite it
            for (Node child : corpus_.children(y)) last_parent_[child] = y;
        }
        own_.clear();
        children_.clear();
        free_.clear();
        count_ = 0;
        for (Node y : list) {
            if (free_.empty()) {
                slot_[y] = count_++;
            } else {
                slot_[y] = free_.back();
                free_.pop_back();
            }
            own_.push_back(slot_[y]);
            for (Node child : corpus_.children(y)) children_.push_back(slot_[child]);
            for (Node child : corpus_.children(y)) give_back(child, y);
            if (last_parent_[y] == y) free_.push_back(slot_[y]);
        }
    }
    std::size_t count() const { return count_; }
    const std::uint32_t* own() const { return own_.data(); }
    const std::uint32_t* children() const { return children_.data(); }

private:
    // Once, even if the child occurs twice.
    void give_back(Node child, Node parent) {
        if (last_parent_[child] != parent) return;
        free_.push_back(slot_[child]);
        last_parent_[child] = kNone;
    }

    const Corpus& corpus_;
    std::vector<std::uint32_t> slot_;
    std::vector<Node> last_parent_;
    std::vector<std::uint32_t> own_;
    std::vector<std::uint32_t> children_;
    std::vector<std::uint32_t> free_;
    std::uint32_t count_ = 0;
};

}  // namespace treekernels
