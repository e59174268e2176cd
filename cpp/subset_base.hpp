// The part of the subset-tree kernel that is a dot product of counts.
//
// Two nodes of the same production share that production; and for every child whose production agrees as well, the two
// productions together. These fragments of one and two productions, and leaves, need no C: that is for the larger ones.
#pragma once

#include <vector>

#include "features.hpp"
#include "subset.hpp"
#include "subset_index.hpp"
#include "unary_paths.hpp"

namespace treekernels {

class SubsetBase {
public:
    // With `paths`, fragments along a single way down instead, of any length.
    SubsetBase(const Corpus& corpus, const SubsetIndex& index, std::size_t columns, SubsetParameters parameters,
               const UnaryPaths* paths, unsigned threads);

    // What C of two nodes has here for each child whose production agrees.
    double edge_weight() const { return edge_weight_; }

    // Memory for row().
    struct Sums {
        std::vector<std::uint16_t> small;
        std::vector<std::uint32_t> large;
    };
    // Sets the values of a tree with the first columns.
    template <class Real>
    void row(std::size_t tree, std::size_t columns, Real* values, Sums& sums) const;

private:
    // Numbers in which no dot product of two trees overflows.
    enum class Width { small, large, real };
    // The weight that features of productions or edges have: in whole numbers it is left to the end.
    double weight(double w) const { return width_ == Width::real ? w : 1.0; }

    Features count_productions(const Corpus& corpus, std::size_t columns) const;
    Features count_edges(const Corpus& corpus, const SubsetIndex& index, std::size_t columns) const;
    Features count_paths(const Corpus& corpus, const UnaryPaths& paths, std::size_t columns) const;
    Features count_leaves(const Corpus& corpus, std::size_t columns) const;

    template <class Sum, class Real>
    void whole_row(std::size_t tree, std::size_t columns, Real* values, std::vector<Sum>& sums) const;

    SubsetParameters parameters_;
    double edge_weight_;
    Width width_;
    Features productions_;  // or paths
    Features edges_;        // none with paths
    Features leaves_;
};

}  // namespace treekernels
