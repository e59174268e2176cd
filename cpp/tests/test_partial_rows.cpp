// Rows of partial trees, and what models and support vector machines make of them, against pairs of trees.
#include <cmath>

#include "kernels/partial/kernel.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

bool is_near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * std::abs(b); }

PartialKernel partial_kernel(const Dag& dag, double decay, bool span, const SimilarTexts& similar) {
    PartialKernel kernel{decay, 0.4, span, std::make_shared<const SimilarTexts>(similar)};
    kernel.resolve(dag);
    return kernel;
}

const SimilarTexts kSimilar{{"A", "B", 0.3}};

// Trees, some of which have nodes with more children than can be listed pair by pair.
std::vector<Node> mixed_forest(Dag& dag) {
    Random random(91);
    std::vector<Node> roots = random_forest(dag, random, 60, 30);
    const Label label = dag.intern_label("A");
    for (std::size_t children = 2; children < 9; ++children) {
        const std::vector<Node> same(children, roots[children]);
        roots.push_back(dag.intern_node(label, same));
        roots.push_back(dag.intern_node(label, std::vector<Node>{roots[children], roots.back(), roots[children + 1]}));
    }
    return roots;
}

template <class Real>
void check_rows(const Dag& dag, const std::vector<Node>& roots, const PartialKernel& kernel) {
    const Task task(0);
    const std::size_t columns = roots.size() - 10;
    const Corpus corpus(dag, std::span(roots).first(columns), std::span(roots).subspan(columns), 1, task);
    const auto pairs = kernel.pairs<Real>(corpus, PairAlgorithm::merged, task);
    const auto pair = pairs->worker();
    const auto rows = kernel.rows<Real>(corpus, columns, 1, task);
    const auto worker = rows->worker();
    std::vector<Real> values(columns);
    for (std::size_t tree = 0; tree < roots.size(); ++tree) {
        worker->row(tree, columns, values.data(), task);
        for (std::size_t column = 0; column < columns; ++column)
            CHECK(is_near(to_double(values[column]), to_double((*pair)(tree, column, task)), 1e-12));
        // Another worker has met other trees before, which must not show; and a triangle has the same values.
        std::vector<Real> again(columns), before(tree < columns ? tree : 0);
        rows->worker()->row(tree, columns, again.data(), task);
        CHECK(again == values);
        worker->row(tree, before.size(), before.data(), task);
        for (std::size_t column = 0; column < before.size(); ++column)
            CHECK(is_near(to_double(before[column]), to_double(values[column]), 1e-12));
    }
}

}  // namespace

TEST(rows_of_partial_trees_are_pairs_of_trees) {
    Dag dag;
    const auto roots = mixed_forest(dag);
    for (double decay : {1.0, 0.4, 0.01})
        for (bool span : {false, true})
            for (const SimilarTexts& similar : {SimilarTexts{}, kSimilar}) {
                const PartialKernel kernel = partial_kernel(dag, decay, span, similar);
                check_rows<double>(dag, roots, kernel);
                check_rows<Wide>(dag, roots, kernel);
            }
}

TEST(models_and_responders_of_partial_trees_add_up_pairs) {
    Dag dag;
    const auto roots = mixed_forest(dag);
    const Task task(0);
    constexpr std::size_t kOutputs = 2, kAdded = 20;
    for (const SimilarTexts& similar : {SimilarTexts{}, kSimilar}) {
        const PartialKernel kernel = partial_kernel(dag, 0.4, false, similar);
        std::vector<double> alphas;
        for (std::size_t i = 0; i < kAdded * kOutputs; ++i) alphas.push_back(i % 3 == 0 ? -0.5 : 0.1 * double(i));
        const auto weighted = kernel.weighted_trees(kOutputs, dag);
        weighted->assign(std::span(roots).first(kAdded), alphas, task);
        std::vector<double> scores(roots.size() * kOutputs);
        weighted->scorer(dag)->score(roots, scores.data(), task);
        // With room for some rows, and for none.
        for (std::size_t bytes : {1000, 0}) {
            TreeView view(dag);
            const auto responder = kernel.responder(kOutputs, dag, bytes);
            for (Node root : roots) responder->insert(view(root));
            responder->finish(task);
            for (std::size_t i = 0; i < kAdded; ++i) responder->add(view(roots[i]), alphas.data() + i * kOutputs, task);
            const Corpus corpus(dag, roots, {}, 1, task);
            const auto pairs = kernel.pairs<double>(corpus, PairAlgorithm::merged, task);
            const auto pair = pairs->worker();
            const std::uint32_t both[] = {0, 1};
            for (std::size_t tree = 0; tree < roots.size(); ++tree) {
                double expected[kOutputs] = {}, size[kOutputs] = {}, responses[kOutputs] = {};
                for (std::size_t i = 0; i < kAdded * kOutputs; ++i) {
                    const double value = alphas[i] * (*pair)(tree, i / kOutputs, task);
                    expected[i % kOutputs] += value;
                    size[i % kOutputs] += std::abs(value);
                }
                responder->score(view(roots[tree]), both, responses);
                for (std::size_t k = 0; k < kOutputs; ++k) {
                    CHECK(std::abs(scores[tree * kOutputs + k] - expected[k]) <= 1e-12 * size[k]);
                    CHECK(std::abs(responses[k] - expected[k]) <= 1e-6 * size[k]);  // kept in single precision
                }
            }
        }
    }
}

}  // namespace treekernels::tests
