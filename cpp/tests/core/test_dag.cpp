// The DAG of distinct subtrees: equal ones are one node, and what is no DAG is refused.
#include <map>
#include <stdexcept>

#include "core/assert.hpp"
#include "core/brackets.hpp"
#include "core/dag.hpp"
#include "core/trees/dag_copier.hpp"
#include "core/trees/dag_translation.hpp"
#include "core/trees/tree_nodes.hpp"
#include "tests/support/check.hpp"
#include "tests/support/dag_content.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

Node read(Dag& dag, std::string_view text) { return BracketReader(dag).read(text); }

}  // namespace

TEST(equal_subtrees_are_one_node) {
    Random random(31);
    Dag dag;
    std::map<std::string, Node> node_of;
    for (int tree = 0; tree < 300; ++tree) {
        const Node root = intern(dag, random_plain_tree(random, 1 + random.below(12)));
        CHECK(node_of.try_emplace(to_brackets(dag, root), root).first->second == root);
    }
    std::map<std::string, int> texts;
    for (Node node = 0; node < dag.size(); ++node) CHECK(++texts[to_brackets(dag, node)] == 1);
    check_consistency(dag);
}

TEST(productions_are_numbered_by_labels) {
    Dag dag;
    const Node first = read(dag, "(A (B x) C)"), same = read(dag, "(A (B y y) C)");
    const Node other = read(dag, "(A C (B x))"), longer = read(dag, "(A (B x) C C)");
    CHECK(dag.production(first) == dag.production(same));
    CHECK(dag.production(first) != dag.production(other) && dag.production(first) != dag.production(longer));
    CHECK(dag.production_node(dag.production(same)) == first);
    CHECK(dag.production(dag.children(first)[1]) == kNone);
}

TEST(what_is_not_there_is_not_found) {
    Dag dag;
    CHECK(dag.find_label("A") == kNone);
    CHECK(dag.find_node(0, {}) == kNone);
    const Node tree = read(dag, "(A (B x) C)");
    const Label a = dag.find_label("A"), b = dag.find_label("B"), c = dag.find_label("C");
    const std::vector<Node> children(dag.children(tree).begin(), dag.children(tree).end());
    const std::vector<Node> swapped{children[1], children[0]}, unknown{children[0], kNone};
    CHECK(dag.find_node(a, children) == tree);
    CHECK(dag.find_node(b, children) == kNone && dag.find_node(kNone, children) == kNone);
    CHECK(dag.find_node(a, swapped) == kNone && dag.find_node(a, unknown) == kNone);
    CHECK(dag.find_node(a, std::span(children).first(1)) == kNone);
    const std::vector<Label> labels{b, c}, wrong{c, b}, more{b, c, c};
    CHECK(dag.find_production(a, labels) == dag.production(tree));
    CHECK(dag.find_production(a, wrong) == kNone && dag.find_production(a, more) == kNone);
    CHECK(dag.find_label("") == kNone && dag.find_label("AA") == kNone);
}

TEST(import_copies_what_the_roots_reach) {
    Random random(32);
    for (int round = 0; round < 30; ++round) {
        Dag from, to;
        const auto roots = random_forest(from, random, 20, 15);
        random_forest(to, random, 10, 15);
        std::vector<Node> some;
        for (Node root : roots)
            if (random.below(2) == 0) some.push_back(root);
        const auto there = to.import(from, some, Task(0));
        CHECK(there.size() == some.size());
        for (std::size_t i = 0; i < some.size(); ++i) CHECK(to_brackets(to, there[i]) == to_brackets(from, some[i]));
        check_consistency(to);
        const DagContent before(to);
        CHECK(to.import(from, some, Task(0)) == there);
        CHECK(DagContent(to) == before);
    }
}

TEST(import_changes_labels_on_the_way) {
    Dag from, to;
    const std::vector<Node> roots{read(from, "(A (B x) (C x))")};
    std::string changed;
    const auto there = to.import(from, roots, Task(0), [&](std::string_view label) -> std::string_view {
        changed = label == "C" ? "B" : label;
        return changed;
    });
    CHECK(to_brackets(to, there[0]) == "(A (B x) (B x))");
    CHECK(to.size() == 3);
}

TEST(a_stopped_import_leaves_a_dag) {
    Dag from, to;
    Node node = read(from, "(A x)");
    for (int i = 0; i < 20000; ++i) {
        const std::vector<Node> children{node};
        node = from.intern_node(0, children);
    }
    Task task(0);
    task.stop();
    CHECK_THROWS(Stopped, to.import(from, std::vector<Node>{node}, task));
    check_consistency(to);
}

TEST(arrays_and_back) {
    Random random(33);
    for (int round = 0; round < 20; ++round) {
        Dag dag, copy;
        const auto roots = random_forest(dag, random, 10, 20);
        std::vector<Node> new_roots;
        const std::vector<Node> some(roots.begin() + 3, roots.end());
        const DagArrays arrays = export_arrays(dag, some, new_roots);
        Dag::fill_from(copy, arrays);
        check_consistency(copy);
        for (std::size_t i = 0; i < some.size(); ++i)
            CHECK(to_brackets(copy, new_roots[i]) == to_brackets(dag, some[i]));
        Reach reach(dag);
        for (Node root : some) reach.add(root);
        CHECK(copy.size() == reach.nodes().size());
    }
}

TEST(arrays_that_are_no_dag_are_refused) {
    Dag dag;
    std::vector<Node> new_roots;
    const DagArrays good = export_arrays(dag, std::vector<Node>{read(dag, "(A (B x) (C y))")}, new_roots);
    const auto refused = [&](auto spoil) {
        DagArrays arrays = good;
        spoil(arrays);
        Dag copy;
        CHECK_THROWS(std::invalid_argument, Dag::fill_from(copy, arrays));
    };
    Dag copy;
    Dag::fill_from(copy, good);
    CHECK(DagContent(copy) == DagContent(dag) || copy.size() == dag.size());
    refused([](DagArrays& a) { a.label_offsets.clear(); });
    refused([](DagArrays& a) { a.label_offsets[0] = 1; });
    refused([](DagArrays& a) { a.label_offsets.back() += 1; });
    refused([](DagArrays& a) { a.label_offsets.back() = ~std::uint64_t{0}; });
    refused([](DagArrays& a) { std::swap(a.label_offsets[1], a.label_offsets[2]); });
    refused([](DagArrays& a) { a.label_text[1] = a.label_text[0]; });  // a label occurs twice
    refused([](DagArrays& a) { a.label_text[1] = '\0'; });
    refused([](DagArrays& a) { a.label_offsets[1] = 0; });  // an empty label
    refused([](DagArrays& a) { a.child_offsets.clear(); });
    refused([](DagArrays& a) { a.child_offsets.pop_back(); });
    refused([](DagArrays& a) { a.child_offsets.push_back(a.children.size()); });
    refused([](DagArrays& a) { a.child_offsets.front() = 1; });
    refused([](DagArrays& a) { a.child_offsets[1] = ~std::uint64_t{0}; });
    refused([](DagArrays& a) { a.children.push_back(0); });
    refused([](DagArrays& a) { a.children.back() = 4; });  // a node that is its own child
    refused([](DagArrays& a) { a.children[0] = 3; });      // a child after its parent
    refused([](DagArrays& a) { a.children[0] = kNone; });
    refused([](DagArrays& a) { a.node_labels[0] = 99; });
    refused([](DagArrays& a) { a.node_labels[0] = kNone; });
    refused([](DagArrays& a) { a.node_labels[2] = a.node_labels[0]; });  // a subtree occurs twice
    refused([](DagArrays& a) { a.node_labels.pop_back(); });
}

TEST(reached_nodes_come_once_and_children_first) {
    Random random(34);
    Dag dag;
    const auto roots = random_forest(dag, random, 30, 20);
    Reach reach(dag);
    for (Node root : roots) {
        const std::size_t before = reach.nodes().size();
        reach.add(root);
        CHECK(reach.place(root) < reach.nodes().size());
        for (std::size_t place = before; place < reach.nodes().size(); ++place)
            for (Node child : dag.children(reach.nodes()[place])) CHECK(reach.place(child) < place);
    }
    for (std::size_t place = 0; place < reach.nodes().size(); ++place)
        CHECK(reach.place(reach.nodes()[place]) == place);
    Reach none(dag);
    CHECK(none.nodes().empty() && none.place(roots[0]) == kNone);
}

TEST(sizes_of_unfolded_trees) {
    Dag dag;
    Node node = read(dag, "(A x)");
    std::vector<Node> roots{node, dag.children(node)[0]};
    for (int level = 0; level < 70; ++level) {
        const std::vector<Node> twice{node, node};
        node = dag.intern_node(0, twice);
        roots.push_back(node);
    }
    const TreeSizes sizes = tree_sizes(dag, roots);
    CHECK(sizes.nodes[0] == 2 && sizes.depth[0] == 2);
    CHECK(sizes.nodes[1] == 1 && sizes.depth[1] == 1);
    CHECK(sizes.nodes[4] == 2 * (2 * 5 + 1) + 1 && sizes.depth[4] == 5);
    CHECK(sizes.nodes.back() == ~std::uint64_t{0} && sizes.depth.back() == 72);
}

TEST(a_translation_knows_what_the_other_dag_has) {
    Random random(35);
    for (int round = 0; round < 20; ++round) {
        Dag from, to;
        random_forest(from, random, 10, 12);
        Translation translation(from, to);
        for (int growth = 0; growth < 3; ++growth) {
            random_forest(to, random, 10, 12);
            translation.look_again();
            for (Node node = 0; node < from.size(); ++node) {
                Node expected = kNone;
                const std::string text = to_brackets(from, node);
                for (Node other = 0; other < to.size(); ++other)
                    if (to_brackets(to, other) == text) expected = other;
                CHECK(translation.node(node) == expected);
                CHECK(translation.label(from.label(node)) == to.find_label(from.label_text(from.label(node))));
                if (from.is_leaf(node)) {
                    CHECK(translation.production(from.production(node)) == kNone);
                    continue;
                }
                std::vector<Label> labels;
                for (Node child : from.children(node)) labels.push_back(translation.label(from.label(child)));
                CHECK(translation.production(from.production(node)) ==
                      to.find_production(translation.label(from.label(node)), labels));
            }
        }
    }
}

TEST(a_view_counts_the_subtrees_of_a_tree) {
    Random random(36);
    Dag dag;
    std::vector<PlainTree> trees;
    std::vector<Node> roots;
    for (int tree = 0; tree < 40; ++tree) {
        trees.push_back(random_plain_tree(random, 1 + random.below(25)));
        roots.push_back(intern(dag, trees.back()));
    }
    TreeView view(dag);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        // Each node of the plain tree is one occurrence.
        std::map<Node, double> expected;
        std::vector<Node> interned;
        for (std::size_t node = 0; node < trees[tree].labels.size(); ++node) {
            std::vector<Node> children;
            for (std::size_t child : trees[tree].children[node]) children.push_back(interned[child]);
            interned.push_back(dag.find_node(dag.find_label(trees[tree].labels[node]), children));
            expected[interned.back()] += 1.0;
        }
        const TreeNodes nodes = view(roots[tree]);
        std::map<Node, double> counted;
        for (std::size_t i = 0; i < nodes.nodes().size(); ++i) counted[nodes.nodes()[i]] = nodes.counts()[i];
        CHECK(counted == expected && std::ranges::is_sorted(nodes.nodes()) && nodes.root() == roots[tree]);
    }
}

#ifdef TREEKERNELS_ASSERTIONS
TEST(nodes_and_labels_that_are_not_there_are_noticed) {
    Dag dag;
    const Node tree = read(dag, "(A (B x))");
    const auto size = static_cast<Node>(dag.size());
    CHECK_THROWS(AssertionFailure, dag.label(size));
    CHECK_THROWS(AssertionFailure, dag.children(size));
    CHECK_THROWS(AssertionFailure, dag.production(kNone));
    CHECK_THROWS(AssertionFailure, dag.is_leaf(size));
    CHECK_THROWS(AssertionFailure, dag.label_text(3));
    CHECK_THROWS(AssertionFailure, dag.production_node(2));
    CHECK_THROWS(AssertionFailure, dag.intern_node(3, {}));
    const std::vector<Node> unknown{size};
    CHECK_THROWS(AssertionFailure, dag.intern_node(0, unknown));
    CHECK_THROWS(AssertionFailure, dag.intern_node(1, dag.children(tree)));  // of its own: they move as it grows
    CHECK_THROWS(AssertionFailure, Reach(dag).add(size));
    CHECK(dag.size() == size);
    check_consistency(dag);
    Dag other;
    Translation translation(dag, other);
    CHECK_THROWS(AssertionFailure, translation.node(tree));  // before its children
    CHECK_THROWS(AssertionFailure, translation.label(3));
}
#endif

}  // namespace treekernels::tests
