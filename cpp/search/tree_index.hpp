// An index of trees that answers which of them are most like another one, exactly as their kernel says.
//
// Trees are kept in segments, which do not change: new trees make a segment of their own, and segments of similar size
// are merged, so that there are few of them and a tree is moved some times only. Trees that are removed stay in their
// segment, unseen, until it is merged. No answer depends on the segments.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/threads/locks.hpp"
#include "kernels/tree_kernel.hpp"
#include "search/best_items.hpp"
#include "search/item_pairs.hpp"
#include "search/segments/segment_builder.hpp"
#include "search/segments/segment_search.hpp"

namespace treekernels {

class TreeIndex {
public:
    // Throws std::invalid_argument for a kernel that has no FragmentRule.
    TreeIndex(TreeKernel kernel, bool normalize);
    ~TreeIndex();
    TreeIndex(const TreeIndex&) = delete;
    TreeIndex& operator=(const TreeIndex&) = delete;

    // The new trees are the items from next_item() on. If that fails, nothing has changed.
    void add(const Dag& dag, std::span<const Node> roots, unsigned threads, Task& task);
    // Items that were removed before are passed over.
    void remove(std::span<const Item> items);
    // Makes one segment of all, without what was removed.
    void compact(unsigned threads, Task& task);

    // For each query the best items, or all of at least the threshold, in the order of Hit. Throws TooLarge if these
    // are more than `most` in all, before they fill the memory.
    std::vector<std::vector<Hit>> search(const Dag& dag, std::span<const Node> roots, std::size_t count,
                                         unsigned threads, Task& task) const;
    std::vector<std::vector<Hit>> within(const Dag& dag, std::span<const Node> roots, double threshold,
                                         std::size_t most, unsigned threads, Task& task) const;
    // All pairs whose value is the threshold, which is positive, at least: by the first, then by the second.
    // Requires is_compact(). Throws TooLarge if there are more than `most`.
    std::vector<ItemPair> pairs(double threshold, std::size_t most, unsigned threads, Task& task) const;
    bool is_compact() const;

    // Copies the trees of some items, and says where they are. Throws std::out_of_range for one that is not there.
    std::vector<Node> copy_trees(std::span<const Item> items, Dag& dag, const Task& task) const;

    Item next_item() const { return static_cast<Item>(removed_.size()); }
    std::size_t item_count() const { return removed_.size() - removed_count_; }
    bool is_removed(Item item) const { return removed_[item] != 0; }
    std::span<const std::uint8_t> removed() const { return removed_; }
    std::size_t bytes() const;
    const std::vector<std::shared_ptr<const Segment>>& segments() const { return segments_; }
    // What an index consists of, as it was saved: the arrays of segments, and who keeps them alive. Throws
    // std::invalid_argument where they do not fit together.
    using SavedSegment = std::pair<SegmentArrays, std::shared_ptr<const void>>;
    void restore(const std::vector<SavedSegment>& saved, std::vector<std::uint8_t> removed, const Task& task);

    // Held shared by those who search, and exclusively by those who add or remove.
    SharedMutex& mutex() const { return mutex_; }

private:
    class Worker;
    class Lease;

    std::shared_ptr<const Segment> merged(std::span<const std::shared_ptr<const Segment>> segments, unsigned threads,
                                          Task& task) const;
    void merge_similar(std::vector<std::shared_ptr<const Segment>>& segments, unsigned threads, Task& task) const;
    bool has_items(const Segment& segment, std::uint32_t column) const;
    // Calls ask(worker, query number) for each of them.
    template <class Ask>
    void ask_all(std::size_t queries, unsigned threads, Task& task, Ask ask) const;
    void forget_workers();

    const TreeKernel kernel_;
    const FragmentRule rule_;
    const bool normalize_;
    std::vector<std::shared_ptr<const Segment>> segments_;  // by their items, ascending
    std::vector<std::uint8_t> removed_;                     // by item
    std::size_t removed_count_ = 0;
    mutable SharedMutex mutex_;
    // Those who are idle: their memory is as large as the index, and costly to set up.
    mutable std::mutex workers_mutex_;
    mutable std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace treekernels
