// Every way to compare two trees gives the same, and that is what plain recursion gives.
#include <algorithm>
#include <limits>
#include <map>

#include "core/errors.hpp"
#include "distance/distances.hpp"
#include "distance/engine/band.hpp"
#include "distance/levenshtein.hpp"
#include "distance/tree_distance.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// What a pair of subtrees gains, by keyroots from a side.
template <class T>
std::vector<T> by_keyroots(const FlatTree& a, const FlatTree& b, const Gains<T>& gains, From side) {
    Keyroots rows, columns;
    rows.assign(a, 0, side);
    columns.assign(b, 0, side);
    KeyrootRows<T> engine;
    SubtreeGains<T> found;
    engine.run(a, rows, b, columns, gains, found, true, Task(0));
    std::vector<T> result(a.count() * b.count());
    for (std::uint32_t i = 0; i < a.count(); ++i)
        for (std::uint32_t j = 0; j < b.count(); ++j)
            result[rows.preorder(a, i) * b.count() + columns.preorder(b, j)] = found.row(rows.same(i))[columns.slot(j)];
    return result;
}

// Along all heavy paths of a, the lowest first.
template <class T>
std::vector<T> by_paths(const FlatTree& a, const FlatTree& b, const Gains<T>& gains) {
    std::vector<T> result(a.count() * b.count());
    InnerPaths<T> engine;
    for (auto node = static_cast<std::uint32_t>(a.count()); node-- > 0;)
        if (node == 0 || InnerPaths<T>::heavy_child(a, a.parent[node]) != node)
            engine.run(a, node, b, 0, gains, {result.data(), b.count(), 1}, Task(0));
    return result;
}

template <class T>
void check_ways(std::uint32_t seed) {
    Random random(seed);
    const Task task(0);
    for (int round = 0; round < 60; ++round) {
        Dag dag;
        const std::vector<Node> roots = random_forest(dag, random, 2, round < 50 ? 25 : 150);
        FlatTree a, b;
        flatten(dag, roots[0], a, task);
        flatten(dag, roots[1], b, task);
        Gains<T> gains;
        gains.a_kind.assign(a.label.begin(), a.label.end());
        gains.b_kind.assign(b.label.begin(), b.label.end());
        const auto left = by_keyroots(a, b, gains, From::left);
        CHECK(left == by_keyroots(a, b, gains, From::right));
        CHECK(left == by_paths(a, b, gains));
        // Nothing gains more than all of its nodes.
        CHECK(left[0] >= 1 && left[0] <= static_cast<T>(2 * std::min(a.count(), b.count())));
    }
}

}  // namespace

TEST(all_ways_to_compare_trees_agree) {
    for (SimdLevel level : {SimdLevel::plain, best_simd_level()}) {
        simd_level = level;
        check_ways<std::uint16_t>(3);
        check_ways<double>(4);
    }
}

TEST(a_band_has_all_distances_that_are_small_enough) {
    Random random(7);
    const Task task(0);
    const EditCosts costs;
    TreeDistance whole(costs, 1e9);
    Band band;
    for (int round = 0; round < 60; ++round) {
        Dag dag;
        const std::vector<Node> roots = random_forest(dag, random, 6, round < 40 ? 12 : 60);
        std::vector<PreparedTree> trees(roots.size());
        for (std::size_t i = 0; i < roots.size(); ++i) trees[i].assign(dag, roots[i], task);
        for (PreparedTree& a : trees)
            for (PreparedTree& b : trees) {
                const auto exact = static_cast<std::uint32_t>(whole(a, b, task));
                for (std::uint32_t most : {0U, 1U, 2U, 3U, 5U, 8U, exact, exact + 1, exact + 30})
                    CHECK(band.run(a.tree(), a.keyroots(From::left), b.tree(), b.keyroots(From::left), most, task) ==
                          std::min(exact, most + 1));
            }
    }
}

TEST(groups_of_trees_are_as_far_away_as_each_of_them) {
    Random random(8);
    const Task task(0);
    const EditCosts unit;
    for (int round = 0; round < 30; ++round) {
        Dag dag;
        const std::vector<Node> roots = random_forest(dag, random, 9, round < 20 ? 15 : 90);
        const std::size_t labels = dag.label_count();
        const EditCosts halves(std::vector<double>(labels, 1.5), std::vector<double>(labels, 1.0), 0.5, {}, {}, kNone);
        for (const EditCosts* costs : {&unit, &halves}) {
            TreeDistance distance(*costs, 1e9);
            PreparedTree a, b, all;
            a.assign(dag, roots.back(), task);
            all.assign_all(dag, std::span(roots).first(8), task);
            std::vector<double> together;
            CHECK(distance.to_all(a, all, together, task));
            for (std::size_t i = 0; i < 8; ++i) {
                b.assign(dag, roots[i], task);
                CHECK(together[i] == distance(a, b, task));
            }
        }
    }
}

TEST(distances_are_the_same_for_any_number_of_threads) {
    Random random(5);
    Dag dag;
    const std::vector<Node> roots = random_forest(dag, random, 60, 40);
    const EditCosts costs;
    const DistanceRequest request{dag, costs, std::numeric_limits<double>::infinity(), 1e9};
    std::vector<double> alone(roots.size() * roots.size()), together(alone.size());
    Task task(0);
    fill_distances(request, roots, roots, true, MatrixView<double>{alone.data(), roots.size()}, 1, task);
    fill_distances(request, roots, roots, false, MatrixView<double>{together.data(), roots.size()}, 4, task);
    CHECK(alone == together);
    LabelLists lists;
    for (Node root : roots) lists.add(dag, root, task);
    const Neighbors near = find_neighbors(request, roots, roots, lists, false, 5, 3, task);
    for (std::size_t query = 0; query < roots.size(); ++query) {
        std::vector<std::pair<double, std::uint32_t>> every;
        for (std::uint32_t tree = 0; tree < roots.size(); ++tree)
            every.emplace_back(alone[query * roots.size() + tree], tree);
        std::ranges::sort(every);
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(near.distance[near.offset[query] + i] == every[i].first);
            CHECK(near.tree[near.offset[query] + i] == every[i].second);
        }
    }
}

TEST(what_takes_too_much_memory_is_refused) {
    Random random(6);
    Dag dag;
    const std::vector<Node> roots = random_forest(dag, random, 2, 200);
    const EditCosts costs;
    Task task(0);
    bool refused = roots[0] == roots[1];
    try {
        pair_distances({dag, costs, 1e9, 10.0}, std::span(roots).first(1), std::span(roots).last(1), 2, task);
    } catch (const TooLarge&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace treekernels::tests
