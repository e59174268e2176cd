// The subtrees of a corpus and their counts against unfolded trees.
#include <map>

#include "core/assert.hpp"
#include "core/corpus.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// The text of each subtree of a plain tree.
std::vector<std::string> texts_of(const PlainTree& tree) {
    std::vector<std::string> texts;
    for (std::size_t node = 0; node < tree.labels.size(); ++node) {
        std::string text = "(" + tree.labels[node];
        for (std::size_t child : tree.children[node]) text += texts[child];
        texts.push_back(text + ")");
    }
    return texts;
}

std::vector<std::string> texts_of(const Corpus& corpus, const Dag& dag) {
    std::vector<std::string> texts;
    for (Node node = 0; node < corpus.node_count(); ++node) {
        std::string text = "(" + std::string(dag.label_text(corpus.label(node)));
        for (Node child : corpus.children(node)) {
            CHECK(child < node);
            text += texts[child];
        }
        texts.push_back(text + ")");
    }
    return texts;
}

using TreeCounts = std::map<std::string, double>;

TreeCounts counts_of(const Corpus& corpus, std::size_t tree, const std::vector<std::string>& texts) {
    TreeCounts counts;
    CHECK(std::ranges::is_sorted(corpus.nodes(tree)));
    for (std::size_t i = 0; i < corpus.nodes(tree).size(); ++i)
        CHECK(counts.try_emplace(texts[corpus.nodes(tree)[i]], corpus.counts(tree)[i]).second);
    return counts;
}

TreeCounts counts_of(const PlainTree& tree) {
    TreeCounts counts;
    for (const std::string& text : texts_of(tree)) counts[text] += 1.0;
    return counts;
}

void check_corpus(std::size_t column_count, std::size_t row_count, std::size_t largest, unsigned threads,
                  Random& random) {
    Dag dag;
    random_forest(dag, random, 5, 10);  // not all of a DAG is in the corpus
    std::vector<PlainTree> trees;
    std::vector<Node> roots;
    for (std::size_t tree = 0; tree < column_count + row_count; ++tree) {
        trees.push_back(random_plain_tree(random, 1 + random.below(largest)));
        roots.push_back(intern(dag, trees.back()));
    }
    const Task task(0);
    const Corpus corpus(dag, std::span(roots).first(column_count), std::span(roots).subspan(column_count), threads,
                        task);
    const auto texts = texts_of(corpus, dag);
    CHECK(corpus.tree_count() == trees.size() && corpus.limit(0) == 0);
    std::map<std::string, int> seen;
    std::size_t total = 0;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        const TreeCounts expected = counts_of(trees[tree]);
        CHECK(counts_of(corpus, tree, texts) == expected);
        CHECK(texts[corpus.root(tree)] == texts_of(trees[tree]).back());
        for (const auto& [text, count] : expected) ++seen[text];
        CHECK(corpus.limit(tree + 1) == seen.size());
        total += expected.size();
        // The same tree in a corpus of its own.
        const Corpus alone(corpus, tree, task);
        CHECK(alone.tree_count() == 1 && alone.node_count() == expected.size() && alone.limit(1) == expected.size());
        CHECK(counts_of(alone, 0, texts_of(alone, dag)) == expected);
        CHECK(alone.production_count() == corpus.production_count() && alone.label_count() == corpus.label_count());
    }
    CHECK(corpus.node_count() == seen.size() && corpus.total_nodes() == total);
    for (Node node = 0; node < corpus.node_count(); ++node)
        CHECK(corpus.is_leaf(node) == corpus.children(node).empty() &&
              corpus.first_edge(node + 1) - corpus.first_edge(node) == corpus.children(node).size());
    CHECK(corpus.edge_count() == corpus.first_edge(static_cast<Node>(corpus.node_count())));
}

}  // namespace

TEST(a_corpus_counts_the_subtrees_of_its_trees) {
    Random random(61);
    for (unsigned threads : {1U, 2U, 4U})
        for (std::size_t trees : {1, 2, 5, 40})
            for (std::size_t largest : {1, 3, 12, 60}) check_corpus(trees, random.below(8), largest, threads, random);
    check_corpus(0, 0, 1, 1, random);
    check_corpus(0, 0, 1, 2, random);
    check_corpus(0, 3, 9, 2, random);
}

TEST(marked_nodes_of_a_corpus_become_leaves) {
    Random random(62);
    Dag dag;
    const auto roots = random_forest(dag, random, 20, 30);
    const Task task(0);
    Corpus corpus(dag, roots, {}, 1, task);
    const Corpus before(dag, roots, {}, 1, task);
    std::vector<bool> marked;
    for (Node node = 0; node < corpus.node_count(); ++node) marked.push_back(random.below(3) == 0);
    corpus.cut(marked);
    CHECK(corpus.node_count() == before.node_count());
    for (Node node = 0; node < corpus.node_count(); ++node) {
        CHECK(corpus.label(node) == before.label(node));
        if (marked[node])
            CHECK(corpus.is_leaf(node) && corpus.children(node).empty());
        else
            CHECK(std::ranges::equal(corpus.children(node), before.children(node)));
    }
    for (std::size_t tree = 0; tree < roots.size(); ++tree)
        CHECK(std::ranges::equal(corpus.counts(tree), before.counts(tree)));
}

TEST(counts_are_exact_up_to_the_last_power_of_two) {
    Dag dag;
    Node node = dag.intern_node(dag.intern_label("A"), {});
    for (int level = 0; level < 1000; ++level) node = dag.intern_node(0, std::vector<Node>{node, node});
    const std::vector<Node> roots{node};
    const Corpus corpus(dag, roots, {}, 1, Task(0));
    for (int level = 0; level <= 1000; ++level)
        CHECK(corpus.counts(0)[static_cast<std::size_t>(level)] == std::ldexp(1.0, 1000 - level));
}

TEST(a_stopped_corpus_ends) {
    Random random(63);
    Dag dag;
    const auto roots = random_forest(dag, random, 100, 20);
    Task task(0);
    task.stop();
    CHECK_THROWS(Stopped, Corpus(dag, roots, {}, 1, task));
    CHECK_THROWS(Stopped, Corpus(dag, roots, {}, 2, task));
}

TEST(items_are_grouped_by_key) {
    Random random(64);
    for (std::size_t count : {0, 1, 50, 1000}) {
        std::vector<std::uint32_t> keys;
        for (std::size_t i = 0; i < count; ++i)
            keys.push_back(random.below(5) == 0 ? kNone : static_cast<std::uint32_t>(random.below(20)));
        const Grouping groups = group(count, 20, [&](std::size_t item) { return keys[item]; });
        for (std::uint32_t key = 0; key < 20; ++key) {
            std::vector<std::uint32_t> expected;
            for (std::uint32_t item = 0; item < count; ++item)
                if (keys[item] == key) expected.push_back(item);
            CHECK(std::ranges::equal(groups[key], expected));
        }
    }
}

#ifdef TREEKERNELS_ASSERTIONS
TEST(what_is_not_in_a_corpus_is_noticed) {
    Random random(65);
    Dag dag;
    const auto roots = random_forest(dag, random, 3, 10);
    const Corpus corpus(dag, roots, {}, 1, Task(0));
    const auto size = static_cast<Node>(corpus.node_count());
    CHECK_THROWS(AssertionFailure, corpus.label(size));
    CHECK_THROWS(AssertionFailure, corpus.production(size));
    CHECK_THROWS(AssertionFailure, corpus.children(size));
    CHECK_THROWS(AssertionFailure, corpus.is_leaf(size));
    CHECK_THROWS(AssertionFailure, corpus.root(3));
    CHECK_THROWS(AssertionFailure, corpus.nodes(3));
    CHECK_THROWS(AssertionFailure, corpus.counts(3));
    CHECK_THROWS(AssertionFailure, corpus.limit(4));
    const std::vector<Node> unknown{static_cast<Node>(dag.size())};
    CHECK_THROWS(AssertionFailure, Corpus(dag, unknown, {}, 1, Task(0)));
    CHECK_THROWS(AssertionFailure, group(3, 2, [](std::size_t item) { return static_cast<std::uint32_t>(item); }));
}
#endif

}  // namespace treekernels::tests
