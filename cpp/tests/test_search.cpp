// The index of trees against Gram matrices of the same trees.
#include <cmath>

#include "kernels/tree_gram.hpp"
#include "search/index_worker.hpp"
#include "search/tree_index.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

constexpr std::size_t kTrees = 60, kQueries = 12, kMost = 1000000;

std::vector<TreeKernel> searched_kernels() {
    const auto table = std::make_shared<FactorTable>(0.8);
    for (const char* label : {"A", "B"}) table->set_label_weight(label, 1.5);
    table->set_label_weight("C", 0.0);
    table->set_decay("B", 0.9);
    constexpr auto log = CountDamping::log, binary = CountDamping::binary, linear = CountDamping::linear;
    return {SubsetKernel{{0.4, 0.0}},
            SubsetKernel{{1.0, 0.5}},
            SubtreeKernel{{0.7, 0.0}},
            SubtreeKernel{{0.5, 1.0}},
            SubsetKernel{{0.4, 0.5, log}},
            SubsetKernel{{0.6, 0.0, binary, table}},
            SubsetKernel{{0.6, 0.3, linear, table}},
            SubtreeKernel{{0.7, 0.2, log, table}}};
}

// Values of all rows with all columns.
std::vector<double> gram_of(const Dag& dag, std::span<const Node> columns, std::span<const Node> rows,
                            const TreeKernel& kernel, bool normalize) {
    Task task(1);
    const Execution execution{1, nullptr};
    TreeKernel resolved = kernel;
    resolve_labels(resolved, dag);
    const Gram gram(
        TreeSource(Corpus(dag, columns, rows, 1, task, count_damping(kernel)), std::move(resolved), Algorithm::corpus),
        columns.size(), false, normalize, false, execution);
    std::vector<double> values(rows.size() * columns.size());
    gram.fill(MatrixView<double>{values.data(), columns.size()}, execution);
    return values;
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-10 * std::max(std::abs(a), std::abs(b)); }

struct Trees {
    explicit Trees(std::uint64_t seed) {
        Random random(seed);
        columns = random_forest(dag, random, kTrees, 14);
        rows = random_forest(dag, random, kQueries, 14);
    }
    Dag dag;
    std::vector<Node> columns, rows;
};

}  // namespace

TEST(an_index_finds_what_a_gram_matrix_has) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Trees trees(seed);
        for (const TreeKernel& kernel : searched_kernels()) {
            for (const bool normalize : {true, false}) {
                const auto gram = gram_of(trees.dag, trees.columns, trees.rows, kernel, normalize);
                TreeIndex index(kernel, normalize);
                Task task(1);
                // In parts of several sizes, so that some are merged and some are not.
                for (std::size_t first = 0, size = 32; first < kTrees; first += size, size = size / 2 + 1)
                    index.add(trees.dag, std::span(trees.columns).subspan(first, std::min(size, kTrees - first)), 2,
                              task);
                CHECK(index.item_count() == kTrees);
                const auto best = index.search(trees.dag, trees.rows, 7, 2, task);
                const auto above = index.within(trees.dag, trees.rows, 0.5, kMost, 1, task);
                for (std::size_t row = 0; row < kQueries; ++row) {
                    std::vector<Hit> expected;
                    for (Item item = 0; item < kTrees; ++item) expected.push_back({gram[row * kTrees + item], item});
                    std::sort(expected.begin(), expected.end());
                    CHECK(best[row].size() == 7);
                    for (std::size_t i = 0; i < best[row].size(); ++i)
                        CHECK(is_close(best[row][i].value, expected[i].value));
                    std::size_t count = 0;
                    for (const Hit& hit : expected) count += hit.value >= 0.5;
                    CHECK(above[row].size() == count);
                }
            }
        }
    }
}

TEST(no_bound_is_below_the_value) {
    const Trees trees(7);
    for (const TreeKernel& kernel : searched_kernels()) {
        const FragmentRule rule = *FragmentRule::of(kernel);
        const auto gram = gram_of(trees.dag, trees.columns, trees.columns, kernel, true);
        Task task(1);
        std::vector<std::uint32_t> places(trees.dag.size(), kNone);
        std::vector<QueryTree> measured(kTrees);
        for (std::size_t i = 0; i < kTrees; ++i) {
            measured[i].read(DagTrees{trees.dag, rule}, trees.columns[i], rule.damping, places, task);
            measured[i].measure(rule, task);
            double sum = 0.0;
            for (std::size_t f = 0; f < measured[i].feature_count(); ++f) sum += measured[i].feature_norm(f);
            CHECK(is_close(sum, measured[i].norm()));
        }
        // By kinds alone, which is less sharp than with edges.
        for (std::size_t i = 0; i < kTrees; ++i)
            for (std::size_t j = 0; j < kTrees; ++j) {
                if (measured[i].norm() == 0.0 || measured[j].norm() == 0.0) continue;
                PartialBound bound;
                const auto kind_norms = [](const QueryTree& tree) {
                    std::vector<double> norms(tree.group_count());
                    for (std::uint32_t g = 0; g < norms.size(); ++g) norms[g] = tree.feature_norm(g);
                    for (std::size_t e = 0; e < tree.edges().size(); ++e)
                        norms[tree.group(tree.edges()[e].parent)] += tree.feature_norm(tree.group_count() + e);
                    return norms;
                };
                const auto own = kind_norms(measured[i]), other = kind_norms(measured[j]);
                for (std::uint32_t a = 0; a < own.size(); ++a)
                    for (std::uint32_t b = 0; b < other.size(); ++b) {
                        if (measured[i].group_kind(a) != measured[j].group_kind(b)) continue;
                        const float x = part_weight(own[a], measured[i].norm());
                        const float y = part_weight(other[b], measured[j].norm());
                        bound.products += x * y;
                        bound.squares += y * y;
                    }
                const double slack = PartialBound::slack(own.size());
                CHECK(bound.value(0.0, slack) >= gram[i * kTrees + j]);
                CHECK(BoundTest(gram[i * kTrees + j], 0.0, slack)(bound));
            }
    }
}

TEST(removed_trees_are_not_found_and_go_when_merged) {
    const Trees trees(3);
    TreeIndex index(SubsetKernel{{0.4, 0.0}}, true);
    Task task(1);
    index.add(trees.dag, trees.columns, 1, task);
    const std::vector<Item> gone{0, 5, 5, 17};
    index.remove(gone);
    CHECK(index.item_count() == kTrees - 3);
    CHECK(!index.is_compact());
    CHECK_THROWS(std::out_of_range, index.remove(std::vector<Item>{kTrees}));
    const auto before = index.search(trees.dag, trees.rows, kTrees, 1, task);
    index.compact(1, task);
    CHECK(index.is_compact());
    CHECK(index.segments().front()->item_count() == kTrees - 3);
    const auto after = index.search(trees.dag, trees.rows, kTrees, 1, task);
    for (std::size_t row = 0; row < kQueries; ++row) {
        CHECK(before[row].size() == kTrees - 3);
        CHECK(after[row].size() == kTrees - 3);
        for (std::size_t i = 0; i < after[row].size(); ++i) {
            CHECK(before[row][i].item == after[row][i].item && before[row][i].value == after[row][i].value);
            CHECK(after[row][i].item != 5);
        }
    }
    Dag dag;
    CHECK_THROWS(std::out_of_range, index.copy_trees(gone, dag, task));
}

TEST(a_stopped_addition_changes_nothing) {
    const Trees trees(4);
    TreeIndex index(SubsetKernel{{0.4, 0.0}}, true);
    Task task(1);
    index.add(trees.dag, trees.columns, 1, task);
    Task stopped(1);
    stopped.stop();
    CHECK_THROWS(Stopped, index.add(trees.dag, trees.rows, 1, stopped));
    CHECK(index.item_count() == kTrees && index.segments().size() == 1);
    CHECK_THROWS(Stopped, index.search(trees.dag, trees.rows, 3, 1, stopped));
    CHECK(index.search(trees.dag, trees.rows, 3, 1, task).front().size() == 3);
}

TEST(damaged_arrays_are_refused) {
    const Trees trees(5);
    TreeIndex index(SubsetKernel{{0.4, 0.0}}, true);
    Task task(1);
    index.add(trees.dag, trees.columns, 1, task);
    const SegmentArrays sound = index.segments().front()->arrays();
    const auto restore = [&](const SegmentArrays& arrays) {
        TreeIndex restored(SubsetKernel{{0.4, 0.0}}, true);
        restored.restore({{arrays, nullptr}}, std::vector<std::uint8_t>(kTrees, 0), task);
        return restored.search(trees.dag, trees.columns, 3, 1, task).size();
    };
    CHECK(restore(sound) == trees.columns.size());
    const auto refuses = [&](auto damage) {
        SegmentArrays arrays = sound;
        damage(arrays);
        CHECK_THROWS(std::invalid_argument, restore(arrays));
    };
    refuses([](SegmentArrays& a) { a.label_offsets = {}; });
    refuses([](SegmentArrays& a) { a.children = a.children.first(a.children.size() - 1); });
    refuses([](SegmentArrays& a) { a.column_norms = a.column_norms.subspan(1); });
    refuses([](SegmentArrays& a) { a.posting_offsets = a.posting_offsets.subspan(1); });
    refuses([](SegmentArrays& a) { a.posting_weights = a.posting_weights.subspan(1); });
    refuses([](SegmentArrays& a) { a.edges = a.edges.subspan(1); });
    refuses([](SegmentArrays& a) { a.ranges = {}; });
    // Children come before their parents: nothing walks in circles.
    std::vector<Node> children(sound.children.begin(), sound.children.end());
    for (Node& child : children) child = static_cast<Node>(sound.node_kinds.size() - 1);
    refuses([&](SegmentArrays& a) { a.children = children; });
}

}  // namespace treekernels::tests
