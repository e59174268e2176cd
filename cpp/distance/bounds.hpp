// What shows that two trees are far apart without comparing them, for unit costs.
//
// Each edit changes the number of nodes by one at most, takes away and adds one label at most, and is one edit of the
// labels in preorder, and of those in postorder. (Binary branches say less than labels on all data that we looked at,
// and pq-grams bound other costs.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/locks.hpp"
#include "distance/flat_tree.hpp"
#include "distance/levenshtein.hpp"

namespace treekernels {

// The sorted labels of many trees.
class LabelLists {
public:
    // If that fails, what is there has to be shortened.
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
    // Forgets all trees but the first.
    void shorten(std::size_t trees) {
        offset_.resize(trees + 1);
        labels_.resize(offset_.back());
    }
    std::size_t count() const { return offset_.size() - 1; }
    std::span<const Label> operator[](std::size_t tree) const {
        return {labels_.data() + offset_[tree], labels_.data() + offset_[tree + 1]};
    }

    // Held shared by readers and exclusively by whoever adds trees.
    SharedMutex& mutex() const { return mutex_; }

private:
    std::vector<std::uint64_t> offset_{0};
    std::vector<Label> labels_;
    std::vector<Node> open_;
    mutable SharedMutex mutex_;
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

// Compares one tree with many others by their labels.
class LabelBounds {
public:
    void assign(const FlatTree& tree, std::size_t label_count) {
        orders_[0] = tree.label;
        orders_[1].resize(tree.count());
        for (std::size_t place = 0; place < tree.count(); ++place) orders_[1][place] = tree.label[tree.pre[place]];
        sorted_ = tree.label;
        std::ranges::sort(sorted_);
        // Labels of other trees alone are all the same to it.
        for (Label label : known_) number_[label] = 0;
        number_.resize(std::max(number_.size(), label_count), 0);
        known_ = sorted_;
        known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
        std::uint32_t next = 0;
        for (Label label : known_) number_[label] = ++next;
        if (known_.size() + 1 > tokens_) {
            tokens_ = 2 * (known_.size() + 1);
            comparison_.emplace(tokens_);
        }
    }
    std::span<const Label> sorted() const { return sorted_; }

    // What follows is asked of the trees in preorder (0) or in postorder (1).
    void choose(std::size_t order) {
        number_all(orders_[order]);
        comparison_->set_pattern(numbers_);
    }
    double string_bound(std::span<const Label> labels) {
        number_all(labels);
        return static_cast<double>(comparison_->distance(numbers_));
    }

private:
    void number_all(std::span<const Label> labels) {
        numbers_.clear();
        for (Label label : labels) numbers_.push_back(number_[label]);
    }

    std::vector<Label> orders_[2], sorted_, known_;
    std::vector<std::uint32_t> number_, numbers_;
    std::size_t tokens_ = 0;
    std::optional<Levenshtein> comparison_;
};

}  // namespace treekernels
