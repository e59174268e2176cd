// The subtrees that a subset-tree model knows, grouped by production. Grows as trees come.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/dag.hpp"
#include "core/number_index.hpp"
#include "core/room.hpp"

namespace treekernels {

class SubsetGroups {
public:
    struct Entry {
        std::uint32_t rank;        // of a subtree of the joined production, in its group
        std::uint32_t child_rank;  // of its child at the joined position
    };

    explicit SubsetGroups(const Dag& dag) : dag_(dag) {}

    // The rank of a subtree in the group of its production; kNone if it is unknown.
    std::uint32_t rank(Node node) const { return node < rank_.size() ? rank_[node] : kNone; }
    std::size_t group_size(Production p) const { return p < size_.size() ? size_[p] : 0; }
    std::size_t group_count() const { return size_.size(); }

    // Children must be known before their parents. Whole, or not at all if memory runs out.
    void insert(Node node) {
        if (rank_.size() < dag_.size()) rank_.resize(dag_.size(), kNone);
        if (size_.size() < dag_.production_count()) size_.resize(dag_.production_count(), 0);
        const Production p = dag_.production(node);
        TREEKERNELS_ASSERT(p != kNone && rank_[node] == kNone);
        const auto children = dag_.children(node);
        into_.clear();
        for (std::uint32_t c = 0; c < children.size(); ++c) {
            if (dag_.is_leaf(children[c])) continue;
            TREEKERNELS_ASSERT(rank_[children[c]] != kNone);
            const std::uint32_t bucket = bucket_with_room({p, c, dag_.production(children[c])});
            into_.push_back({bucket, {size_[p], rank_[children[c]]}});
        }
        // Nothing can fail from here on.
        rank_[node] = size_[p]++;
        for (const auto& [bucket, entry] : into_) buckets_[bucket].push_back(entry);
    }

    // The subtrees that have this production, and a child of that production at the position.
    std::span<const Entry> bucket(Production parent, std::uint32_t position, Production child) const {
        const std::uint32_t found = find({parent, position, child});
        if (found == kNone) return {};
        return buckets_[found];
    }

private:
    struct Key {
        Production parent;
        std::uint32_t position;
        Production child;
        bool operator==(const Key&) const = default;
    };
    static std::uint64_t hash(const Key& key) { return mix(mix(mix(0, key.parent), key.position), key.child); }
    std::uint32_t find(const Key& key) const {
        return index_.find(hash(key), [&](std::uint32_t b) { return keys_[b] == key; });
    }

    // The bucket of a key, with room for one more entry.
    std::uint32_t bucket_with_room(const Key& key) {
        std::uint32_t bucket = find(key);
        if (bucket == kNone) {
            make_room(keys_, 1);
            make_room(buckets_, 1);
            index_.make_room();
            bucket = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
            buckets_.emplace_back();
            index_.insert(hash(key), bucket);
        }
        make_room(buckets_[bucket], 1);
        return bucket;
    }

    const Dag& dag_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint32_t> size_;
    NumberIndex index_;
    std::vector<Key> keys_;
    std::vector<std::vector<Entry>> buckets_;
    std::vector<std::pair<std::uint32_t, Entry>> into_;  // of one insertion: where to put what
};

}  // namespace treekernels
