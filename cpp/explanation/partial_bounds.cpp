#include "explanation/partial_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/memory/hashing.hpp"

namespace treekernels {

namespace {

// The sums over all ways to choose 0, 1, 2 ... of the children that have one label. In them a sequence of labels can
// be found, or more.
struct Ways {
    std::vector<double> sums{1.0};
    double largest = 1.0;

    // Says by what the largest sum is multiplied.
    double add(double value) {
        sums.push_back(0.0);
        double now = sums[0];
        for (std::size_t chosen = sums.size() - 1; chosen > 0; --chosen) {
            sums[chosen] += std::min(value * sums[chosen - 1], kLargestBound);
            now = std::max(now, sums[chosen]);
        }
        const double growth = now / largest;
        largest = now;
        return growth;
    }
    double largest_of_some() const { return *std::max_element(sums.begin() + 1, sums.end()); }
};

}  // namespace

PartialBounds partial_bounds(const Subtrees& subtrees, double each, double alone, const Task& task) {
    const std::size_t places = subtrees.children().size();
    PartialBounds bounds{std::vector<double>(places + 1, 1.0), std::vector<double>(places + 1, 0.0)};
    std::vector<double> whole(subtrees.size());        // of a subtree with all that is below it
    std::unordered_map<Index, Ways, NumberHash> ways;  // by label
    for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) {
        const auto first = static_cast<std::size_t>(subtrees.child_offsets()[subtree]);
        const auto last = static_cast<std::size_t>(subtrees.child_offsets()[subtree + 1]);
        ways.clear();
        double several = 0.0, best = 0.0;  // the former as a logarithm
        for (std::size_t place = last; place-- > first;) {
            task.check();
            const Index child = subtrees.children()[place];
            Ways& own = ways[subtrees.labels()[child]];
            several += std::log(own.add(whole[child]));
            best = std::max(best, own.largest_of_some());
            bounds.several[place] = std::min(kLargestBound, std::exp(std::min(several, 700.0)));
            bounds.best[place] = best;
        }
        const bool many = first < last && bounds.several[first] > 1.0;
        whole[subtree] = each * std::max(alone, many ? bounds.several[first] : best);
    }
    return bounds;
}

}  // namespace treekernels
