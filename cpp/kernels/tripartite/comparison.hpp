// What two sentence pairs have in common: the matching nodes of their texts and of their hypotheses, and the pairs of
// placeholders that these bring along. All ways of computing the tripartite kernel start from it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/threads/tasks.hpp"
#include "gram/pairs/pairwise.hpp"
#include "kernels/tripartite/placeholders.hpp"
#include "kernels/tripartite/seeds.hpp"

namespace treekernels {

// Pairs (placeholder of the first example, placeholder of the second), numbered in order of first use.
class PlaceholderPairs {
public:
    void reset(std::uint32_t left_count, std::uint32_t right_count);
    std::uint32_t number(std::uint32_t left, std::uint32_t right) {
        std::uint32_t& number = grid_.empty()
                                    ? sparse_.try_emplace(std::uint64_t{left} << 32 | right, kNone).first->second
                                    : grid_[std::size_t{left} * right_count_ + right];
        if (number == kNone) {
            number = static_cast<std::uint32_t>(pairs_.size());
            pairs_.push_back({left, right});
        }
        return number;
    }

    std::size_t size() const { return pairs_.size(); }
    std::uint32_t left(std::uint32_t pair) const { return pairs_[pair].left; }
    std::uint32_t right(std::uint32_t pair) const { return pairs_[pair].right; }
    std::uint32_t left_count() const { return left_count_; }
    std::uint32_t right_count() const { return right_count_; }

private:
    struct Two {
        std::uint32_t left, right;
    };
    std::uint32_t left_count_ = 0;
    std::uint32_t right_count_ = 0;
    std::vector<Two> pairs_;
    std::vector<std::uint32_t> grid_;  // numbers by left and right; unused where that would be too large
    std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> sparse_;
};

// Node pairs in order of first use, each once.
class NodePairs {
public:
    void assign(std::span<const Seed> distinct) {
        pairs_.clear();
        for (const Seed& seed : distinct) pairs_.push_back(seed.nodes);
        if (!known_.empty()) known_.clear();
    }
    void insert(NodePair pair);
    std::vector<NodePair>& pairs() { return pairs_; }

private:
    std::vector<NodePair> pairs_;
    std::unordered_set<std::uint64_t, NumberHash> known_;  // used where a search through the list would be slow
};

// Two nodes whose productions agree, placeholders included: those can be made equal by a one-to-one renaming.
struct Match {
    std::uint64_t first_pair;  // of those that the production brings along, each once
    std::uint64_t last_pair;
    std::uint64_t first_child;  // of the matches between children at the same position
    std::uint64_t last_child;
    double count;  // how often the two nodes occur in their trees, multiplied
};

// The matches between two trees of one side, children before parents.
class SideMatches {
public:
    void find(const AnchoredTrees& trees, std::size_t a, std::size_t b, PlaceholderPairs& numbers, const Task& task);

    // Only the matches that fragments with placeholders can be made of. The seeds are ascending.
    void find_anchored(const AnchoredTrees& trees, std::size_t a, std::size_t b, std::span<const Seed> seeds,
                       PlaceholderPairs& numbers, const Task& task);
    // The same for simple seeds.
    void take_simple(std::span<const Seed> seeds, double decay, PlaceholderPairs& numbers);

    const std::vector<Match>& matches() const { return matches_; }
    std::span<const std::uint32_t> pairs(const Match& match) const {
        return {pairs_.data() + match.first_pair, pairs_.data() + match.last_pair};
    }
    std::span<const std::uint32_t> children(const Match& match) const {
        return {children_.data() + match.first_child, children_.data() + match.last_child};
    }

private:
    void clear();
    // Appends the pairs of a production.
    void add_pairs(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
                   PlaceholderPairs& numbers) {
        for (std::size_t slot = 0; slot < left.size(); ++slot)
            pairs_.push_back(numbers.number(left[slot], right[slot]));
    }
    void add_above(const AnchoredTrees& trees, std::size_t a, std::size_t b, const Task& task);

    KeyMatches equal_keys_;
    NodePairs nodes_;
    std::vector<Match> matches_;
    std::vector<std::uint32_t> pairs_;
    std::vector<std::uint32_t> children_;
};

struct Comparison {
    void find(const AnchoredPairs& examples, std::size_t a, std::size_t b, const Task& task) {
        pairs.reset(examples.placeholder_count(a), examples.placeholder_count(b));
        texts.find(examples.texts(), a, b, pairs, task);
        hypotheses.find(examples.hypotheses(), a, b, pairs, task);
    }

    PlaceholderPairs pairs;
    SideMatches texts;
    SideMatches hypotheses;
};

}  // namespace treekernels
