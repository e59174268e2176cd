// Scores trees against a table of weighted subtrees.
//
// What a subtree scores by itself, its response, is the same in every tree; a tree scores the sum of its subtrees'
// responses, and so does each subtree with all that is below it. These sums are kept, so that a subtree that many trees
// share is looked at once. Where the trees come with lists of their subtrees, which pays when they are scored by one
// table after the other, the responses are kept as they are: then only subtrees whose production is in the table are
// looked at, and the lists tell where they occur. C of a subtree with those of the table is a row; it is needed for the
// response of the subtree and for the rows of its parents, and let go when the last parent at hand has used it.
#pragma once

#include <memory>
#include <vector>

#include "core/dag.hpp"
#include "core/trees/dag_translation.hpp"
#include "core/trees/met_nodes.hpp"
#include "core/trees/tree_lists.hpp"
#include "core/trees/tree_nodes.hpp"
#include "kernels/subset/rows/row.hpp"
#include "models/scorers.hpp"

namespace treekernels {

// `Table` is a SubsetTable or a GrowingSubsetTable. It may change between calls; then all is forgotten.
template <class Table>
class SubsetScorer final : public TreeScorer {
public:
    // `lists` stay as they are, and may be null.
    SubsetScorer(const Table& table, const Dag& source, const TreeLists* lists = nullptr);

    void score(std::span<const Node> roots, double* scores, const Task& task) override;

private:
    static constexpr std::size_t kTile = 256;  // trees whose rows are there at the same time
    static constexpr std::size_t kAhead = 4;   // trees between two of the steps in which memory is asked for

    void refresh();
    void expect(std::span<const Node> roots) const;
    void meet(Node root);
    void write_score(Node root, double* scores);
    // The production that the table has for one of the DAG.
    Production translated(Production production);
    void find_joins(std::uint32_t place);
    void compute_tile(const Task& task);
    template <std::size_t Width>
    void compute(std::uint32_t place);
    void sum_responses(Node root, double* scores);
    void add_sums_below(Node node, double* to) const;
    // Of a node that may be one.
    void add_leaf(Node leaf, double* to);
    void add(const double* scores, double* to) const {
        for (std::size_t k = 0; k < outputs_; ++k) to[k] += scores[k];
    }

    const Table& table_;
    const Dag& source_;
    const TreeLists* const lists_;
    const bool translates_, damped_;
    const std::size_t outputs_, width_;
    Translation translation_;
    std::uint64_t revision_ = 0;
    std::size_t dag_size_ = 0;  // of the table, when it was last looked at

    std::unique_ptr<SubsetScorer> unlisted_;  // for trees that have no list

    TreeView view_;
    // Since the table was made. With lists, they go by the numbers there, and are only those whose production it has.
    MetNodes met_;
    // By place and output: the response of the node. Without lists, and where counts are not damped, with all below it.
    std::vector<double> sums_;
    std::vector<std::uint32_t> group_;  // by place, of the table
    SubsetRowKeeper<double> rows_;      // by place

    // Of the tile at hand.
    std::size_t first_new_ = 0;                           // place
    std::vector<std::uint32_t> old_;                      // places whose rows are needed again
    std::vector<std::uint64_t> joins_begin_, joins_end_;  // by place
    std::vector<SubsetJoin> joins_;
    std::vector<std::uint32_t> open_;
};

}  // namespace treekernels
