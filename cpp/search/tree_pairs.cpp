// All pairs of similar trees of an index.
#include <algorithm>
#include <cmath>
#include <optional>

#include "search/index_worker.hpp"
#include "search/item_pairs.hpp"
#include "search/tree_index.hpp"

namespace treekernels {

namespace {

// Which columns of a segment may reach a threshold together, by what is rare in them.
//
// All features are put in one order, the rarest first. What comes first of a tree, up to where the length of what is
// left is below the threshold, is its prefix. Two trees without a common feature in both prefixes are below it: let the
// prefix of x be the one that ends first. What both have of it would be in the prefix of y as well, so that there is
// nothing, and K(x, y) is at most the length of what is left of x (tree_bounds.hpp). If they have common features
// there, they have nothing in common before the first of them, and after it at most the product of the lengths of what
// is left of both.
class Prefixes {
public:
    Prefixes(const Segment& segment, double threshold, const Task& task) : threshold_(threshold - 1e-6) {
        const auto length = [&](Feature feature) { return segment.postings(feature).columns.size(); };
        std::vector<Feature> order;
        for (Feature feature = 0; feature < segment.feature_count(); ++feature)
            if (length(feature) > 0) order.push_back(feature);
        std::ranges::sort(order,
                          [&](Feature a, Feature b) { return length(a) != length(b) ? length(a) < length(b) : a < b; });
        std::vector<double> rests(segment.column_count(), 1.0 + 1e-9);  // squares of lengths
        std::vector<std::uint64_t> counts(segment.column_count() + 1, 0);
        for (Feature feature : order) {
            task.check();
            const std::uint64_t begin = entries_.size();
            const auto [columns, weights] = segment.postings(feature);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                Segment::require(columns[i] < segment.column_count());
                double& rest = rests[columns[i]];
                if (rest < threshold_ * threshold_) continue;
                // Weights are rounded up, and so is what is left.
                rest = std::max(0.0, rest - static_cast<double>(weights[i]) * weights[i] * (1.0 - 1e-6));
                if (columns.size() == 1) continue;  // nobody shares it
                entries_.push_back({columns[i], weights[i], static_cast<float>(std::sqrt(rest) * (1.0 + 1e-6))});
                first_.push_back(begin);
                ++counts[columns[i] + 1];
            }
        }
        for (std::size_t column = 1; column < counts.size(); ++column) counts[column] += counts[column - 1];
        own_begin_ = counts;
        own_.resize(entries_.size());
        for (std::uint64_t i = 0; i < entries_.size(); ++i) own_[counts[entries_[i].column]++] = i;
    }

    // Calls visit(other) for the columns before one that may reach the threshold with it, some of them several times.
    template <class Visit>
    void visit_before(std::uint32_t column, Visit visit) const {
        for (std::uint64_t i = own_begin_[column]; i < own_begin_[column + 1]; ++i) {
            const Entry own = entries_[own_[i]];
            for (std::uint64_t j = first_[own_[i]]; j < own_[i]; ++j) {
                const Entry& other = entries_[j];
                if (own.weight * other.weight + own.rest * other.rest >= threshold_) visit(other.column);
            }
        }
    }

private:
    struct Entry {
        std::uint32_t column;
        float weight;
        float rest;  // the length of what comes after this feature
    };

    double threshold_;                      // somewhat less, for what is lost to rounding
    std::vector<Entry> entries_;            // feature after feature, by column
    std::vector<std::uint64_t> first_;      // by entry: where those of its feature begin
    std::vector<std::uint64_t> own_begin_;  // by column
    std::vector<std::uint64_t> own_;        // its entries, the rarest feature first
};

// Below this, nearly all of a tree is its prefix, and it is better to have bounds from all features that are looked at.
constexpr double kLeastForPrefixes = 0.75;

}  // namespace

std::vector<ItemPair> TreeIndex::pairs(double threshold, std::size_t most, unsigned threads, Task& task) const {
    if (segments_.empty()) return {};
    const Segment& segment = *segments_.front();
    const std::size_t columns = segment.column_count();
    const auto large = segment.arrays().large_columns;
    const std::vector<double> factors = rule_.factors(segment);
    std::optional<Prefixes> prefixes;
    if (normalize_ && threshold >= kLeastForPrefixes) prefixes.emplace(segment, threshold, task);
    constexpr std::size_t kBlock = 64;
    const std::size_t blocks = (columns + kBlock - 1) / kBlock;
    std::vector<std::vector<ItemPair>> found(blocks);
    Counter counter(blocks);
    ResultRoom room(most);
    run_parts(std::min<std::size_t>(std::max(1U, threads), blocks), [&](std::size_t) {
        const Lease lease(*this);
        Worker& worker = *lease;
        for (std::size_t block; counter.take(block);) {
            PairList list(room, task);
            const auto end = static_cast<std::uint32_t>(std::min(columns, (block + 1) * kBlock));
            for (auto column = static_cast<std::uint32_t>(block * kBlock); column < end; ++column) {
                task.check();
                task.advance(1);
                if (segment.norm(column) == 0.0) continue;
                if (std::isinf(segment.norm(column))) {
                    Dag dag;
                    const Node root = copy_columns(segment, {&column, 1}, dag, task).front();
                    const auto values = gram_values(kernel_, normalize_, dag, root, segment, {}, task);
                    for (std::uint32_t other = 0; other < columns; ++other) {
                        // Two large trees meet once.
                        const bool later_large = other > column && std::ranges::binary_search(large, other);
                        if (values[other] < threshold || later_large) continue;
                        if (other == column)
                            list.add(segment.items(column), values[other]);
                        else
                            list.add(segment.items(column), segment.items(other), values[other]);
                    }
                    continue;
                }
                const double own = normalize_ ? 1.0 : segment.norm(column);
                if (own >= threshold) list.add(segment.items(column), own);
                worker.read(SegmentTrees{segment, factors}, column, task);
                Segment::require(!worker.is_large());
                const Query query = worker.query(segment, column, normalize_);
                const auto offer = [&](std::uint32_t other, double value) {
                    if (value >= threshold) list.add(segment.items(other), segment.items(column), value);
                };
                if (prefixes) {
                    const auto visit = [&](auto visit_one) { prefixes->visit_before(column, visit_one); };
                    worker.search().run_among(segment, query, visit, threshold, offer, task);
                } else {
                    worker.search().run(segment, query, 0, [&] { return threshold; }, offer, task);
                }
            }
            found[block] = std::move(list.pairs);
        }
    });
    return in_order(std::move(found), removed_.size(), task);
}

}  // namespace treekernels
