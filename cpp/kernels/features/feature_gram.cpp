#include "kernels/features/feature_gram.hpp"

#include "gram/features.hpp"
#include "kernels/features/feature_lists.hpp"

namespace treekernels {

namespace {

void list_features(FeatureLists& lists, const Corpus& corpus, const Task& task) {
    for (Node node = 0; node < corpus.node_count(); ++node) {
        task.check();
        lists.list(corpus, node);
    }
}

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> feature_rows(const Corpus& corpus, std::size_t columns, const FeatureParameters& parameters,
                                         const Task& task) {
    FeatureLists lists(parameters);
    list_features(lists, corpus, task);
    const auto visit = [&](std::size_t tree, auto emit) {
        const auto nodes = corpus.nodes(tree);
        const auto node_counts = corpus.counts(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            lists.visit(nodes[i], i + 1 == nodes.size(),
                        [&](Feature feature, double count) { emit(feature, node_counts[i] * count); });
    };
    return std::make_unique<FeatureRows<Real>>(Features(corpus.tree_count(), columns, lists.table().weights(),
                                                        kVectorOfReals, 1, task, visit, parameters.damping));
}
template std::unique_ptr<Rows<double>> feature_rows(const Corpus&, std::size_t, const FeatureParameters&, const Task&);
template std::unique_ptr<Rows<Wide>> feature_rows(const Corpus&, std::size_t, const FeatureParameters&, const Task&);

template <class Real>
Norms<Real> feature_norms(const Corpus& corpus, const FeatureParameters& parameters, const Task& task) {
    FeatureLists lists(parameters);
    list_features(lists, corpus, task);
    const auto& weights = lists.table().weights();
    const auto norms = std::make_shared<std::vector<Real>>();
    for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
        task.check();
        Real norm(0.0);
        for (Feature feature : lists.count_tree(corpus.nodes(tree), corpus.counts(tree)))
            norm += Real(weights[feature]) * Real(lists.count(feature)) * Real(lists.count(feature));
        norms->push_back(norm);
    }
    return [norms] { return [norms](std::size_t tree, const Task&) { return (*norms)[tree]; }; };
}
template Norms<double> feature_norms(const Corpus&, const FeatureParameters&, const Task&);
template Norms<Wide> feature_norms(const Corpus&, const FeatureParameters&, const Task&);

}  // namespace treekernels
