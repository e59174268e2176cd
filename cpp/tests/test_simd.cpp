// Every instruction set gives the same bits, in whole Gram matrices and vectors of trees.
#include <cstring>

#include "core/memory/simd.hpp"
#include "embedding/distributed_trees.hpp"
#include "kernels/tree_gram.hpp"
#include "tests/support/check.hpp"
#include "tests/support/look_away.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// Calls `use` at each level that this machine has, and leaves the level as it was.
template <class Use>
void at_each_level(const Use& use) {
    const SimdLevel best = best_simd_level();
    for (SimdLevel level : {SimdLevel::plain, SimdLevel::avx2, SimdLevel::avx512}) {
        if (level > best) continue;
        simd_level = level;
        use();
    }
    simd_level = best;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Whether `make` gives the same bits at each level, and anything but zeros.
template <class Make>
void check_levels(const Make& make) {
    std::vector<decltype(make())> results;
    at_each_level([&] { results.push_back(make()); });
    for (const auto& result : results) CHECK(same_bits(result, results.front()));
    CHECK(std::ranges::any_of(results.front(), [](auto value) { return value != 0; }));
}

template <class T>
std::vector<T> gram_of(const Dag& dag, const std::vector<Node>& roots, TreeKernel kernel, bool normalize) {
    resolve_labels(kernel, dag);
    const Execution execution{1, look_away};
    const Gram gram(TreeSource(Corpus(dag, roots, {}, 1, Task(0)), std::move(kernel), Algorithm::corpus), roots.size(),
                    true, normalize, false, execution);
    std::vector<T> result(roots.size() * roots.size());
    gram.fill(MatrixView<T>{result.data(), roots.size()}, execution);
    return result;
}

template <class T>
std::vector<T> vectors_of(const Dag& dag, const std::vector<Node>& roots, const EmbeddingParameters& parameters) {
    std::vector<T> result(roots.size() * parameters.dimension);
    Embedding<T>(parameters)
        .transform(dag, roots, nullptr, std::size_t{1} << 20, 100, MatrixView<T>{result.data(), parameters.dimension},
                   {1, look_away});
    return result;
}

}  // namespace

TEST(gram_matrices_have_the_same_bits_at_every_level) {
    Random random(81);
    Dag dag;
    const auto roots = random_forest(dag, random, 101, 40);
    const auto none = std::make_shared<const SimilarTexts>();
    const auto similar = std::make_shared<const SimilarTexts>(SimilarTexts{{"A", "B", 0.3}});
    for (const TreeKernel& kernel :
         {TreeKernel(SubtreeKernel{{0.7, 0.3}}), TreeKernel(SubsetKernel{{0.7, 0.0}}),
          TreeKernel(SubsetKernel{{0.7, 0.3}}), TreeKernel(PartialKernel{0.7, 0.6, false, none}),
          TreeKernel(PartialKernel{0.7, 0.6, true, similar}), TreeKernel(ElasticKernel{0.7, similar})})
        for (bool normalize : {false, true}) {
            check_levels([&] { return gram_of<double>(dag, roots, kernel, normalize); });
            check_levels([&] { return gram_of<float>(dag, roots, kernel, normalize); });
        }
}

TEST(vectors_of_trees_have_the_same_bits_at_every_level) {
    Random random(82);
    Dag dag;
    const auto roots = random_forest(dag, random, 20, 60);
    for (CompositionKind composition : {CompositionKind::sign, CompositionKind::product, CompositionKind::convolution})
        for (Permutations permutations : {Permutations::structured, Permutations::random})
            for (std::size_t dimension : {64, 100, 2048}) {
                if (composition == CompositionKind::convolution && permutations == Permutations::random &&
                    dimension == 100)
                    continue;  // needs a power of two
                const EmbeddingParameters parameters{
                    composition, permutations, Fragments::subset, dimension, 0.7, true, true, 3, 1};
                check_levels([&] { return vectors_of<float>(dag, roots, parameters); });
                check_levels([&] { return vectors_of<double>(dag, roots, parameters); });
            }
}

}  // namespace treekernels::tests
