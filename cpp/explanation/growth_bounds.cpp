#include "explanation/growth_bounds.hpp"

#include <algorithm>
#include <utility>

namespace treekernels {

namespace {

using LabelCounts = std::vector<std::pair<Index, double>>;  // by label, ascending

// Adds the values of equal labels.
void merge_equal(LabelCounts& counts) {
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (const auto& [label, count] : counts) {
        if (kept == 0 || counts[kept - 1].first != label)
            counts[kept++] = {label, count};
        else
            counts[kept - 1].second = std::min(kLargestBound, counts[kept - 1].second + count);
    }
    counts.resize(kept);
}

double largest(const LabelCounts& counts) {
    double most = 0.0;
    for (const auto& [label, count] : counts) most = std::max(most, count);
    return most;
}

}  // namespace

std::vector<double> path_bounds(const Subtrees& subtrees, double each, const Task& task) {
    std::vector<double> bounds(subtrees.size());
    LabelCounts below;
    for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) {
        task.check();
        below.clear();
        for (Index child : subtrees.children(subtree)) below.emplace_back(subtrees.labels()[child], bounds[child]);
        merge_equal(below);
        bounds[subtree] = std::max(1.0, std::min(kLargestBound, each * largest(below)));
    }
    return bounds;
}

std::vector<double> label_peaks(const Subtrees& subtrees, std::size_t most, const Task& task) {
    std::vector<double> peaks(subtrees.size());
    std::vector<LabelCounts> counts(subtrees.size());  // below the root; empty where they are not known
    std::vector<bool> known(subtrees.size(), false);
    std::size_t kept = 0;
    LabelCounts below;
    for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) {
        below.clear();
        bool all_known = true;
        double sum = 0.0;
        for (Index child : subtrees.children(subtree)) {
            task.check();
            below.emplace_back(subtrees.labels()[child], 1.0);
            below.insert(below.end(), counts[child].begin(), counts[child].end());
            all_known = all_known && known[child];
            sum = std::min(kLargestBound, sum + 1.0 + peaks[child]);
        }
        if (!all_known) {
            peaks[subtree] = sum;
            continue;
        }
        merge_equal(below);
        peaks[subtree] = largest(below);
        if (kept + below.size() > most) continue;
        kept += below.size();
        known[subtree] = true;
        counts[subtree].assign(below.begin(), below.end());
    }
    return peaks;
}

}  // namespace treekernels
