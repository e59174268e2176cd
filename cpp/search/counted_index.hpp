// An index of trees for kernels of features that can be counted, which answers as `TreeIndex` does.
//
// Each tree is a vector (search/counted/feature_vectors.hpp). Lists say which vectors have a feature: those of ranges
// of vectors, which are made anew as ranges of similar size become one. No answer depends on the ranges.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/threads/locks.hpp"
#include "kernels/tree_kernel.hpp"
#include "search/best_items.hpp"
#include "search/counted/counted_search.hpp"
#include "search/item_pairs.hpp"

namespace treekernels {

// As it is saved, beside what was removed.
struct CountedArrays {
    FeatureNameArrays names;
    FeatureVectorArrays vectors;
    std::span<const Column> columns;  // by item
};

class CountedIndex {
public:
    // Throws std::invalid_argument for a kernel of another kind. With `learned_alone`, features are kept only if their
    // weights were learned: if that was from the trees that are added, no two of these share another.
    CountedIndex(const TreeKernel& kernel, bool normalize, bool learned_alone = false);
    ~CountedIndex();
    CountedIndex(const CountedIndex&) = delete;
    CountedIndex& operator=(const CountedIndex&) = delete;

    // The new trees are the items from next_item() on. If that fails, nothing has changed.
    void add(const Dag& dag, std::span<const Node> roots, Task& task);
    // Items that were removed before are passed over.
    void remove(std::span<const Item> items);

    // As in `TreeIndex`.
    std::vector<std::vector<Hit>> search(const Dag& dag, std::span<const Node> roots, std::size_t count,
                                         unsigned threads, Task& task) const;
    std::vector<std::vector<Hit>> within(const Dag& dag, std::span<const Node> roots, double threshold,
                                         std::size_t most, unsigned threads, Task& task) const;
    // Requires is_compact().
    std::vector<ItemPair> pairs(double threshold, std::size_t most, unsigned threads, Task& task) const;
    bool is_compact() const { return ranges_.size() <= 1; }
    void compact(const Task& task);

    Item next_item() const { return static_cast<Item>(removed_.size()); }
    std::size_t item_count() const { return removed_.size() - removed_count_; }
    std::span<const std::uint8_t> removed() const { return removed_; }
    std::size_t bytes() const;

    // What an index consists of; it lives until the index changes.
    const FeatureNames& names() const { return *names_; }
    FeatureVectorArrays vectors() const { return vectors_.arrays(); }
    std::span<const Column> columns() const { return columns_; }
    // Throws std::invalid_argument for arrays that do not fit together.
    void restore(const CountedArrays& arrays, std::vector<std::uint8_t> removed, const Task& task);

    // Held shared by those who search, and exclusively by those who add or remove.
    SharedMutex& mutex() const { return mutex_; }

private:
    class Reader;
    class Lease;

    // Calls ask(search, tree, query number) for each of them.
    template <class Ask>
    void ask_all(const Dag& dag, std::span<const Node> roots, unsigned threads, Task& task, Ask ask) const;
    std::span<const Item> items(Column column) const {
        return std::span(items_).subspan(item_offsets_[column], item_offsets_[column + 1] - item_offsets_[column]);
    }
    // What depends on all of the items.
    void sort_items();

    FeatureParameters parameters_;
    bool normalize_, learned_alone_;
    std::unique_ptr<FeatureNames> names_ = std::make_unique<FeatureNames>();
    FeatureVectors vectors_;
    std::vector<std::shared_ptr<const FeatureColumns>> ranges_;  // ascending, of all vectors
    std::vector<Column> columns_;                                // by item
    std::vector<std::uint32_t> item_offsets_{0};                 // by column
    std::vector<Item> items_;
    std::vector<std::uint8_t> removed_;  // by item
    std::size_t removed_count_ = 0;
    mutable SharedMutex mutex_;
    // Those who are idle: their memory is as large as the index, and costly to set up.
    mutable std::mutex searches_mutex_;
    mutable std::vector<std::unique_ptr<CountedSearch>> searches_;
};

}  // namespace treekernels
