#include "kernels/subset/norms.hpp"

#include <algorithm>

#include "gram/pairs/pair_norms.hpp"

namespace treekernels {

namespace {

template <class Real>
class SubsetNormWorker final : public NormWorker<Real> {
public:
    SubsetNormWorker(const Corpus& corpus, SubsetParameters parameters)
        : corpus_(corpus), parameters_(parameters), pairs_(corpus, parameters) {}

    Real operator()(std::size_t tree, const Task& task) override {
        task.check();
        const auto nodes = corpus_.nodes(tree);
        if (nodes.size() <= SubsetSelfPairs<Real, Corpus>::kMostNodes) return pairs_(nodes, corpus_.counts(tree));
        const auto rows = [this](const Corpus& alone, const Task& shared) {
            return subset_rows<Real>(alone, 1, parameters_, 1, shared);
        };
        return norm_alone<Real>(corpus_, tree, rows, task);
    }

private:
    const Corpus& corpus_;
    const SubsetParameters parameters_;
    SubsetSelfPairs<Real, Corpus> pairs_;
};

template <class Real>
class SubsetNorms final : public Norms<Real> {
public:
    SubsetNorms(const Corpus& corpus, SubsetParameters parameters) : corpus_(corpus), parameters_(parameters) {}
    std::unique_ptr<NormWorker<Real>> worker() const override {
        return std::make_unique<SubsetNormWorker<Real>>(corpus_, parameters_);
    }

private:
    const Corpus& corpus_;
    SubsetParameters parameters_;
};

class SubsetNorm final : public TreeNorm {
public:
    SubsetNorm(const SubsetParameters& parameters, const Dag& dag)
        : parameters_(resolved(parameters, dag)), pairs_(dag, parameters_) {}

    double operator()(const TreeNodes& tree, const Task& task) override {
        task.check();
        if (tree.nodes().size() <= SubsetSelfPairs<double, Dag>::kMostNodes) return pairs_(tree.nodes(), tree.counts());
        const Node root = tree.root();
        const Corpus alone(tree.dag(), {&root, 1}, {}, 1, task, parameters_.damping);
        double norm = 0.0;
        subset_rows<double>(alone, 1, parameters_, 1, task)->worker()->row(0, 1, &norm, task);
        return norm;
    }

private:
    static SubsetParameters resolved(SubsetParameters parameters, const Dag& dag) {
        parameters.resolve(dag);
        return parameters;
    }

    SubsetParameters parameters_;
    SubsetSelfPairs<double, Dag> pairs_;
};

}  // namespace

template <class Real>
std::unique_ptr<Norms<Real>> subset_norms(const Corpus& corpus, SubsetParameters parameters) {
    return std::make_unique<SubsetNorms<Real>>(corpus, parameters);
}
template std::unique_ptr<Norms<double>> subset_norms(const Corpus&, SubsetParameters);
template std::unique_ptr<Norms<Wide>> subset_norms(const Corpus&, SubsetParameters);

std::unique_ptr<TreeNorm> make_subset_norm(SubsetParameters parameters, const Dag& dag) {
    return std::make_unique<SubsetNorm>(parameters, dag);
}

}  // namespace treekernels
