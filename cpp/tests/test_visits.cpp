// Scores of many trees at a time, and of visits while a model grows, against sums over pairs of nodes.
#include <cmath>
#include <map>

#include "core/trees/tree_nodes.hpp"
#include "kernels/subset/weighted_forest.hpp"
#include "learners/visits.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// The subset-tree kernel as it is written down.
class PlainKernel {
public:
    PlainKernel(const Dag& dag, SubsetParameters parameters) : dag_(dag), parameters_(parameters), view_(dag) {}

    double operator()(Node a, Node b) {
        const TreeNodes first = view_(a);
        const std::vector<Node> nodes(first.nodes().begin(), first.nodes().end());
        const std::vector<double> counts(first.counts().begin(), first.counts().end());
        const TreeNodes second = view_(b);
        double sum = 0.0;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (std::size_t j = 0; j < second.nodes().size(); ++j)
                sum += counts[i] * second.counts()[j] * pair(nodes[i], second.nodes()[j]);
        return sum;
    }

private:
    double pair(Node u, Node v) {
        if (dag_.is_leaf(u) != dag_.is_leaf(v)) return 0.0;
        if (dag_.is_leaf(u)) return u == v ? parameters_.leaf_weight : 0.0;
        return dag_.production(u) == dag_.production(v) ? c(u, v) : 0.0;
    }
    double c(Node u, Node v) {
        const auto key = std::pair(u, v);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        double value = parameters_.decay;
        for (std::size_t k = 0; k < dag_.children(u).size(); ++k) {
            const Node x = dag_.children(u)[k], y = dag_.children(v)[k];
            if (!dag_.is_leaf(x) && !dag_.is_leaf(y) && dag_.production(x) == dag_.production(y))
                value *= 1.0 + c(x, y);
        }
        return known_[key] = value;
    }

    const Dag& dag_;
    SubsetParameters parameters_;
    TreeView view_;
    std::map<std::pair<Node, Node>, double> known_;
};

bool close(double a, double b) { return std::abs(a - b) <= 1e-11 * (1.0 + std::abs(b)); }

std::unique_ptr<Visits> visits_of(const Dag& dag, SubsetParameters parameters, std::size_t outputs, unsigned threads) {
    return std::make_unique<Visits>(make_subset_trees(parameters, outputs, dag),
                                    make_subset_trees(parameters, outputs, dag), dag, outputs, threads);
}

}  // namespace

TEST(weighted_trees_score_sums_over_pairs) {
    Random random(1);
    const Task task(0);
    for (std::size_t round = 0; round < 60; ++round) {
        Dag dag;
        const auto roots = random_forest(dag, random, 30, 25);
        const SubsetParameters parameters{std::vector{0.4, 1.0, 1e-3}[round % 3], round % 2 ? 0.5 : 0.0};
        const std::size_t outputs = 1 + round % 10;
        const auto trees = make_subset_trees(parameters, outputs, dag);
        TreeLists lists(dag, trees->looks_at());
        lists.assign(roots, task);
        const auto scorer = trees->scorer(dag, round % 4 < 2 ? &lists : nullptr);
        PlainKernel kernel(dag, parameters);
        for (std::size_t again = 0; again < 2; ++again) {  // the table is made anew, and the scorer notices
            const auto some = std::span(roots).subspan(10 * again, 12);
            std::vector<double> alphas(some.size() * outputs);
            for (double& alpha : alphas) alpha = random.unit() - 0.5;
            trees->assign(some, alphas, task);
            std::vector<double> scores(roots.size() * outputs);
            // In two calls: the second has subtrees that the first has seen.
            scorer->score(std::span(roots).first(15), scores.data(), task);
            scorer->score(std::span(roots).subspan(15), scores.data() + 15 * outputs, task);
            for (std::size_t i = 0; i < roots.size(); ++i) {
                for (std::size_t k = 0; k < outputs; ++k) {
                    double expected = 0.0;
                    for (std::size_t j = 0; j < some.size(); ++j)
                        expected += alphas[j * outputs + k] * kernel(roots[i], some[j]);
                    CHECK(close(scores[i * outputs + k], expected));
                }
            }
        }
    }
}

TEST(a_visit_scores_all_that_was_added_before_it) {
    Random random(2);
    const Task task(0);
    for (const std::size_t count : {1, 31, 32, 33, 64, 97, 300, 4200}) {
        const std::size_t pause = count > 1000 ? 100 : 3;  // visits from one addition to the next
        Dag dag;
        const auto some = random_forest(dag, random, 40, 20);
        const SubsetParameters parameters{0.4, 0.0};
        PlainKernel kernel(dag, parameters);
        std::vector<Node> roots;  // often the same ones
        for (std::size_t visit = 0; visit < count; ++visit) roots.push_back(some[random.below(some.size())]);
        const auto visits = visits_of(dag, parameters, 2, 1);
        visits->expect(roots, task);
        visits->begin(roots, std::vector<double>(2 * count, 3.0));
        std::vector<std::pair<Node, double>> added;
        for (Node root : roots) {
            const double* scores = visits->next(task);
            double expected = 3.0;
            for (const auto& [tree, alpha] : added) expected += alpha * kernel(root, tree);
            CHECK(close(scores[0], expected));
            CHECK(close(scores[1], 9.0 - 2.0 * expected));
            if (random.below(pause) > 0) continue;
            const double alpha = random.unit() - 0.5;
            const double alphas[] = {alpha, -2.0 * alpha};
            visits->add(alphas);
            added.emplace_back(root, alpha);
        }
        CHECK(visits->added().size() == added.size());
    }
}

// Large trees have no list, and are scored all the same.
TEST(large_trees_are_scored_beside_small_ones) {
    Random random(5);
    const Task task(0);
    for (const double leaf_weight : {0.0, 0.5}) {
        Dag dag;
        std::vector<Node> roots = random_forest(dag, random, 20, 25);
        for (std::size_t tree = 0; tree < 4; ++tree)
            roots.insert(roots.begin() + 5 * tree, intern(dag, random_plain_tree(random, 3000, 12)));
        const SubsetParameters parameters{0.4, leaf_weight};
        const auto trees = make_subset_trees(parameters, 2, dag);
        TreeLists lists(dag, trees->looks_at());
        lists.assign(roots, task);
        CHECK(std::ranges::count_if(roots, [&](Node root) { return !lists.find(root); }) == 4);
        const std::vector<double> alphas(2 * roots.size(), 0.5);
        std::vector<double> with(2 * roots.size()), without(2 * roots.size());
        const auto listed = trees->scorer(dag, &lists), plain = trees->scorer(dag);
        for (std::size_t again = 0; again < 2; ++again) {
            trees->assign(roots, alphas, task);
            listed->score(roots, with.data(), task);
            plain->score(roots, without.data(), task);
            for (std::size_t at = 0; at < with.size(); ++at) CHECK(close(with[at], without[at]));
        }
    }
}

// With so many distinct trees that several threads have something to do.
TEST(visits_have_the_same_bits_on_any_number_of_threads) {
    const Task task(0);
    std::vector<std::vector<double>> all;
    for (const unsigned threads : {1U, 2U, 3U}) {
        Random random(3);
        Dag dag;
        const auto roots = random_forest(dag, random, 12000, 20);
        const auto visits = visits_of(dag, {0.4, 0.0}, 1, threads);
        visits->expect(roots, task);
        visits->begin(roots, std::vector<double>(roots.size(), 0.0));
        std::vector<double> scores;
        for (std::size_t visit = 0; visit < roots.size(); ++visit) {
            scores.push_back(*visits->next(task));
            const double alpha = 1.0 / (1.0 + static_cast<double>(visit));
            if (visit % 40 == 0) visits->add(&alpha);
        }
        all.push_back(std::move(scores));
    }
    CHECK(all[0] == all[1]);
    CHECK(all[0] == all[2]);
}

TEST(a_stopped_visit_can_be_taken_again) {
    Random random(4);
    Dag dag;
    const auto roots = random_forest(dag, random, 200, 20);
    const auto once = visits_of(dag, {0.4, 0.0}, 1, 1), twice = visits_of(dag, {0.4, 0.0}, 1, 1);
    const Task task(0);
    Task stopped(0);
    stopped.stop();
    once->expect(roots, task);
    once->begin(roots, std::vector<double>(200, 0.0));
    twice->expect(roots, task);
    twice->begin(roots, std::vector<double>(200, 0.0));
    for (std::size_t visit = 0; visit < 200; ++visit) {
        if (visit == 64 || visit == 128) CHECK_THROWS(Stopped, twice->next(stopped));
        CHECK(*once->next(task) == *twice->next(task));
        const double alpha = visit % 2 == 0 ? 1.0 : -0.5;
        once->add(&alpha);
        twice->add(&alpha);
    }
}

}  // namespace treekernels::tests
