// What productions and labels weigh, looked up in a DAG that grows; damped counts; document frequencies.
#include <cmath>
#include <map>
#include <set>

#include "core/corpus.hpp"
#include "core/trees/document_frequencies.hpp"
#include "core/trees/tree_nodes.hpp"
#include "gram/labels/production_factors.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

TEST(the_weight_of_a_production_comes_before_that_of_its_label) {
    Dag dag;
    const Node b = dag.intern_node(dag.intern_label("b"), {});
    const auto production = [&](const char* label, std::vector<Node> children) {
        return dag.production(dag.intern_node(dag.intern_label(label), children));
    };
    const Production one = production("A", {b}), two = production("A", {b, b}), three = production("B", {b});
    auto table = std::make_shared<FactorTable>(0.5);
    const std::vector<std::string> labels{"A", "b"};
    table->set_production_weight(labels, 3.0);
    table->set_label_weight("A", 2.0);
    table->set_decay("A", 0.1);
    ProductionFactors factors(0.4, table);
    CHECK(factors[one] == 0.4);  // not looked up yet
    factors.cover(dag);
    CHECK(factors[one] == 0.1 * 9.0);
    CHECK(factors[two] == 0.1 * 4.0);
    CHECK(factors[three] == 0.4 * 0.25);
    CHECK(table->label_factor("A", 0.4) == 0.1 * 4.0);
    CHECK(table->label_factor("b", 0.4) == 0.4 * 0.25);
    const Production later = production("A", {b, b, b});
    CHECK(factors[later] == 0.4);
    factors.cover(dag);
    CHECK(factors[later] == 0.1 * 4.0);
    ProductionFactors plain(0.4, nullptr);
    plain.cover(dag);
    CHECK(plain.uniform() && plain[one] == 0.4);
}

TEST(labels_of_any_kind_are_told_apart) {
    Dag dag;
    const Node joined = dag.intern_node(dag.intern_label("b1:c"), {});
    const Node b = dag.intern_node(dag.intern_label("b"), {}), c = dag.intern_node(dag.intern_label("c"), {});
    const Label parent = dag.intern_label("A");
    const Production one = dag.production(dag.intern_node(parent, std::vector<Node>{joined}));
    const Production two = dag.production(dag.intern_node(parent, std::vector<Node>{b, c}));
    FactorTable table(1.0);
    const std::vector<std::string> labels{"A", "b", "c"};
    table.set_production_weight(labels, 2.0);
    CHECK(table.factor(dag, one, 1.0) == 1.0);
    CHECK(table.factor(dag, two, 1.0) == 4.0);
}

TEST(damped_counts_are_those_of_plain_counts) {
    Random random(71);
    Dag dag;
    const auto roots = random_forest(dag, random, 30, 40);
    const Corpus plain(dag, roots, {}, 1, Task(0));
    for (const CountDamping damping : {CountDamping::linear, CountDamping::log, CountDamping::binary}) {
        const auto expected = [&](double count) {
            if (damping == CountDamping::binary) return 1.0;
            return damping == CountDamping::log ? 1.0 + std::log(count) : count;
        };
        TreeView view(dag, damping), counting(dag);
        for (const unsigned threads : {1U, 4U}) {
            const Corpus damped(dag, roots, {}, threads, Task(0), damping);
            for (std::size_t tree = 0; tree < roots.size(); ++tree) {
                const Corpus alone(damped, tree, Task(0));
                CHECK(std::ranges::equal(alone.counts(0), damped.counts(tree)));
                for (std::size_t i = 0; i < plain.counts(tree).size(); ++i)
                    CHECK(damped.counts(tree)[i] == expected(plain.counts(tree)[i]));
            }
        }
        for (Node root : roots) {
            const std::vector<double> counts(counting(root).counts().begin(), counting(root).counts().end());
            const TreeNodes tree = view(root);
            for (std::size_t i = 0; i < counts.size(); ++i) CHECK(tree.counts()[i] == expected(counts[i]));
        }
    }
}

TEST(document_frequencies_count_trees) {
    Random random(72);
    Dag dag;
    const auto roots = random_forest(dag, random, 40, 12);
    std::map<Production, std::uint64_t> productions;
    std::map<Label, std::uint64_t> labels;
    TreeView view(dag);
    for (Node root : roots) {
        std::set<Production> own;
        std::set<Label> own_labels;
        for (Node node : view(root).nodes()) {
            if (!dag.is_leaf(node)) own.insert(dag.production(node));
            own_labels.insert(dag.label(node));
        }
        for (Production p : own) ++productions[p];
        for (Label label : own_labels) ++labels[label];
    }
    const auto by_production = production_frequencies(dag, roots, Task(0));
    const auto by_label = label_frequencies(dag, roots, Task(0));
    CHECK(by_production.size() == dag.production_count() && by_label.size() == dag.label_count());
    for (Production p = 0; p < by_production.size(); ++p) CHECK(by_production[p] == productions[p]);
    for (Label label = 0; label < by_label.size(); ++label) CHECK(by_label[label] == labels[label]);
}

}  // namespace treekernels::tests
