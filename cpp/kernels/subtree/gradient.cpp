#include "kernels/subtree/gradient.hpp"

#include "gram/gradients/dual.hpp"

namespace treekernels {

namespace {

// A subtree has something in common with itself alone: its weight.
template <class Real>
class SubtreeGradients final : public Gradients<Real> {
public:
    SubtreeGradients(const Corpus& corpus, const SubtreeParameters& parameters, const LabelPlaces& places)
        : corpus_(corpus), width_(places.width()), weights_(corpus.node_count() * width_) {
        for (Node node = 0; node < corpus.node_count(); ++node) {
            Real* weight = weights_.data() + node * width_;
            if (corpus.is_leaf(node)) {
                dual_set(weight, Real(parameters.leaf_weight), width_);
                continue;
            }
            const Real decay(parameters.decay_of(corpus.production(node)));
            dual_set(weight, decay, width_);
            const std::uint32_t place = places.of_label[corpus.label(node)];
            if (place != kNone) weight[1 + place] = decay;
            for (Node child : corpus.children(node))
                if (!corpus.is_leaf(child)) dual_multiply(weight, weights_.data() + child * width_, width_);
        }
    }

    std::unique_ptr<GradientWorker<Real>> worker() const override {
        struct Worker final : GradientWorker<Real> {
            explicit Worker(const SubtreeGradients& all) : all(all) {}
            void add(std::size_t tree, Node end, Real* sums, const Task&) override {
                const auto nodes = all.corpus_.nodes(tree);
                const auto counts = all.corpus_.counts(tree);
                for (std::size_t i = 0; i < nodes.size() && nodes[i] < end; ++i) {
                    const std::size_t place = nodes[i] * all.width_;
                    dual_add_scaled(sums + place, all.weights_.data() + place, Real(counts[i]), all.width_);
                }
            }
            const SubtreeGradients& all;
        };
        return std::make_unique<Worker>(*this);
    }

private:
    const Corpus& corpus_;
    std::size_t width_;
    std::vector<Real> weights_;
};

}  // namespace

template <class Real>
std::unique_ptr<Gradients<Real>> subtree_gradients(const Corpus& corpus, const SubtreeParameters& parameters,
                                                   const LabelPlaces& places) {
    return std::make_unique<SubtreeGradients<Real>>(corpus, parameters, places);
}
template std::unique_ptr<Gradients<double>> subtree_gradients(const Corpus&, const SubtreeParameters&,
                                                              const LabelPlaces&);
template std::unique_ptr<Gradients<Wide>> subtree_gradients(const Corpus&, const SubtreeParameters&,
                                                            const LabelPlaces&);

}  // namespace treekernels
