#include "search/item_pairs.hpp"

namespace treekernels {

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

}  // namespace treekernels
