// What examples score that are visited in a known order, while some of them are added to the model.
//
// The score of a visit is that of all additions before it. They are brought to the visits to come in blocks of several
// sizes, each of which is a part of one of the next size. When a block begins, its visits get all that was added in the
// block around it; what was added before that they have got together with that block. So every addition reaches every
// later visit once, and a visit is scored once for each size: the larger blocks have trees that share most of their
// subtrees, and can be scored by any number of threads. Only within the smallest blocks, additions are served one at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/threads/crew.hpp"
#include "core/threads/tasks.hpp"
#include "models/scorers.hpp"

namespace treekernels {

// Scores trees against a forest that does not change, on several threads. Threads and scorers are kept for the next
// time.
class ParallelScorer {
public:
    // `lists` are of trees that are scored again and again; null if there are none.
    ParallelScorer(const FrozenForest& forest, const Dag& dag, std::size_t outputs, unsigned threads,
                   const TreeLists* lists = nullptr)
        : forest_(forest), dag_(dag), outputs_(outputs), lists_(lists), scorers_(threads), crew_(threads) {}
    // To be called when there are other lists.
    void forget() {
        for (auto& scorer : scorers_) scorer.reset();
    }
    // Adds what the trees score to `scores`, by tree and output. One of the threads first does something else. The task
    // `advances`, if there is one, with the trees that are done.
    void add_scores(std::span<const Node> roots, double* scores, const Task& task,
                    const std::function<void()>& meanwhile = {}, Task* advances = nullptr);

private:
    void score_part(std::size_t thread, std::span<const Node> roots, double* scores, const Task& task);

    const FrozenForest& forest_;
    const Dag& dag_;
    const std::size_t outputs_;
    const TreeLists* const lists_;
    std::vector<std::unique_ptr<TreeScorer>> scorers_;
    std::vector<std::uint32_t> order_;  // of the trees, those that share subtrees together
    std::vector<Node> sorted_;          // distinct roots
    std::vector<double> results_;
    Crew crew_;
};

class Visits {
public:
    // `large` and `small` are two of the same kind.
    Visits(std::unique_ptr<WeightedTrees> large, std::unique_ptr<WeightedTrees> small, const Dag& dag,
           std::size_t outputs, unsigned threads);

    // Makes ready for trees to be visited.
    void expect(std::span<const Node> roots, const Task& task);
    // These trees in their order, and what each scores before anything is added.
    void begin(std::vector<Node> roots, std::vector<double> scores);
    // What the next one scores, by output.
    const double* next(const Task& task);
    // Adds the tree that was visited last. Does all or nothing.
    void add(const double* alpha);
    // The trees that were added since `begin`, and their coefficients.
    const std::vector<Node>& added() const { return added_; }
    const std::vector<double>& alphas() const { return alphas_; }
    std::size_t visited() const { return next_; }

private:
    // Brings the additions of some visits to others.
    void spread(std::size_t begin, std::size_t middle, std::size_t end, const Task& task);

    const std::size_t outputs_;
    std::unique_ptr<WeightedTrees> large_, small_;
    TreeLists lists_;
    ParallelScorer large_scorer_, small_scorer_;
    std::vector<Node> roots_;     // by visit
    std::vector<double> scores_;  // by visit and output
    std::size_t next_ = 0;
    std::vector<std::size_t> when_;  // visits of the additions
    std::vector<Node> added_;
    std::vector<double> alphas_;
};

}  // namespace treekernels
