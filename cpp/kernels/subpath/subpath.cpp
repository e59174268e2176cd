#include "kernels/subpath/subpath.hpp"

#include "gram/features.hpp"

namespace treekernels {

namespace {

PathLists list_paths(const Corpus& corpus, SubpathParameters parameters, const Task& task) {
    PathLists lists(parameters);
    for (Node node = 0; node < corpus.node_count(); ++node) {
        task.check();
        lists.list(corpus, node);
    }
    return lists;
}

template <class Real>
class SubpathNorms final : public Norms<Real> {
public:
    SubpathNorms(const Corpus& corpus, SubpathParameters parameters, const Task& task) {
        PathLists lists = list_paths(corpus, parameters, task);
        const auto& weights = lists.table().weights();
        for (std::size_t tree = 0; tree < corpus.tree_count(); ++tree) {
            task.check();
            Real norm(0.0);
            for (Path path : lists.count_tree(corpus.nodes(tree), corpus.counts(tree)))
                norm += Real(weights[path]) * Real(lists.count(path)) * Real(lists.count(path));
            norms_.push_back(norm);
        }
    }

    std::unique_ptr<NormWorker<Real>> worker() const override {
        struct Worker final : NormWorker<Real> {
            explicit Worker(const std::vector<Real>& norms) : norms(norms) {}
            Real operator()(std::size_t tree, const Task&) override { return norms[tree]; }
            const std::vector<Real>& norms;
        };
        return std::make_unique<Worker>(norms_);
    }

private:
    std::vector<Real> norms_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> subpath_rows(const Corpus& corpus, std::size_t columns, SubpathParameters parameters,
                                         const Task& task) {
    const PathLists lists = list_paths(corpus, parameters, task);
    const auto visit = [&](std::size_t tree, auto emit) {
        const auto nodes = corpus.nodes(tree);
        const auto node_counts = corpus.counts(tree);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto paths = lists.paths(nodes[i]);
            const auto counts = lists.counts(nodes[i]);
            for (std::size_t k = 0; k < paths.size(); ++k) emit(paths[k], node_counts[i] * counts[k]);
        }
    };
    return std::make_unique<FeatureRows<Real>>(
        Features(corpus.tree_count(), columns, lists.table().weights(), kVectorOfReals, 1, task, visit));
}
template std::unique_ptr<Rows<double>> subpath_rows(const Corpus&, std::size_t, SubpathParameters, const Task&);
template std::unique_ptr<Rows<Wide>> subpath_rows(const Corpus&, std::size_t, SubpathParameters, const Task&);

template <class Real>
std::unique_ptr<Norms<Real>> subpath_norms(const Corpus& corpus, SubpathParameters parameters, const Task& task) {
    return std::make_unique<SubpathNorms<Real>>(corpus, parameters, task);
}
template std::unique_ptr<Norms<double>> subpath_norms(const Corpus&, SubpathParameters, const Task&);
template std::unique_ptr<Norms<Wide>> subpath_norms(const Corpus&, SubpathParameters, const Task&);

}  // namespace treekernels
