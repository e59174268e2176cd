// Pairs of trees of an index, as a search for all of them finds and sorts them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"
#include "search/result_room.hpp"
#include "search/segments/segment.hpp"

namespace treekernels {

// Two trees of the index; `first` was inserted before `second`.
struct ItemPair {
    Item first, second;
    double value;
};

// Pairs of a column with itself and with others, as pairs of items.
class PairList {
public:
    PairList(ResultRoom& room, const Task& task) : room_(room), task_(task) {}

    // The items of a column are equal trees.
    void add(std::span<const Item> items, double value) {
        if (items.empty()) return;
        room_.take(items.size() * (items.size() - 1) / 2);
        for (std::size_t i = 0; i < items.size(); ++i) {
            task_.check();
            for (std::size_t j = i + 1; j < items.size(); ++j) pairs.push_back({items[i], items[j], value});
        }
    }
    void add(std::span<const Item> a, std::span<const Item> b, double value) {
        room_.take(a.size() * b.size());
        for (Item x : a) {
            task_.check();
            for (Item y : b) pairs.push_back({std::min(x, y), std::max(x, y), value});
        }
    }

    std::vector<ItemPair> pairs;

private:
    ResultRoom& room_;
    const Task& task_;
};

// All lists as one, by the first item and then by the second: in time like their length, so that Ctrl-C is heard.
std::vector<ItemPair> in_order(std::vector<std::vector<ItemPair>> lists, std::size_t items, const Task& task);

}  // namespace treekernels
