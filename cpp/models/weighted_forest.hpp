// A model: the DAG of the distinct subtrees of its trees, with a weight for each subtree and output.
//
// The score of a tree x is the sum over all trees t of the model of K(x, t) * alpha_t, which is a sum over distinct
// subtrees (Da San Martino et al. 2019): adding a tree costs its size, and a score computes each C(u, v) once, however
// many trees and outputs share v. Scores are of the kernel without normalisation, which callers apply.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "core/trees/tree_nodes.hpp"
#include "models/scorers.hpp"

namespace treekernels {

// Answers like a scorer while trees are added, for trees that were all inserted beforehand: adding does the work, and a
// score costs no more than the size of the tree.
class Responder {
public:
    virtual ~Responder() = default;
    virtual void insert(const TreeNodes& tree) = 0;
    // To be called after the last one.
    virtual void finish(const Task&) {}
    virtual void add(const TreeNodes& tree, const double* alpha, const Task& task) = 0;
    // Only the listed outputs need be right.
    virtual void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const = 0;
    // Of a tree that was the `number`-th to be inserted, from 0 on.
    virtual void score(std::size_t, const TreeNodes& tree, std::span<const std::uint32_t> outputs,
                       double* scores) const {
        score(tree, outputs, scores);
    }
    // That tree will be asked for soon: in so many steps, the last of which is 0. It may be fetched from memory
    // meanwhile.
    virtual void expect(std::size_t, unsigned) const {}
};

// All there is to a forest but its DAG: in order of insertion, so that a copy scores with the same bits.
struct ForestState {
    std::vector<Node> nodes;
    std::vector<double> weights;      // of each node, one output after the other
    std::vector<double> productions;  // the sums of the weights for the productions, in order of first insertion
    std::vector<double> labels;       // and for the labels of leaves, by label
};

class WeightedForest {
public:
    explicit WeightedForest(std::size_t outputs) : outputs_(outputs) {}
    virtual ~WeightedForest() = default;

    std::size_t outputs() const { return outputs_; }
    Dag& dag() { return dag_; }
    const Dag& dag() const { return dag_; }

    // Takes the memory that it needs to add subtrees of its own DAG, children before parents; changes nothing else.
    // What is below a subtree is among them, or has room already.
    virtual void make_room(std::span<const Node> nodes) = 0;
    virtual bool has_room(Node node) const = 0;
    // Adds alpha times a tree. Cannot fail, once there is room for its subtrees.
    virtual void add(const TreeNodes& tree, const double* alpha) = 0;
    // Scores trees of any DAG, which must outlive it. The forest may change between calls. Null where all trees have to
    // be known beforehand.
    virtual std::unique_ptr<TreeScorer> scorer(const Dag&) const { return nullptr; }
    // The forest as it stands, laid out as is best for some trees of a DAG. It must not outlive either, nor be used
    // once one of them has changed.
    virtual std::shared_ptr<const FrozenForest> frozen(const Dag&, std::span<const Node>, const Task&) const {
        return std::make_shared<const LiveForest>(*this);
    }
    // Whether there are no other scorers than those of a frozen forest.
    virtual bool in_batches() const { return false; }
    // Lays the forest out for many trees, so that the first ones to be scored need not wait for it.
    virtual void prepare(const Task&) const {}
    // Whether few trees are scored without work on the whole forest.
    virtual bool is_laid_out() const { return true; }
    // Learning is done: from now on, few trees are scored like many, until the forest changes. A forest that is asked
    // between two changes would have to be laid out each time. What a score is, to the last bit, depends on that, and
    // on nothing else that was done with the forest.
    void settle() { settled_ = true; }
    bool settled() const { return settled_; }
    // The number of subtrees that have been inserted.
    virtual std::size_t size() const = 0;

    virtual ForestState state() const = 0;
    // Whether the weights of the state are those of whole trees, and not of single subtrees.
    virtual bool weighs_trees() const { return false; }
    // Of an empty forest whose DAG has the nodes, children before parents. Throws std::invalid_argument when the parts
    // do not fit together.
    virtual void restore(const ForestState& state) = 0;

    // Adds what another forest of the same kernel has. Its subtrees are nodes of this one's DAG by now, children before
    // parents, and `labels` says where its labels are there. Cannot fail once there is room for that.
    virtual void merge(const ForestState& state, std::span<const Label>) {
        for (std::size_t i = 0; i < state.nodes.size(); ++i)
            add(single(state.nodes[i]), state.weights.data() + i * outputs_);
    }
    virtual void make_room(const ForestState& state, std::span<const Label>) { make_room(state.nodes); }

    // Changes whenever the forest does.
    std::uint64_t revision() const { return revision_; }

protected:
    void change() {
        ++revision_;
        settled_ = false;
    }

    // As it is.
    class LiveForest final : public FrozenForest {
    public:
        explicit LiveForest(const WeightedForest& forest) : forest_(forest) {}
        std::unique_ptr<TreeScorer> scorer(const Dag& source, const TreeLists*) const override {
            return forest_.scorer(source);
        }

    private:
        const WeightedForest& forest_;
    };

    // A subtree without those below it.
    TreeNodes single(const Node& node) const {
        static constexpr double kOnce = 1.0;
        return {dag_, {&node, 1}, {&kOnce, 1}};
    }

    std::size_t outputs_;
    Dag dag_;
    std::uint64_t revision_ = 1;
    bool settled_ = false;
};

// K(tree, tree).
class TreeNorm {
public:
    virtual ~TreeNorm() = default;
    // Trees that will be asked for: some kernels do better with many at a time.
    virtual void announce(std::span<const Node>) {}
    virtual double operator()(const TreeNodes& tree, const Task& task) = 0;
};

}  // namespace treekernels
