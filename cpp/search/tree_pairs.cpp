// All pairs of similar trees of an index.
#include <algorithm>

#include "search/index_worker.hpp"
#include "search/item_pairs.hpp"
#include "search/tree_index.hpp"

namespace treekernels {

std::vector<ItemPair> TreeIndex::pairs(double threshold, std::size_t most, unsigned threads, Task& task) const {
    if (segments_.empty()) return {};
    const Segment& segment = *segments_.front();
    const std::size_t columns = segment.column_count();
    const auto large = segment.arrays().large_columns;
    const std::vector<double> factors = rule_.factors(segment);
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
                worker.search().run(segment, query, 0, [&] { return threshold; }, offer, task);
            }
            found[block] = std::move(list.pairs);
        }
    });
    return in_order(std::move(found), removed_.size(), task);
}

}  // namespace treekernels
