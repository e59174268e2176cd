// Single values of the partial-tree kernel, pair by pair.
#include "gram/pairs/all_pairs.hpp"
#include "kernels/partial/partial.hpp"
#include "kernels/partial/subsequences.hpp"

namespace treekernels {

namespace {

// C of two nodes for the pairwise algorithms.
template <class Real>
class PartialLocal {
public:
    PartialLocal(const Corpus& corpus, const PartialParameters& parameters)
        : corpus_(corpus), parameters_(parameters) {}

    template <class Lookup>
    Real operator()(Node u, Node v, std::span<const std::uint32_t> u_children,
                    std::span<const std::uint32_t> v_children, Lookup lookup, const Task& task) {
        const double similarity = (*parameters_.similarity)(corpus_.label(u), corpus_.label(v));
        if (similarity == 0.0) return Real(0.0);
        const Real weight(parameters_.pair_weight());
        const Real sum = subsequences_(
            u_children.size(), v_children.size(), parameters_.decay,
            [&](std::size_t i, std::size_t j) { return weight * lookup(u_children[i], v_children[j]); }, task);
        return Real(similarity * parameters_.vertical_decay) * (Real(parameters_.decay * parameters_.decay) + sum);
    }

private:
    const Corpus& corpus_;
    const PartialParameters parameters_;
    SubsequenceSum<Real> subsequences_;
};

}  // namespace

template <class Real>
std::unique_ptr<PairValues<Real>> partial_pairs(const Corpus& corpus, const PartialParameters& parameters,
                                                PairAlgorithm algorithm, const Task& task) {
    std::vector<std::uint32_t> keys(corpus.node_count());
    for (Node node = 0; node < keys.size(); ++node) keys[node] = parameters.similarity->class_of(corpus.label(node));
    return make_pairs<Real>(corpus, keys, true, algorithm, PartialLocal<Real>(corpus, parameters), task);
}
template std::unique_ptr<PairValues<double>> partial_pairs(const Corpus&, const PartialParameters&, PairAlgorithm,
                                                           const Task&);
template std::unique_ptr<PairValues<Wide>> partial_pairs(const Corpus&, const PartialParameters&, PairAlgorithm,
                                                         const Task&);

}  // namespace treekernels
