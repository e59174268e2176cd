// All pairs of similar trees of an index.
#include <algorithm>

#include "search/index_worker.hpp"
#include "search/result_room.hpp"
#include "search/tree_index.hpp"

namespace treekernels {

namespace {

// Pairs of a column with itself and with others, as pairs of items.
class PairList {
public:
    PairList(const Segment& segment, ResultRoom& room, const Task& task)
        : segment_(segment), room_(room), task_(task) {}

    void add(std::uint32_t column, double value) {
        const auto items = segment_.items(column);
        room_.take(items.size() * (items.size() - 1) / 2);
        for (std::size_t i = 0; i < items.size(); ++i) {
            task_.check();
            for (std::size_t j = i + 1; j < items.size(); ++j) pairs.push_back({items[i], items[j], value});
        }
    }
    void add(std::uint32_t a, std::uint32_t b, double value) {
        room_.take(segment_.items(a).size() * segment_.items(b).size());
        for (Item x : segment_.items(a)) {
            task_.check();
            for (Item y : segment_.items(b)) pairs.push_back({std::min(x, y), std::max(x, y), value});
        }
    }

    std::vector<ItemPair> pairs;

private:
    const Segment& segment_;
    ResultRoom& room_;
    const Task& task_;
};

// All lists as one, by the first item and then by the second: in time like their length, so that Ctrl-C is heard.
std::vector<ItemPair> in_order(std::vector<std::vector<ItemPair>> lists, std::size_t items, const Task& task) {
    std::vector<std::size_t> end(items + 1, 0);  // of the pairs of each first item
    for (const auto& list : lists)
        for (const ItemPair& pair : list) {
            task.check();
            ++end[pair.first + std::size_t{1}];
        }
    for (std::size_t item = 0; item < items; ++item) end[item + 1] += end[item];
    std::vector<ItemPair> result(end.back());
    for (auto& list : lists) {
        for (const ItemPair& pair : list) {
            task.check();
            result[end[pair.first]++] = pair;
        }
        std::vector<ItemPair>().swap(list);
    }
    for (std::size_t begin = 0, item = 0; item < items; begin = end[item++]) {
        task.check();
        std::sort(result.begin() + static_cast<std::ptrdiff_t>(begin),
                  result.begin() + static_cast<std::ptrdiff_t>(end[item]),
                  [](const ItemPair& a, const ItemPair& b) { return a.second < b.second; });
    }
    return result;
}

}  // namespace

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
            PairList list(segment, room, task);
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
                            list.add(column, values[other]);
                        else
                            list.add(column, other, values[other]);
                    }
                    continue;
                }
                const double own = normalize_ ? 1.0 : segment.norm(column);
                if (own >= threshold) list.add(column, own);
                worker.read(SegmentTrees{segment, factors}, column, task);
                Segment::require(!worker.is_large());
                const Query query = worker.query(segment, column, normalize_);
                const auto offer = [&](std::uint32_t other, double value) {
                    if (value >= threshold) list.add(other, column, value);
                };
                worker.search().run(segment, query, 0, [&] { return threshold; }, offer, task);
            }
            found[block] = std::move(list.pairs);
        }
    });
    return in_order(std::move(found), removed_.size(), task);
}

}  // namespace treekernels
