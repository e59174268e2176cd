#include "subset_base.hpp"

#include <limits>

#include "simd.hpp"

namespace treekernels {

namespace {

// No dot product of two trees is larger than that of a tree with itself, summed over its productions or its edges.
double largest_product(const Corpus& corpus, const SubsetIndex& index) {
    double largest = 0.0;
    std::vector<double> productions(corpus.production_count(), 0.0), edges(index.bucket_count(), 0.0);
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        const auto nodes = corpus.nodes(tree);
        const auto counts = corpus.counts(tree);
        double of_productions = 0.0, of_edges = 0.0;
        // (a + b)^2 - a^2 = b * (2 a + b)
        const auto add = [](double& total, double count, double& product) {
            product += count * (2.0 * total + count);
            total += count;
        };
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (!corpus.is_leaf(nodes[i])) add(productions[corpus.production(nodes[i])], counts[i], of_productions);
        for (const auto& join : index.joins(tree)) add(edges[join.bucket], counts[join.parent], of_edges);
        largest = std::max({largest, of_productions, of_edges});
        for (Node node : nodes)
            if (!corpus.is_leaf(node)) productions[corpus.production(node)] = 0.0;
        for (const auto& join : index.joins(tree)) edges[join.bucket] = 0.0;
    }
    return largest;
}

template <class Sum>
[[gnu::always_inline]] inline void combine_all(double* values, std::size_t columns, double first_weight,
                                               const Sum* first, double second_weight, const Sum* second) {
    for (std::size_t i = 0; i < columns; ++i)
        values[i] = first_weight * static_cast<double>(first[i]) + second_weight * static_cast<double>(second[i]);
}
TREEKERNELS_SIMD void combine(double* values, std::size_t columns, double first_weight, const std::uint16_t* first,
                              double second_weight, const std::uint16_t* second) {
    combine_all(values, columns, first_weight, first, second_weight, second);
}
TREEKERNELS_SIMD void combine(double* values, std::size_t columns, double first_weight, const std::uint32_t* first,
                              double second_weight, const std::uint32_t* second) {
    combine_all(values, columns, first_weight, first, second_weight, second);
}
template <class Sum>
void combine(Wide* values, std::size_t columns, double first_weight, const Sum* first, double second_weight,
             const Sum* second) {
    for (std::size_t i = 0; i < columns; ++i)
        values[i] = Wide(first_weight * static_cast<double>(first[i]) + second_weight * static_cast<double>(second[i]));
}

}  // namespace

SubsetBase::SubsetBase(const Corpus& corpus, const SubsetIndex& index, std::size_t columns,
                       SubsetParameters parameters, const UnaryPaths* paths, unsigned threads)
    : parameters_(parameters), edge_weight_(paths ? 0.0 : parameters.decay * parameters.decay), width_(Width::real) {
    if (paths) {
        productions_ = count_paths(corpus, *paths, columns);
    } else {
        const double largest = largest_product(corpus, index);
        if (largest <= std::numeric_limits<std::uint32_t>::max()) width_ = Width::large;
        if (largest <= std::numeric_limits<std::uint16_t>::max()) width_ = Width::small;
        both(
            threads, [&] { productions_ = count_productions(corpus, columns); },
            [&] { edges_ = count_edges(corpus, index, columns); });
    }
    if (parameters.leaf_weight != 0.0) leaves_ = count_leaves(corpus, columns);
}

template <class Real>
void SubsetBase::row(std::size_t tree, std::size_t columns, Real* values, Sums& sums) const {
    if (width_ == Width::small) {
        whole_row(tree, columns, values, sums.small);
    } else if (width_ == Width::large) {
        whole_row(tree, columns, values, sums.large);
    } else {
        std::fill(values, values + columns, Real(0.0));
        productions_.add_row(tree, columns, values);
        if (edge_weight_ != 0.0) edges_.add_row(tree, columns, values);
    }
    if (parameters_.leaf_weight != 0.0) leaves_.add_row(tree, columns, values);
}
template void SubsetBase::row(std::size_t, std::size_t, double*, Sums&) const;
template void SubsetBase::row(std::size_t, std::size_t, Wide*, Sums&) const;

template <class Sum, class Real>
void SubsetBase::whole_row(std::size_t tree, std::size_t columns, Real* values, std::vector<Sum>& sums) const {
    sums.assign(2 * columns, 0);
    productions_.add_row(tree, columns, sums.data());
    edges_.add_row(tree, columns, sums.data() + columns);
    combine(values, columns, parameters_.decay, sums.data(), edge_weight_, sums.data() + columns);
}

Features SubsetBase::count_productions(const Corpus& corpus, std::size_t columns) const {
    return Features(corpus.tree_count(), columns, std::vector<double>(corpus.production_count(), weight(parameters_.decay)),
                    kVectorOfCounts, 1,
                    [&](std::size_t tree, auto emit) {
                        const auto nodes = corpus.nodes(tree);
                        const auto counts = corpus.counts(tree);
                        for (std::size_t i = 0; i < nodes.size(); ++i)
                            if (!corpus.is_leaf(nodes[i])) emit(corpus.production(nodes[i]), counts[i]);
                    });
}

Features SubsetBase::count_edges(const Corpus& corpus, const SubsetIndex& index, std::size_t columns) const {
    return Features(corpus.tree_count(), columns, std::vector<double>(index.bucket_count(), weight(edge_weight_)),
                    kVectorOfCounts, 1,
                    [&](std::size_t tree, auto emit) {
                        const auto counts = corpus.counts(tree);
                        for (const auto& join : index.joins(tree)) emit(join.bucket, counts[join.parent]);
                    });
}

Features SubsetBase::count_leaves(const Corpus& corpus, std::size_t columns) const {
    return Features(corpus.tree_count(), columns, std::vector<double>(corpus.label_count(), parameters_.leaf_weight),
                    kVectorOfReals, 1,
                    [&](std::size_t tree, auto emit) {
                        const auto nodes = corpus.nodes(tree);
                        const auto counts = corpus.counts(tree);
                        for (std::size_t i = 0; i < nodes.size(); ++i)
                            if (corpus.is_leaf(nodes[i])) emit(corpus.label(nodes[i]), counts[i]);
                    });
}

// All edges of the suffix tree above the ends of the tree's ways down, with the number of ways.
Features SubsetBase::count_paths(const Corpus& corpus, const UnaryPaths& paths, std::size_t columns) const {
    std::vector<double> ways(paths.edge_weights().size(), -1.0);  // -1 for edges that the tree has not
    return Features(
        corpus.tree_count(), columns, paths.edge_weights(), kVectorOfReals, 1, [&](std::size_t tree, auto emit) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            std::vector<std::uint32_t> edges;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (corpus.is_leaf(nodes[i])) continue;
                const std::uint32_t end = paths.edge_of(nodes[i]);
                for (std::uint32_t edge = end; edge != kNone && ways[edge] < 0.0; edge = paths.edge_above(edge)) {
                    ways[edge] = 0.0;
                    edges.push_back(edge);
                }
                ways[end] += counts[i];
            }
            // Ascending, so that an edge is complete before it is added to the one above.
            std::ranges::sort(edges);
            for (std::uint32_t edge : edges) {
                emit(edge, ways[edge]);
                if (const std::uint32_t above = paths.edge_above(edge); above != kNone) ways[above] += ways[edge];
                ways[edge] = -1.0;
            }
        });
}

}  // namespace treekernels
