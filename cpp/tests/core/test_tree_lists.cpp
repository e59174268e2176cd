// Lists of subtrees against the trees themselves, one at a time.
#include "core/trees/met_nodes.hpp"
#include "core/trees/tree_lists.hpp"
#include "core/trees/tree_nodes.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// A tree in which everything occurs twice, on so many levels.
Node doubled(Dag& dag, std::size_t levels) {
    Node node = dag.intern_node(dag.intern_label("x"), {});
    for (std::size_t level = 0; level < levels; ++level) {
        const std::vector<Node> twins{node, node};
        node = dag.intern_node(dag.intern_label("A"), twins);
    }
    return node;
}

}  // namespace

TEST(a_list_has_the_subtrees_of_a_tree) {
    Random random(1);
    const Task task(0);
    for (const auto kind : {TreeLists::Of::all, TreeLists::Of::inner_nodes}) {
        Dag dag;
        std::vector<Node> roots = random_forest(dag, random, 200, 40);
        roots.push_back(doubled(dag, 20));
        TreeLists lists(dag, kind);
        TreeView view(dag);
        for (const std::size_t first : {0, 100}) {  // they are made anew
            lists.assign(std::span(roots).subspan(first), task);
            for (std::size_t tree = first; tree < roots.size(); ++tree) {
                const auto list = lists.find(roots[tree]);
                CHECK(list.has_value());
                const TreeNodes expected = view(roots[tree]);
                std::size_t at = 0;
                for (std::size_t i = 0; i < expected.nodes().size(); ++i) {
                    const Node node = expected.nodes()[i];
                    if (kind == TreeLists::Of::inner_nodes && dag.is_leaf(node)) continue;
                    const auto [number, count] = (*list)[at++];
                    CHECK(lists.subtree(number).node == node);
                    CHECK(lists.subtree(number).production == dag.production(node));
                    CHECK(static_cast<double>(count) == expected.counts()[i]);
                    std::size_t edge = 0;
                    for (std::uint32_t c = 0; c < dag.children(node).size(); ++c) {
                        const Node child = dag.children(node)[c];
                        if (dag.is_leaf(child)) continue;
                        const TreeLists::Edge& found = lists.edges(number)[edge++];
                        CHECK(found.position == c && found.production == dag.production(child));
                        CHECK(lists.subtree(found.child).node == child);
                    }
                    CHECK(edge == lists.edges(number).size());
                }
                CHECK(at == list->size());
            }
        }
    }
}

TEST(large_trees_and_large_counts_have_no_list) {
    Dag dag;
    const Task task(0);
    const Label label = dag.intern_label("A");
    std::vector<Node> chain{dag.intern_node(label, {})};
    while (chain.size() <= TreeLists::kLargest) chain.push_back(dag.intern_node(label, std::vector{chain.back()}));
    const Node wide = dag.intern_node(label, std::vector<Node>(100000, chain[0]));
    const std::vector<Node> roots{chain[TreeLists::kLargest], chain[TreeLists::kLargest - 1], doubled(dag, 33), wide};
    TreeLists lists(dag);
    lists.assign(roots, task);
    CHECK(!lists.find(roots[0]));
    CHECK(lists.find(roots[1])->size() == TreeLists::kLargest);
    CHECK(!lists.find(roots[2]));
    CHECK(!lists.find(roots[3]));
}

TEST(met_nodes_are_forgotten_all_at_once) {
    Random random(2);
    Dag dag;
    const auto roots = random_forest(dag, random, 30, 20);
    MetNodes met(dag.size(), kNone - 2000);  // it soon runs out of numbers, and begins anew
    for (std::size_t round = 0; round < 100; ++round) {
        met.clear();
        for (Node node = 0; node < dag.size(); ++node) CHECK(!met.knows(node));
        const Node root = roots[random.below(roots.size())];
        const bool without_leaves = round % 2 == 0;
        met.add_below(dag, root, without_leaves);
        TreeView view(dag);
        for (Node node : view(root).nodes()) {
            const bool out = without_leaves && dag.is_leaf(node);
            CHECK(met.knows(node) && (met.place(node) == 0) == out);
            if (out) continue;
            CHECK(met.nodes()[met.place(node)] == node);
            for (Node child : dag.children(node)) CHECK(met.place(child) < met.place(node));
        }
    }
}

}  // namespace treekernels::tests
