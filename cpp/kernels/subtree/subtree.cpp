#include "kernels/subtree/subtree.hpp"

#include "gram/features.hpp"
#include "gram/pairs/all_pairs.hpp"

namespace treekernels {

namespace {

// The product of the decays of all internal nodes of every subtree, and the leaves' own weight. A weight may vanish:
// each tree with such a large subtree has smaller ones that outweigh it.
std::vector<double> subtree_weights(const Corpus& corpus, SubtreeParameters parameters) {
    std::vector<double> weights(corpus.node_count());
    for (Node node = 0; node < weights.size(); ++node) {
        weights[node] = corpus.is_leaf(node) ? parameters.leaf_weight : parameters.decay_of(corpus.production(node));
        for (Node child : corpus.children(node))
            if (!corpus.is_leaf(child)) weights[node] *= weights[child];
    }
    return weights;
}

}  // namespace

template <class Real>
struct SubtreeLocal {
    std::shared_ptr<const std::vector<double>> weights;

    template <class Lookup>
    Real operator()(Node u, Node, std::span<const std::uint32_t>, std::span<const std::uint32_t>, Lookup,
                    const Task&) const {
        return Real((*weights)[u]);
    }
};

template <class Real>
std::unique_ptr<Rows<Real>> subtree_rows(const Corpus& corpus, std::size_t columns, SubtreeParameters parameters,
                                         unsigned threads, const Task& task) {
    return std::make_unique<FeatureRows<Real>>(Features::of_nodes(corpus, columns, subtree_weights(corpus, parameters),
                                                                  threads, task, [](Node node) { return node; }));
}
template std::unique_ptr<Rows<double>> subtree_rows(const Corpus&, std::size_t, SubtreeParameters, unsigned,
                                                    const Task&);
template std::unique_ptr<Rows<Wide>> subtree_rows(const Corpus&, std::size_t, SubtreeParameters, unsigned, const Task&);

template <class Real>
Norms<Real> subtree_norms(const Corpus& corpus, SubtreeParameters parameters) {
    const auto weights = std::make_shared<const std::vector<double>>(subtree_weights(corpus, parameters));
    return [&corpus, weights] {
        return [&corpus, weights](std::size_t tree, const Task&) {
            const auto nodes = corpus.nodes(tree);
            const auto counts = corpus.counts(tree);
            Real norm(0.0);
            for (std::size_t i = 0; i < nodes.size(); ++i)
                norm += Real((*weights)[nodes[i]]) * Real(counts[i]) * Real(counts[i]);
            return norm;
        };
    };
}
template Norms<double> subtree_norms(const Corpus&, SubtreeParameters);
template Norms<Wide> subtree_norms(const Corpus&, SubtreeParameters);

template <class Real>
std::unique_ptr<PairValues<Real>> subtree_pairs(const Corpus& corpus, SubtreeParameters parameters,
                                                PairAlgorithm algorithm, const Task& task) {
    auto weights = std::make_shared<const std::vector<double>>(subtree_weights(corpus, parameters));
    // Identical subtrees have one number, so that it can be the key.
    std::vector<std::uint32_t> keys(corpus.node_count());
    for (Node node = 0; node < keys.size(); ++node)
        keys[node] = corpus.is_leaf(node) && parameters.leaf_weight == 0.0 ? kNone : node;
    return make_pairs<Real>(corpus, keys, false, algorithm, SubtreeLocal<Real>{std::move(weights)}, task);
}
template std::unique_ptr<PairValues<double>> subtree_pairs(const Corpus&, SubtreeParameters, PairAlgorithm,
                                                           const Task&);
template std::unique_ptr<PairValues<Wide>> subtree_pairs(const Corpus&, SubtreeParameters, PairAlgorithm, const Task&);

}  // namespace treekernels
