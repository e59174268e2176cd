#include "subset_norms.hpp"

#include <algorithm>

#include "norms.hpp"

namespace treekernels {

namespace {

template <class Real>
class SubsetNormWorker final : public NormWorker<Real> {
public:
    SubsetNormWorker(const Corpus& corpus, SubsetParameters parameters)
        : corpus_(corpus),
          parameters_(parameters),
          decay_(parameters.decay),
          place_(corpus.node_count()),
          newest_(corpus.production_count(), kNone) {}

    Real operator()(std::size_t tree, const Task& task) override {
        const auto nodes = corpus_.nodes(tree);
        if (nodes.size() > kMostNodes)
            return norm_alone<Real>(
                corpus_, tree, [this](const Corpus& alone) { return subset_rows<Real>(alone, 1, parameters_, 1); },
                task);
        task.check();
        const auto counts = corpus_.counts(tree);
        size_ = nodes.size();
        if (c_.size() < size_ * size_) c_.resize(size_ * size_);
        before_.resize(size_);
        Real norm(0.0);
        for (std::uint32_t i = 0; i < size_; ++i) norm += meet(nodes, counts, i);
        for (Node node : nodes)
            if (!corpus_.is_leaf(node)) newest_[corpus_.production(node)] = kNone;
        return norm;
    }

private:
    static constexpr std::size_t kMostNodes = 1024;  // all pairs of more would take too much memory

    // What node i of the tree adds, with itself and with the nodes before it.
    Real meet(std::span<const Node> nodes, std::span<const double> counts, std::uint32_t i) {
        const Node u = nodes[i];
        place_[u] = i;
        if (corpus_.is_leaf(u)) return Real(parameters_.leaf_weight * counts[i] * counts[i]);
        std::uint32_t& newest = newest_[corpus_.production(u)];
        Real others(0.0);
        for (std::uint32_t j = newest; j != kNone; j = before_[j])
            others += (c_[i * size_ + j] = pair(u, nodes[j])) * Real(counts[j]);
        before_[i] = newest;
        newest = i;
        const Real self = c_[i * size_ + i] = pair(u, u);
        return (others * Real(2.0) + self * Real(counts[i])) * Real(counts[i]);
    }

    // C of two nodes of the same production, from that of their children.
    Real pair(Node u, Node v) const {
        const auto u_children = corpus_.children(u), v_children = corpus_.children(v);
        Real c = decay_;
        for (std::size_t k = 0; k < u_children.size(); ++k) {
            const Node x = std::max(u_children[k], v_children[k]), y = std::min(u_children[k], v_children[k]);
            if (corpus_.production(x) == corpus_.production(y) && !corpus_.is_leaf(x))
                c *= Real(1.0) + c_[place_[x] * size_ + place_[y]];
        }
        return c;
    }

    const Corpus& corpus_;
    const SubsetParameters parameters_;
    const Real decay_;
    std::size_t size_ = 0;               // nodes of the tree
    std::vector<Real> c_;                // of node i and node j < i, at i * size + j, if they have the same production
    std::vector<std::size_t> place_;     // of a node in the tree
    std::vector<std::uint32_t> newest_;  // node of a production in the tree, and for each node the one before it
    std::vector<std::uint32_t> before_;
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

}  // namespace

template <class Real>
std::unique_ptr<Norms<Real>> subset_norms(const Corpus& corpus, SubsetParameters parameters) {
    return std::make_unique<SubsetNorms<Real>>(corpus, parameters);
}
template std::unique_ptr<Norms<double>> subset_norms(const Corpus&, SubsetParameters);
template std::unique_ptr<Norms<Wide>> subset_norms(const Corpus&, SubsetParameters);

}  // namespace treekernels
