#include "kernels/subset/base.hpp"

#include <limits>

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

template <class Sum>
TREEKERNELS_INLINE void combine_all(double* values, std::size_t columns, double first_weight, const Sum* first,
                                    double second_weight, const Sum* second) {
    for (std::size_t i = 0; i < columns; ++i)
        values[i] = first_weight * static_cast<double>(first[i]) + second_weight * static_cast<double>(second[i]);
}
template <class Sum>
void combine(double* values, std::size_t columns, double first_weight, const Sum* first, double second_weight,
             const Sum* second) {
    with_simd(
        [&]() TREEKERNELS_INLINE_LAMBDA { combine_all(values, columns, first_weight, first, second_weight, second); });
}
template <class Sum>
void combine(Wide* values, std::size_t columns, double first_weight, const Sum* first, double second_weight,
             const Sum* second) {
    for (std::size_t i = 0; i < columns; ++i)
        values[i] = Wide(first_weight * static_cast<double>(first[i]) + second_weight * static_cast<double>(second[i]));
}

}  // namespace

SubsetBase::SubsetBase(const Corpus& corpus, std::size_t columns, SubsetParameters parameters, const UnaryPaths* paths,
                       const Task& task)
    : parameters_(std::move(parameters)) {
    if (paths)
        count_paths(corpus, columns, *paths, task);
    else
        count_productions(corpus, columns, task);
    if (parameters_.leaf_weight != 0.0) count_leaves(corpus, columns, task);
}

void SubsetBase::count_productions(const Corpus& corpus, std::size_t columns, const Task& task) {
    std::vector<double> weights(corpus.production_count(), 1.0);
    if (!counts_whole())
        for (Production p = 0; p < weights.size(); ++p) weights[p] = parameters_.decay_of(p);
    productions_ =
        Features(corpus.tree_count(), columns, std::move(weights), counts_whole() ? kVectorOfCounts : kVectorOfReals, 1,
                 task, [&](std::size_t tree, auto emit) {
                     const auto nodes = corpus.nodes(tree);
                     const auto counts = corpus.counts(tree);
                     for (std::size_t i = 0; i < nodes.size(); ++i)
                         if (!corpus.is_leaf(nodes[i])) emit(corpus.production(nodes[i]), counts[i]);
                 });
    largest_ = std::max(largest_, productions_.largest_square());
}

void SubsetBase::add_edges(const Corpus& corpus, std::size_t columns, std::span<const std::uint32_t> bucket_of,
                           std::size_t bucket_count, const Task& task) {
    std::vector<double> weights(bucket_count, 1.0);
    if (!counts_whole()) {
        for (Node u = 0; u < corpus.node_count(); ++u) {
            task.check();
            const auto children = corpus.children(u);
            for (std::size_t c = 0; c < children.size(); ++c)
                if (const auto b = bucket_of[corpus.first_edge(u) + c]; b != kNone)
                    weights[b] = parameters_.decay_of(corpus.production(u)) *
                                 parameters_.decay_of(corpus.production(children[c]));
        }
    }
    edges_ = Features(corpus.tree_count(), columns, std::move(weights),
                      counts_whole() ? kVectorOfCounts : kVectorOfReals, 1, task, [&](std::size_t tree, auto emit) {
                          const auto nodes = corpus.nodes(tree);
                          const auto counts = corpus.counts(tree);
                          for (std::size_t i = 0; i < nodes.size(); ++i) {
                              const std::uint64_t first = corpus.first_edge(nodes[i]);
                              for (std::uint64_t edge = first; edge < corpus.first_edge(nodes[i] + 1); ++edge)
                                  if (const auto b = bucket_of[edge]; b != kNone) emit(b, counts[i]);
                          }
                      });
    largest_ = std::max(largest_, edges_.largest_square());
}

void SubsetBase::count_leaves(const Corpus& corpus, std::size_t columns, const Task& task) {
    leaves_ = Features(corpus.tree_count(), columns, std::vector<double>(corpus.label_count(), parameters_.leaf_weight),
                       kVectorOfReals, 1, task, [&](std::size_t tree, auto emit) {
                           const auto nodes = corpus.nodes(tree);
                           const auto counts = corpus.counts(tree);
                           for (std::size_t i = 0; i < nodes.size(); ++i)
                               if (corpus.is_leaf(nodes[i])) emit(corpus.label(nodes[i]), counts[i]);
                       });
}

// All edges of the suffix tree above the ends of the tree's ways down, with the number of ways.
void SubsetBase::count_paths(const Corpus& corpus, std::size_t columns, const UnaryPaths& paths, const Task& task) {
    std::vector<double> ways(paths.edge_weights().size(), 0.0);
    std::vector<bool> has(ways.size(), false);
    const auto visit = [&](std::size_t tree, auto emit) {
        const auto nodes = corpus.nodes(tree);
        const auto counts = corpus.counts(tree);
        std::vector<std::uint32_t> edges;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (corpus.is_leaf(nodes[i])) continue;
            const std::uint32_t end = paths.edge_of(nodes[i]);
            for (std::uint32_t edge = end; edge != kNone && !has[edge]; edge = paths.edge_above(edge)) {
                has[edge] = true;
                edges.push_back(edge);
            }
            ways[end] += counts[i];
        }
        // Ascending, so that an edge is complete before it is added to the one above.
        std::ranges::sort(edges);
        for (std::uint32_t edge : edges) {
            emit(edge, ways[edge]);
            if (const std::uint32_t above = paths.edge_above(edge); above != kNone) ways[above] += ways[edge];
            ways[edge] = 0.0;
            has[edge] = false;
        }
    };
    paths_ = Features(corpus.tree_count(), columns, paths.edge_weights(), kVectorOfReals, 1, task, visit);
}

template <class Real>
void SubsetBase::row(std::size_t tree, std::size_t columns, Real* values, Sums& sums) const {
    if (productions_.empty()) {
        std::fill(values, values + columns, Real(0.0));
        paths_.add_row(tree, columns, values);
    } else if (!counts_whole()) {
        std::fill(values, values + columns, Real(0.0));
        productions_.add_row(tree, columns, values);
        edges_.add_row(tree, columns, values);
    } else if (largest_ <= std::numeric_limits<std::uint16_t>::max()) {
        sum_up(tree, columns, values, sums.small);
    } else if (largest_ <= std::numeric_limits<std::uint32_t>::max()) {
        sum_up(tree, columns, values, sums.large);
    } else {
        sum_up(tree, columns, values, sums.any);
    }
    if (!leaves_.empty()) leaves_.add_row(tree, columns, values);
}
template void SubsetBase::row(std::size_t, std::size_t, double*, Sums&) const;
template void SubsetBase::row(std::size_t, std::size_t, Wide*, Sums&) const;

template <class Sum, class Real>
void SubsetBase::sum_up(std::size_t tree, std::size_t columns, Real* values, std::vector<Sum>& sums) const {
    sums.assign(2 * columns, 0);
    productions_.add_row(tree, columns, sums.data());
    edges_.add_row(tree, columns, sums.data() + columns);
    combine(values, columns, parameters_.decay, sums.data(), parameters_.decay * parameters_.decay,
            sums.data() + columns);
}

}  // namespace treekernels
