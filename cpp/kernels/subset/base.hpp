// The part of the subset-tree kernel that is a dot product of counts.
//
// Two nodes of the same production share that production and, for every child whose production agrees as well, the two
// productions together. These fragments of one and of two productions, and the leaves, are counted for each tree, and
// what two trees share of them is a dot product. Rows of C are needed for larger fragments only: what C has beyond this
// part is its surplus (subset.cpp).
#pragma once

#include <span>
#include <vector>

#include "gram/features.hpp"
#include "kernels/subset/chains/unary_paths.hpp"
#include "kernels/subset/subset.hpp"

namespace treekernels {

class SubsetBase {
public:
    SubsetBase() = default;
    // With `paths`, fragments along a single way down instead, of any length.
    SubsetBase(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, const UnaryPaths* paths,
               const Task& task);

    // Adds the fragments of two productions. Paths have theirs already.
    // `bucket_of` says for each edge of the corpus which of its `bucket_count` kinds it is, or kNone.
    void add_edges(const Corpus& corpus, std::size_t columns, std::span<const std::uint32_t> bucket_of,
                   std::size_t bucket_count, const Task& task);

    // Memory for row().
    struct Sums {
        std::vector<std::uint16_t> small;
        std::vector<std::uint32_t> large;
        std::vector<double> any;
    };
    // Sets the values of a tree with the first columns.
    template <class Real>
    void row(std::size_t tree, std::size_t columns, Real* values, Sums& sums) const;

private:
    void count_productions(const Corpus& corpus, std::size_t columns, const Task& task);
    void count_paths(const Corpus& corpus, std::size_t columns, const UnaryPaths& paths, const Task& task);
    void count_leaves(const Corpus& corpus, std::size_t columns, const Task& task);
    // Whether productions weigh alike and counts are whole numbers, which are summed up as such.
    bool counts_whole() const { return parameters_.uniform() && parameters_.damping != CountDamping::log; }

    template <class Sum, class Real>
    void sum_up(std::size_t tree, std::size_t columns, Real* values, std::vector<Sum>& sums) const;

    SubsetParameters parameters_{};
    double largest_ = 0.0;  // no sum of productions or edges is larger
    Features productions_;  // and edges: with their weights, unless counts are whole
    Features edges_;
    Features paths_;  // instead of these two
    Features leaves_;
};

}  // namespace treekernels
