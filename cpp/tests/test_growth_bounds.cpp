// Bounds for the search of fragments against plain counting, exact ones and those that save memory.
#include <algorithm>
#include <map>

#include "core/brackets.hpp"
#include "explanation/growth_bounds.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// How often the most frequent label occurs below the root of each subtree.
std::vector<double> plain_peaks(const Subtrees& subtrees) {
    std::vector<std::map<Index, double>> counts(subtrees.size());
    std::vector<double> peaks(subtrees.size());
    for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) {
        for (Index child : subtrees.children(subtree)) {
            counts[subtree][subtrees.labels()[child]] += 1.0;
            for (const auto& [label, count] : counts[child]) counts[subtree][label] += count;
        }
        for (const auto& [label, count] : counts[subtree]) peaks[subtree] = std::max(peaks[subtree], count);
    }
    return peaks;
}

}  // namespace

TEST(label_peaks_are_exact_or_above) {
    Random random(7);
    const Task task(0);
    for (int round = 0; round < 50; ++round) {
        Dag dag;
        random_forest(dag, random, 4, 30);
        const Subtrees subtrees(dag, task);
        const std::vector<double> exact = plain_peaks(subtrees);
        CHECK(label_peaks(subtrees, 1 << 20, task) == exact);
        const std::vector<double> rough = label_peaks(subtrees, 10, task);
        for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) CHECK(rough[subtree] >= exact[subtree]);
    }
}

TEST(path_bounds_take_the_best_label) {
    Dag dag;
    const Task task(0);
    BracketReader(dag).read("(A (B c) (B c) (D (c x)))");
    const Subtrees subtrees(dag, task);
    // Below A: two paths B-c, which have the same labels, against one D-c-x.
    CHECK(path_bounds(subtrees, 0.5, task).back() == 1.0);
    CHECK(path_bounds(subtrees, 1.0, task).back() == 2.0);
    CHECK(path_bounds(subtrees, 2.0, task).back() == 8.0);
}

}  // namespace treekernels::tests
