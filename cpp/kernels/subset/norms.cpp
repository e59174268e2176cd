#include "kernels/subset/norms.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "gram/pairs/pair_norms.hpp"
#include "kernels/subset/rule.hpp"

namespace treekernels {

namespace {

// `Source` is a Dag or a Corpus, which may grow where productions weigh alike.
template <class Real, class Source>
class SubsetSelfPairs {
public:
    static constexpr std::size_t kMostNodes = 1024;  // all pairs of more would take too much memory

    SubsetSelfPairs(const Source& source, SubsetParameters parameters)
        : source_(source), parameters_(std::move(parameters)) {}

    // Of the distinct nodes of a tree, children before parents.
    Real operator()(std::span<const Node> nodes, std::span<const double> counts) {
        size_ = nodes.size();
        if (c_.size() < size_ * size_) c_.resize(size_ * size_);
        before_.resize(size_);
        Real norm(0.0);
        for (std::uint32_t i = 0; i < size_; ++i) norm += meet(nodes, counts, i);
        for (Node node : nodes)
            if (!source_.is_leaf(node)) newest_[source_.production(node)] = kNone;
        return norm;
    }

private:
    // What node i of the tree adds, with itself and with the nodes before it.
    Real meet(std::span<const Node> nodes, std::span<const double> counts, std::uint32_t i) {
        const Node u = nodes[i];
        if (u >= place_.size()) place_.resize(2 * std::size_t{u} + 1);
        place_[u] = i;
        if (source_.is_leaf(u)) return Real(parameters_.leaf_weight * counts[i] * counts[i]);
        const Production p = source_.production(u);
        if (p >= newest_.size()) newest_.resize(2 * std::size_t{p} + 1, kNone);
        const Real decay(parameters_.decay_of(p));
        Real others(0.0);
        for (std::uint32_t j = newest_[p]; j != kNone; j = before_[j])
            others += (c_[i * size_ + j] = pair(u, nodes[j], decay)) * Real(counts[j]);
        before_[i] = newest_[p];
        newest_[p] = i;
        const Real self = c_[i * size_ + i] = pair(u, u, decay);
        return (others * Real(2.0) + self * Real(counts[i])) * Real(counts[i]);
    }

    // C of two nodes of the same production.
    Real pair(Node u, Node v, Real decay) const {
        const auto u_children = source_.children(u), v_children = source_.children(v);
        // A cut weighs 1, as do two leaves: the rule is the same for all that do not agree.
        return rule_(decay, u_children.size(), [&](std::size_t k) {
            const Node x = std::max(u_children[k], v_children[k]), y = std::min(u_children[k], v_children[k]);
            const bool agree = source_.production(x) == source_.production(y) && !source_.is_leaf(x);
            return agree ? rule_.nodes(c_[place_[x] * size_ + place_[y]]) : rule_.apart();
        });
    }

    const Source& source_;
    const SubsetParameters parameters_;
    const SubsetRule<Real> rule_{};
    std::size_t size_ = 0;               // nodes of the tree
    std::vector<Real> c_;                // of node i and node j < i, at i * size + j, if they have the same production
    std::vector<std::size_t> place_;     // of a node in the tree
    std::vector<std::uint32_t> newest_;  // node of a production in the tree, and for each node the one before it
    std::vector<std::uint32_t> before_;
};

template <class Real>
NormWorker<Real> subset_norm_worker(const Corpus& corpus, const SubsetParameters& parameters) {
    const auto rows = [parameters](const Corpus& alone, const Task& task) {
        return subset_rows<Real>(alone, 1, parameters, 1, task);
    };
    return [&corpus, rows, pairs = SubsetSelfPairs<Real, Corpus>(corpus, parameters)](std::size_t tree,
                                                                                      const Task& task) mutable {
        task.check();
        const auto nodes = corpus.nodes(tree);
        if (nodes.size() <= pairs.kMostNodes) return pairs(nodes, corpus.counts(tree));
        return norm_alone<Real>(corpus, tree, rows, task);
    };
}

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
Norms<Real> subset_norms(const Corpus& corpus, SubsetParameters parameters) {
    return [&corpus, parameters] { return subset_norm_worker<Real>(corpus, parameters); };
}
template Norms<double> subset_norms(const Corpus&, SubsetParameters);
template Norms<Wide> subset_norms(const Corpus&, SubsetParameters);

std::unique_ptr<TreeNorm> make_subset_norm(SubsetParameters parameters, const Dag& dag) {
    return std::make_unique<SubsetNorm>(parameters, dag);
}

}  // namespace treekernels
