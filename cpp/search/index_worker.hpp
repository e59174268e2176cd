// One thread that searches an index: the memory it needs, and queries as segments see them.
#pragma once

#include <cmath>

#include "search/tree_index.hpp"
#include "search/values/gram_values.hpp"

namespace treekernels {

// The trees of a DAG for QueryTree, and what their productions bring to fragments.
struct DagTrees {
    const Dag& dag;
    const FragmentRule& rule;
    std::span<const Node> children(Node node) const { return dag.children(node); }
    NodeKind kind(Node node) const {
        return dag.is_leaf(node) ? static_cast<NodeKind>(dag.production_count()) + dag.label(node)
                                 : dag.production(node);
    }
    double factor(Production production) const { return rule.factor(dag, production); }
};

// The same of a segment.
struct SegmentTrees {
    const Segment& segment;
    std::span<const double> factors;  // by production
    std::span<const Node> children(Node node) const { return segment.children(node); }
    NodeKind kind(Node node) const { return segment.kind(node); }
    double factor(Production production) const { return factors[production]; }
};

class TreeIndex::Worker {
public:
    explicit Worker(const FragmentRule& rule) : rule_(rule), search_(rule) {}

    // Reads a tree of a DAG, and says whether it has any fragments. It may be too large to be compared here.
    bool read(const Dag& dag, Node root, const Task& task) {
        if (dag.is_leaf(root)) {
            const std::string_view text = dag.label_text(dag.label(root));
            if (text == "-EMPTY-" || text == "-MISSING-") return false;
        }
        if (places_.size() < dag.size()) places_.resize(dag.size(), kNone);
        tree_.read(DagTrees{dag, rule_}, root, rule_.damping, places_, task);
        return measure(task);
    }
    // The same for a column of a segment.
    bool read(const SegmentTrees& trees, std::uint32_t column, const Task& task) {
        const Segment& segment = trees.segment;
        if (places_.size() < segment.node_count()) places_.resize(segment.node_count(), kNone);
        tree_.read(trees, segment.root(column), rule_.damping, places_, task);
        return measure(task);
    }
    bool is_large() const { return large_; }
    const QueryTree& tree() const { return tree_; }

    // The tree, which is one of the DAG, as a segment sees it.
    Query query(const Dag& dag, const Segment& segment, bool normalize) {
        translate(dag, segment);
        find_features(segment);
        return {tree_, kinds_, features_, normalize};
    }
    // The tree, which is a column of the segment; only those before it are looked at.
    Query query(const Segment& segment, std::uint32_t column, bool normalize) {
        kinds_.clear();
        for (std::uint32_t group = 0; group < tree_.group_count(); ++group) kinds_.push_back(tree_.group_kind(group));
        find_features(segment);
        return {tree_, kinds_, features_, normalize, column};
    }
    SegmentSearch& search() { return search_; }

private:
    void translate(const Dag& dag, const Segment& segment) {
        kinds_.clear();
        const auto productions = static_cast<NodeKind>(dag.production_count());
        const auto label = [&](Label own) { return segment.find_label(dag.label_text(own)); };
        for (std::uint32_t group = 0; group < tree_.group_count(); ++group) {
            const NodeKind kind = tree_.group_kind(group);
            if (kind >= productions) {
                const Label found = label(kind - productions);
                kinds_.push_back(found == kNone ? kNone : static_cast<NodeKind>(segment.production_count()) + found);
                continue;
            }
            const Node example = dag.production_node(kind);
            labels_.assign(1, label(dag.label(example)));
            for (Node child : dag.children(example)) labels_.push_back(label(dag.label(child)));
            kinds_.push_back(segment.find_production(labels_));
        }
    }
    // Once the kinds are known.
    void find_features(const Segment& segment) {
        features_ = kinds_;
        for (const auto [parent, position] : tree_.edges()) {
            const NodeKind above = kinds_[tree_.group(parent)];
            const NodeKind below = kinds_[tree_.group(tree_.children(parent)[position])];
            features_.push_back(above == kNone || below == kNone ? kNone : segment.find_edge({above, position, below}));
        }
    }
    bool measure(const Task& task) {
        large_ = tree_.is_large();
        if (large_) return true;
        tree_.measure(rule_, task);
        large_ = std::isinf(tree_.norm());
        return tree_.norm() > 0.0;
    }

    const FragmentRule rule_;
    std::vector<std::uint32_t> places_;
    QueryTree tree_;
    bool large_ = false;
    std::vector<NodeKind> kinds_;
    std::vector<Feature> features_;
    std::vector<Label> labels_;
    SegmentSearch search_;
};

// A worker that goes back to the others in the end.
class TreeIndex::Lease {
public:
    explicit Lease(const TreeIndex& index) : index_(index) {
        {
            const std::lock_guard lock(index.workers_mutex_);
            if (!index.workers_.empty()) {
                worker_ = std::move(index.workers_.back());
                index.workers_.pop_back();
            }
        }
        if (!worker_) worker_ = std::make_unique<Worker>(index.rule_);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        try {
            const std::lock_guard lock(index_.workers_mutex_);
            index_.workers_.push_back(std::move(worker_));
        } catch (...) {  // no memory to keep it
        }
    }
    Worker& operator*() const { return *worker_; }

private:
    const TreeIndex& index_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace treekernels
