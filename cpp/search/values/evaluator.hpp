// Exact kernel values between one tree and the trees of a segment.
//
// K(q, x) is the sum over the nodes v of x of what q has in common with v. That sum over the subtree below a node is a
// number of the node alone, whatever tree it is in: it is computed once for each distinct subtree that is met. Damped
// counts do not add up in that way: then what each distinct subtree has in common is kept, and a tree is gone through.
#pragma once

#include <span>
#include <vector>

#include "search/query_tree.hpp"
#include "search/segments/segment.hpp"
#include "search/values/fragment_rule.hpp"

namespace treekernels {

// Belongs to one thread, and may be used for one segment and query after the other.
class Evaluator {
public:
    explicit Evaluator(FragmentRule rule)
        : rule_(std::move(rule)), sums_below_(rule_.damping == CountDamping::linear) {}

    // `kinds` has, by group of the query, the kind that it is in the segment, or kNone. All three must stay.
    void begin(const Segment& segment, const QueryTree& query, std::span<const NodeKind> kinds);
    // Lets go of them.
    void end();

    // K(query, tree below the root).
    double value(Node root, const Task& task);
    // Whether the query is that tree.
    bool is_equal(Node root);

private:
    struct Known {
        double sum;          // over the subtree or, where counts are damped, of the node alone
        std::size_t values;  // C with each member of its group of the query: where they begin
    };

    // The sum of a leaf, or of a node that has only leaves below it: these need not be kept.
    double flat_value(Node node, NodeKind kind, std::uint32_t group) const;
    void find(Node node, std::span<const Node> children);
    void forget();
    // K(query, tree below the root) with damped counts, when all nodes below it are known.
    double damped_sum(Node root);
    double own_value(Node node) const;

    const FragmentRule rule_;
    const bool sums_below_;
    const Segment* segment_ = nullptr;
    const QueryTree* query_ = nullptr;
    std::span<const NodeKind> kinds_;
    std::vector<std::uint32_t> group_of_;  // by kind of the segment; kNone where the query has none
    std::vector<std::uint32_t> place_;     // by node of the segment: in `known_`
    std::vector<Known> known_;
    std::vector<Node> met_;
    std::vector<double> values_;
    std::vector<Node> open_;
    // For damped_sum(): nodes to look at, those of the tree, and by node how often it occurs there.
    std::vector<std::pair<Node, std::size_t>> walk_;
    std::vector<Node> tree_;
    std::vector<double> times_;
    // Of the children of the node at hand: the group of the query, and where C with its members begins.
    struct Child {
        std::uint32_t group;
        std::size_t values;
    };
    static constexpr std::size_t kFlat = static_cast<std::size_t>(-1);  // no values: it is flat
    std::vector<Child> child_;
    std::vector<double> flat_;        // by node of the query: C with a node of its kind that has only leaves below it
    std::vector<double> flat_total_;  // by group: what such a node has in common with the query
    std::vector<std::pair<std::uint32_t, Node>> compared_;
    std::vector<Node> image_;
};

}  // namespace treekernels
