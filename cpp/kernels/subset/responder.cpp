#include "kernels/subset/matcher.hpp"
#include "kernels/subset/weighted_forest.hpp"
#include "models/class_weights.hpp"

namespace treekernels {

namespace {

class SubsetResponder final : public Responder {
public:
    SubsetResponder(SubsetParameters parameters, std::size_t outputs, const Dag& dag, std::size_t bytes)
        : parameters_(parameters),
          outputs_(outputs),
          dag_(dag),
          groups_(dag),
          matcher_(groups_, parameters.decay, bytes, ProductionOf{&dag}),
          responses_(dag.production_count()),
          production_sums_(outputs),
          label_sums_(outputs) {}

    void insert(const TreeNodes& tree) override {
        for (Node node : tree.nodes())
            if (!dag_.is_leaf(node) && groups_.rank(node) == kNone) groups_.insert(node);
    }

    void add(const TreeNodes& tree, const double* alpha, const Task& task) override {
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!dag_.is_leaf(nodes[i]))
                production_sums_.add(dag_.production(nodes[i]), parameters_.decay * counts[i], alpha);
            else if (parameters_.leaf_weight != 0.0)
                label_sums_.add(dag_.label(nodes[i]), parameters_.leaf_weight * counts[i], alpha);
        }
        // Mostly one or two of the outputs change.
        changed_.clear();
        for (std::uint32_t k = 0; k < outputs_; ++k)
            if (alpha[k] != 0.0) changed_.push_back(k);
        const auto use = [&](std::size_t i, Production p, const std::uint32_t* ranks, std::size_t count, auto value) {
            const std::size_t size = groups_.group_size(p);
            responses_[p].resize(outputs_ * size, 0.0);
            for (std::uint32_t k : changed_) {
                double* to = responses_[p].data() + k * size;
                const double factor = counts[i] * alpha[k];
                for (std::size_t at = 0; at < count; ++at)
                    to[ranks[at]] += (value(at, ranks[at]) - parameters_.decay) * factor;
            }
        };
        matcher_.visit(tree, [](std::size_t) { return true; }, use, task);
    }

    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (dag_.is_leaf(nodes[i])) {
                if (parameters_.leaf_weight != 0.0) label_sums_.add_to(scores, dag_.label(nodes[i]), counts[i]);
                continue;
            }
            const Production p = dag_.production(nodes[i]);
            production_sums_.add_to(scores, p, counts[i]);
            if (responses_[p].empty()) continue;
            const std::size_t size = groups_.group_size(p);
            const double* from = responses_[p].data() + groups_.rank(nodes[i]);
            for (std::uint32_t k : outputs) scores[k] += counts[i] * from[k * size];
        }
    }

private:
    struct ProductionOf {
        const Dag* dag;
        Production operator()(Node node) const { return dag->production(node); }
    };

    SubsetParameters parameters_;
    std::size_t outputs_;
    const Dag& dag_;
    SubsetGroups groups_;
    SubsetMatcher<float, ProductionOf> matcher_;
    // By production, column and rank: what a subtree scores beyond its production.
    std::vector<std::vector<double>> responses_;
    std::vector<std::uint32_t> changed_;
    ClassWeights production_sums_;
    ClassWeights label_sums_;
};

}  // namespace

std::unique_ptr<Responder> make_subset_responder(SubsetParameters parameters, std::size_t outputs, const Dag& dag,
                                                 std::size_t bytes) {
    return std::make_unique<SubsetResponder>(parameters, outputs, dag, bytes);
}

}  // namespace treekernels
