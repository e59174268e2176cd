// A DAG whose memory runs out at any moment is the DAG it was, and goes on.
#include <new>
#include <string>

#include "core/brackets.hpp"
#include "core/dag.hpp"
#include "tests/support/check.hpp"
#include "tests/support/dag_content.hpp"
#include "tests/support/failing_allocation.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// Calls `change` on DAGs made by `make`, with the first, second, ... allocation failing, until there are no more.
// `after(dag, before)` looks at a DAG whose change has failed; then it is changed again, which must lead to the same
// as if nothing had happened. Gives how many allocations were made to fail.
template <class Make, class Change, class After>
std::size_t fail_everywhere(Make make, Change change, After after) {
    Dag untouched;
    make(untouched);
    change(untouched);
    const DagContent expected(untouched);
    for (std::size_t good = 0;; ++good) {
        Dag dag;
        make(dag);
        const DagContent before(dag);
        try {
            const FailingAllocation failing(good);
            change(dag);
            return good;
        } catch (const std::bad_alloc&) {
        }
        after(dag, before);
        check_consistency(dag);
        change(dag);
        CHECK(DagContent(dag) == expected);
        check_consistency(dag);
    }
}

void is_as_before(const Dag& dag, const DagContent& before) { CHECK(DagContent(dag) == before); }
void has_what_was_before(const Dag& dag, const DagContent& before) { CHECK(DagContent(dag).begins_with(before)); }

// So many labels, leaves, and productions of one child: the arrays are full at various of these sizes.
void fill(Dag& dag, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const Node leaf = dag.intern_node(dag.intern_label("a label, long enough, " + std::to_string(i)), {});
        const std::vector<Node> children{leaf};
        if (i % 2 == 1) dag.intern_node(0, children);
    }
}

}  // namespace

TEST(a_label_is_interned_whole_or_not_at_all) {
    std::size_t failed = 0;
    const std::string text(50, 'x');
    for (std::size_t size = 0; size < 40; ++size)
        failed += fail_everywhere([&](Dag& dag) { fill(dag, size); }, [&](Dag& dag) { dag.intern_label(text); },
                                  is_as_before);
    CHECK(failed > 10);
}

TEST(a_node_is_interned_whole_or_not_at_all) {
    std::size_t failed = 0;
    for (std::size_t size = 2; size < 70; ++size)
        for (std::size_t arity : {0, 1, 2, 7, 100}) {
            const std::vector<Node> children(arity, 0);
            failed += fail_everywhere([&](Dag& dag) { fill(dag, size); },
                                      [&](Dag& dag) { dag.intern_node(1, children); }, is_as_before);
        }
    CHECK(failed > 100);
}

TEST(a_node_of_a_known_production_is_interned_whole_or_not_at_all) {
    const auto make = [](std::size_t size) {
        return [size](Dag& dag) {
            fill(dag, size);
            const Node child = dag.intern_node(1, std::vector<Node>{0, 0});
            dag.intern_node(0, std::vector<Node>{child});
            dag.intern_node(1, std::vector<Node>{0, child, 0});
        };
    };
    std::size_t failed = 0;
    for (std::size_t size = 2; size < 40; ++size) {
        Dag dag;
        make(size)(dag);
        const Node child = dag.find_node(1, std::vector<Node>{0, 0});
        const Node other = dag.find_node(1, std::vector<Node>{0, child, 0});
        const std::size_t productions = dag.production_count();
        const Node added = dag.intern_node(0, std::vector<Node>{other});
        CHECK(dag.production_count() == productions && added + 1 == dag.size());
        failed += fail_everywhere(
            make(size), [&](Dag& shared) { shared.intern_node(0, std::vector<Node>{other}); }, is_as_before);
    }
    CHECK(failed > 10);
}

TEST(an_import_leaves_nodes_that_are_whole) {
    Random random(41);
    Dag from;
    const auto roots = random_forest(from, random, 12, 12);
    const auto make = [](Dag& dag) {
        Random own(42);
        random_forest(dag, own, 5, 8);
    };
    const std::size_t failed =
        fail_everywhere(make, [&](Dag& dag) { dag.import(from, roots, Task(0)); }, has_what_was_before);
    CHECK(failed > 10);
}

TEST(a_reader_leaves_nodes_that_are_whole) {
    Random random(43);
    Dag from;
    std::vector<std::string> texts;
    for (Node root : random_forest(from, random, 10, 12)) texts.push_back(to_brackets(from, root));
    const auto read_all = [&](Dag& dag) {
        BracketReader reader(dag);
        for (const std::string& text : texts) reader.read(text);
    };
    CHECK(fail_everywhere([](Dag&) {}, read_all, has_what_was_before) > 10);
}

TEST(a_reach_goes_on_after_a_failure) {
    Random random(44);
    Dag dag;
    const auto roots = random_forest(dag, random, 20, 20);
    Reach expected(dag);
    for (Node root : roots) expected.add(root);
    for (std::size_t good = 0;; ++good) {
        Reach reach(dag);
        bool failed = false;
        try {
            const FailingAllocation failing(good);
            for (Node root : roots) reach.add(root);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        for (Node root : roots) reach.add(root);
        for (std::size_t place = 0; place < reach.nodes().size(); ++place) {
            CHECK(reach.place(reach.nodes()[place]) == place);
            for (Node child : dag.children(reach.nodes()[place])) CHECK(reach.place(child) < place);
        }
        CHECK(reach.nodes().size() == expected.nodes().size());
        if (!failed) return;
    }
}

}  // namespace treekernels::tests
