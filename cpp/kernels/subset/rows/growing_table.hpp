// The weighted subtrees of a subset-tree model that grows. It has the groups and buckets of a `SubsetTable`, of which
// it knows less: ranks are in the order in which subtrees come, so that there are no runs, and buckets have no scores.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/memory/room.hpp"
#include "kernels/subset/rows/layout.hpp"
#include "kernels/subset/subset.hpp"
#include "models/class_weights.hpp"

namespace treekernels {

class GrowingSubsetTable {
public:
    static constexpr bool kScoresBuckets = false;

    GrowingSubsetTable(const Dag& dag, SubsetParameters parameters, std::size_t outputs)
        : dag_(dag),
          parameters_(std::move(parameters)),
          decays_(parameters_.decay, parameters_.table),
          outputs_(outputs),
          group_scores_(outputs),
          label_scores_(outputs) {}

    // Takes room for the weights of a subtree, and gives it its rank: what has a rank has room. Children must have
    // theirs. Whole, or not at all if memory runs out.
    void insert(Node node) {
        decays_.cover(dag_);
        if (rank_.size() < dag_.size()) rank_.resize(dag_.size(), kNone);
        if (size_.size() < dag_.production_count()) size_.resize(dag_.production_count(), 0);
        if (weights_.size() < dag_.production_count()) weights_.resize(dag_.production_count(), ClassWeights(outputs_));
        const Production p = dag_.production(node);
        TREEKERNELS_ASSERT(p != kNone && rank_[node] == kNone);
        weights_[p].make_room(size_[p]);
        group_scores_.make_room(p);
        const auto children = dag_.children(node);
        into_.clear();
        for (std::uint32_t c = 0; c < children.size(); ++c) {
            if (dag_.is_leaf(children[c])) continue;
            TREEKERNELS_ASSERT(rank_[children[c]] != kNone);
            into_.emplace_back(bucket_with_room({p, c, dag_.production(children[c])}), rank_[children[c]]);
        }
        // Nothing can fail from here on.
        rank_[node] = size_[p]++;
        for (const auto& [bucket, child_rank] : into_) {
            buckets_[bucket].ranks.push_back(rank_[node]);
            buckets_[bucket].child_ranks.push_back(child_rank);
        }
    }
    void make_room_for_label(Label label) { label_scores_.make_room(label); }

    // kNone if it is unknown.
    std::uint32_t rank(Node node) const { return node < rank_.size() ? rank_[node] : kNone; }

    // Adds to the weights of a subtree, and to what its production scores: that is its decay, unless it is known.
    void add(Node node, double count, const double* alpha) {
        const Production p = dag_.production(node);
        add_weights(node, count, alpha);
        group_scores_.add(p, decays_[p] * count, alpha);
    }
    void add_weights(Node node, double count, const double* alpha) {
        ++revision_;
        weights_[dag_.production(node)].add(rank_[node], count, alpha);
    }
    void add_group_score(Production p, const double* scores) { group_scores_.add(p, 1.0, scores); }
    void add_label(Label label, double factor, const double* alpha) {
        ++revision_;
        label_scores_.add(label, factor, alpha);
    }

    const Dag& dag() const { return dag_; }
    const SubsetParameters& parameters() const { return parameters_; }
    std::size_t outputs() const { return outputs_; }
    std::size_t width() const { return outputs_; }
    // Changes whenever weights do.
    std::uint64_t revision() const { return revision_; }

    std::uint32_t find_group(Production p) const { return p < size_.size() && size_[p] > 0 ? p : kNone; }
    std::uint32_t find_bucket(std::uint32_t group, std::uint32_t position, Production child) const {
        return find(SubsetEdge{group, position, child});
    }
    SubsetGroup group(std::uint32_t g) const { return {g, size_[g], 0, decays_[g]}; }
    SubsetBucket bucket(std::uint32_t b) const {
        const auto& [edge, ranks, child_ranks] = buckets_[b];
        return {ranks.data(), child_ranks.data(), static_cast<std::uint32_t>(ranks.size()), false, decays_[edge.child]};
    }
    bool is_run(std::uint32_t) const { return false; }

    // `width` numbers each; null for a label that has none.
    const double* weights(const SubsetGroup& group) const { return weights_[group.production].find(0); }
    const double* weights(Node node) const { return weights_[dag_.production(node)].find(rank_[node]); }
    const double* group_score(std::uint32_t g) const { return group_scores_.find(g); }
    const double* bucket_score(std::uint32_t) const { return nullptr; }
    const double* label_score(Label label) const { return label == kNone ? nullptr : label_scores_.find(label); }

private:
    struct Bucket {
        SubsetEdge edge;
        std::vector<std::uint32_t> ranks, child_ranks;
    };
    std::uint32_t find(const SubsetEdge& edge) const {
        return by_edge_.find(edge.hash(), [&](std::uint32_t b) { return buckets_[b].edge == edge; });
    }
    // The bucket of an edge, with room for one more entry.
    std::uint32_t bucket_with_room(const SubsetEdge& edge) {
        std::uint32_t bucket = find(edge);
        if (bucket == kNone) {
            make_room(buckets_, 1);
            by_edge_.make_room();
            bucket = static_cast<std::uint32_t>(buckets_.size());
            buckets_.push_back({edge, {}, {}});
            by_edge_.insert(edge.hash(), bucket);
        }
        make_room(buckets_[bucket].ranks, 1);
        make_room(buckets_[bucket].child_ranks, 1);
        return bucket;
    }

    const Dag& dag_;
    const SubsetParameters parameters_;
    ProductionFactors decays_;
    const std::size_t outputs_;
    std::uint64_t revision_ = 1;
    std::vector<std::uint32_t> rank_;    // by node
    std::vector<std::uint32_t> size_;    // by production
    std::vector<ClassWeights> weights_;  // by production and rank
    ClassWeights group_scores_;          // by production: the decay times the sum of the weights
    ClassWeights label_scores_;          // of leaves, times their weight
    std::vector<Bucket> buckets_;
    NumberIndex by_edge_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> into_;  // of one insertion: buckets, and the child's rank
};

}  // namespace treekernels
