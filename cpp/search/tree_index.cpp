#include "search/tree_index.hpp"

#include <algorithm>

#include "search/index_worker.hpp"
#include "search/result_room.hpp"

namespace treekernels {

namespace {

FragmentRule rule_of(const TreeKernel& kernel) {
    const auto rule = FragmentRule::of(kernel);
    if (!rule) throw std::invalid_argument("this kernel is not searched by its fragments");
    return *rule;
}

}  // namespace

TreeIndex::TreeIndex(TreeKernel kernel, bool normalize)
    : kernel_(std::move(kernel)), rule_(rule_of(kernel_)), normalize_(normalize) {}

TreeIndex::~TreeIndex() = default;

void TreeIndex::add(const Dag& dag, std::span<const Node> roots, unsigned threads, Task& task) {
    if (roots.empty()) return;
    if (roots.size() >= kNone - removed_.size()) throw std::length_error("more than 4294967294 trees in an index");
    std::vector<Item> items(roots.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<Item>(removed_.size() + i);
    auto segments = segments_;
    segments.push_back(build_segment({dag, roots, items}, rule_, threads, task));
    const std::size_t before = removed_.size();
    removed_.resize(before + roots.size(), 0);
    try {
        merge_similar(segments, threads, task);
    } catch (...) {
        removed_.resize(before);
        throw;
    }
    segments_ = std::move(segments);
    forget_workers();
}

void TreeIndex::merge_similar(std::vector<std::shared_ptr<const Segment>>& segments, unsigned threads,
                              Task& task) const {
    while (segments.size() > 1) {
        const auto last = std::span<const std::shared_ptr<const Segment>>(segments).last(2);
        if (last[0]->item_count() > 2 * last[1]->item_count()) return;
        auto both = merged(last, threads, task);
        segments.pop_back();
        segments.back() = std::move(both);
    }
}

std::shared_ptr<const Segment> TreeIndex::merged(std::span<const std::shared_ptr<const Segment>> segments,
                                                 unsigned threads, Task& task) const {
    Dag dag;
    std::vector<std::pair<Item, Node>> trees;
    for (const auto& segment : segments) {
        std::vector<std::uint32_t> columns;
        for (std::uint32_t column = 0; column < segment->column_count(); ++column)
            if (has_items(*segment, column)) columns.push_back(column);
        if (columns.empty()) continue;
        const std::vector<Node> roots = copy_columns(*segment, columns, dag, task);
        for (std::size_t i = 0; i < columns.size(); ++i)
            for (Item item : segment->items(columns[i]))
                if (!is_removed(item)) trees.emplace_back(item, roots[i]);
    }
    std::ranges::sort(trees);
    std::vector<Item> items;
    std::vector<Node> roots;
    for (const auto& [item, root] : trees) {
        items.push_back(item);
        roots.push_back(root);
    }
    return build_segment({dag, roots, items}, rule_, threads, task);
}

void TreeIndex::compact(unsigned threads, Task& task) {
    if (is_compact()) return;
    auto whole = merged(segments_, threads, task);
    segments_.clear();
    if (whole->item_count() > 0) segments_.push_back(std::move(whole));
    forget_workers();
}

void TreeIndex::remove(std::span<const Item> items) {
    for (Item item : items)
        if (item >= removed_.size()) throw std::out_of_range("no such tree");
    for (Item item : items) {
        if (removed_[item]) continue;
        removed_[item] = 1;
        ++removed_count_;
    }
}

bool TreeIndex::is_compact() const {
    return segments_.empty() || (segments_.size() == 1 && segments_.front()->item_count() == item_count());
}

bool TreeIndex::has_items(const Segment& segment, std::uint32_t column) const {
    return std::ranges::any_of(segment.items(column), [this](Item item) { return !is_removed(item); });
}

template <class Ask>
void TreeIndex::ask_all(std::size_t queries, unsigned threads, Task& task, Ask ask) const {
    Counter counter(queries);
    run_parts(std::min<std::size_t>(std::max(1U, threads), queries), [&](std::size_t) {
        const Lease worker(*this);
        for (std::size_t number; counter.take(number);) {
            task.check();
            ask(*worker, number);
            task.advance(1);
        }
    });
}

std::vector<std::vector<Hit>> TreeIndex::search(const Dag& dag, std::span<const Node> roots, std::size_t count,
                                                unsigned threads, Task& task) const {
    std::vector<std::vector<Hit>> results(roots.size());
    ask_all(roots.size(), threads, task, [&](Worker& worker, std::size_t number) {
        BestItems best(std::min(count, item_count()));
        const bool has_fragments = worker.read(dag, roots[number], task);
        for (const auto& segment : segments_) {
            if (!has_fragments) break;
            const auto offer = [&](std::uint32_t column, double value) {
                if (value <= 0.0) return;
                for (Item item : segment->items(column))
                    if (!is_removed(item) && !best.offer({value, item})) break;
            };
            const auto offer_large = [&](std::span<const std::uint32_t> columns) {
                const auto values = gram_values(kernel_, normalize_, dag, roots[number], *segment, columns, task);
                for (std::uint32_t i = 0; i < values.size(); ++i) offer(columns.empty() ? i : columns[i], values[i]);
            };
            if (worker.is_large()) {
                offer_large({});
                continue;
            }
            if (const auto large = segment->arrays().large_columns; !large.empty()) offer_large(large);
            const Query query = worker.query(dag, *segment, normalize_);
            worker.search().run(
                *segment, query, best.is_full() ? 0 : count, [&] { return best.threshold(); }, offer, task);
        }
        auto hits = std::move(best).sorted();
        if (hits.size() < std::min(count, item_count())) {
            // The others have nothing in common with the query.
            std::vector<Item> met;
            for (const Hit& hit : hits) met.push_back(hit.item);
            std::ranges::sort(met);
            const std::size_t wanted = std::min(count, item_count());
            for (Item item = 0; hits.size() < wanted; ++item)
                if (!is_removed(item) && !std::ranges::binary_search(met, item)) hits.push_back({0.0, item});
        }
        results[number] = std::move(hits);
    });
    return results;
}

std::vector<std::vector<Hit>> TreeIndex::within(const Dag& dag, std::span<const Node> roots, double threshold,
                                                std::size_t most, unsigned threads, Task& task) const {
    std::vector<std::vector<Hit>> results(roots.size());
    ResultRoom room(most);
    ask_all(roots.size(), threads, task, [&](Worker& worker, std::size_t number) {
        // Below this, all trees are hits.
        const double lowest = threshold > 0.0 ? threshold : -std::numeric_limits<double>::infinity();
        std::vector<Hit>& hits = results[number];
        const bool has_fragments = worker.read(dag, roots[number], task);
        for (const auto& segment : segments_) {
            if (!has_fragments) break;
            const auto offer = [&](std::uint32_t column, double value) {
                if (value < threshold || value <= 0.0) return;
                room.take(segment->items(column).size());
                for (Item item : segment->items(column))
                    if (!is_removed(item)) hits.push_back({value, item});
            };
            const auto offer_large = [&](std::span<const std::uint32_t> columns) {
                const auto values = gram_values(kernel_, normalize_, dag, roots[number], *segment, columns, task);
                for (std::uint32_t i = 0; i < values.size(); ++i) offer(columns.empty() ? i : columns[i], values[i]);
            };
            if (worker.is_large()) {
                offer_large({});
                continue;
            }
            if (const auto large = segment->arrays().large_columns; !large.empty()) offer_large(large);
            const Query query = worker.query(dag, *segment, normalize_);
            worker.search().run(*segment, query, 0, [&] { return lowest; }, offer, task);
        }
        if (threshold <= 0.0) {
            std::vector<std::uint8_t> met(removed_.begin(), removed_.end());
            for (const Hit& hit : hits) met[hit.item] = 1;
            room.take(met.size() - hits.size());
            for (Item item = 0; item < met.size(); ++item)
                if (!met[item]) hits.push_back({0.0, item});
        }
        std::sort(hits.begin(), hits.end());
    });
    return results;
}

std::vector<Node> TreeIndex::copy_trees(std::span<const Item> items, Dag& dag, const Task& task) const {
    std::vector<Item> wanted(items.begin(), items.end());
    std::ranges::sort(wanted);
    std::vector<std::pair<Item, Node>> found;
    for (const auto& segment : segments_) {
        std::vector<std::uint32_t> columns;
        std::vector<std::pair<Item, std::size_t>> place;
        for (std::uint32_t column = 0; column < segment->column_count(); ++column)
            for (Item item : segment->items(column)) {
                if (!std::ranges::binary_search(wanted, item)) continue;
                if (columns.empty() || columns.back() != column) columns.push_back(column);
                place.emplace_back(item, columns.size() - 1);
            }
        if (columns.empty()) continue;
        const std::vector<Node> roots = copy_columns(*segment, columns, dag, task);
        for (const auto& [item, number] : place) found.emplace_back(item, roots[number]);
    }
    std::ranges::sort(found);
    std::vector<Node> result;
    for (Item item : items) {
        const auto place = std::ranges::lower_bound(found, item, {}, &std::pair<Item, Node>::first);
        if (place == found.end() || place->first != item) throw std::out_of_range("no such tree");
        result.push_back(place->second);
    }
    return result;
}

std::size_t TreeIndex::bytes() const {
    std::size_t bytes = removed_.size();
    for (const auto& segment : segments_) bytes += segment->bytes();
    return bytes;
}

void TreeIndex::restore(const std::vector<SavedSegment>& saved, std::vector<std::uint8_t> removed, const Task& task) {
    std::vector<std::uint8_t> met(removed.size(), 0);
    std::vector<std::shared_ptr<const Segment>> segments;
    for (const auto& [arrays, owner] : saved) {
        check_arrays(arrays, met, task);
        segments.push_back(std::make_shared<const Segment>(arrays, owner));
    }
    std::size_t removed_count = 0;
    for (std::size_t item = 0; item < removed.size(); ++item) {
        Segment::require(met[item] || removed[item]);
        removed_count += removed[item] != 0;
    }
    segments_ = std::move(segments);
    removed_count_ = removed_count;
    removed_ = std::move(removed);
    forget_workers();
}

void TreeIndex::forget_workers() {
    const std::lock_guard lock(workers_mutex_);
    workers_.clear();
}

}  // namespace treekernels
