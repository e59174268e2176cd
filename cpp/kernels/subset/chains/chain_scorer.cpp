#include "kernels/subset/chains/chain_scorer.hpp"

#include <algorithm>

#include "core/corpus.hpp"
#include "core/trees/dag_translation.hpp"
#include "core/trees/tree_nodes.hpp"
#include "kernels/subset/chains/unary_paths.hpp"

namespace treekernels {

namespace {

std::vector<std::uint32_t> ways_down(const Dag& dag, const Reach& reach, const Task& task) {
    return treekernels::ways_down(dag, reach.nodes(), [&](Node node) { return reach.place(node); }, task);
}

Reach inner_nodes(const Dag& dag, std::span<const Node> roots, const Task& task) {
    Reach reach(dag, &task, Reach::Of::inner_nodes);
    for (Node root : roots) reach.add(root);
    return reach;
}

}  // namespace

std::uint32_t longest_chain(const Dag& dag, std::span<const Node> roots, const Task& task) {
    const auto ways = ways_down(dag, inner_nodes(dag, roots, task), task);
    return ways.empty() ? 0 : *std::ranges::max_element(ways);
}

WeightedChains::WeightedChains(const Dag& dag, const SubsetParameters& parameters, const ForestState& state,
                               const Task& task) {
    if (!parameters.uniform()) return;  // then what ways have in common is not known by its length
    if (longest_chain(dag, state.nodes, task) <= UnaryPaths::kLong) return;
    nodes = state.nodes;
    weights = state.weights;
}

// Whether to look at pairs would take far longer than to make a matrix.
bool SubsetChainScorer::pays(std::span<const Node> roots, const Task& task) const {
    constexpr double kStep = 64;  // what a node costs in a matrix, in pairs of nodes
    Translation translation(source_, table_.dag());
    const Reach reach = inner_nodes(source_, roots, task);
    const auto ways = ways_down(source_, reach, task);
    double pairs = 0.0;
    for (std::size_t place = 0; place < ways.size(); ++place) {
        if (ways[place] <= UnaryPaths::kLong) continue;
        const std::uint32_t group = table_.find_group(translation.production(source_.production(reach.nodes()[place])));
        if (group != kNone) pairs += table_.group(group).size;
    }
    return pairs > kStep * static_cast<double>(ways.size() + chains_.nodes.size() * table_.outputs());
}

void SubsetChainScorer::score(std::span<const Node> roots, double* scores, const Task& task) {
    if (!pays(roots, task)) return other_->score(roots, scores, task);
    const std::size_t outputs = table_.outputs();
    Dag both;
    const auto model = both.import(table_.dag(), chains_.nodes, task);
    const auto trees = both.import(source_, roots, task);
    SubsetParameters parameters = table_.parameters();
    parameters.leaf_weight = 0.0;  // a model has the sums of its leaves by label
    const Corpus corpus(both, model, chains_.weights, trees, task, parameters.damping);
    const auto rows = subset_rows<double>(corpus, outputs, parameters, 1, task);
    const auto worker = rows->worker();
    for (std::size_t i = 0; i < roots.size(); ++i) {
        worker->row(outputs + i, outputs, scores + i * outputs, task);
        if (table_.parameters().leaf_weight != 0.0) add_leaves(roots[i], scores + i * outputs, task);
    }
}

void SubsetChainScorer::add_leaves(Node root, double* scores, const Task& task) const {
    TreeView view(source_, table_.parameters().damping);
    const TreeNodes tree = view(root);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
        task.check();
        if (!source_.is_leaf(tree.nodes()[i])) continue;
        const Label label = table_.dag().find_label(source_.label_text(source_.label(tree.nodes()[i])));
        const double* leaf_scores = label == kNone ? nullptr : table_.label_score(label);
        if (!leaf_scores) continue;
        for (std::size_t k = 0; k < table_.outputs(); ++k) scores[k] += tree.counts()[i] * leaf_scores[k];
    }
}

}  // namespace treekernels
