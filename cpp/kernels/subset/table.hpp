// The weighted subtrees of a subset-tree model, laid out to be compared with many others.
//
// Subtrees of one production are a group; those of a group whose children at some position have the same production
// are a bucket. Of the positions of a production one leads, whose buckets are the largest: subtrees are ranked by it,
// so that such a bucket is a run of consecutive ranks. Groups and buckets know the sums of their weights: what C has at
// the least wherever productions agree, and what it has at the least for a child whose production agrees, needs no look
// at the subtrees themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/number_index.hpp"
#include "core/tasks.hpp"
#include "kernels/subset/subset.hpp"

namespace treekernels {

class SubsetTable {
public:
    struct Group {
        std::uint32_t size;
        std::uint32_t begin;  // of its members among those of all groups
        double decay;
    };
    struct Bucket {
        std::uint32_t group, position;
        Production child;
        std::uint32_t size;
        std::uint32_t first_rank;  // of a run; kNone if ranks are listed
        std::uint64_t begin;       // of its entries
        double child_decay;        // of the child's production
        bool is_run() const { return first_rank != kNone; }
    };

    SubsetTable(const Dag& dag, SubsetParameters parameters, std::size_t outputs);

    // Makes it anew of subtrees and their weights, one for each output. Children come before parents, and all of them
    // are there.
    void assign(std::span<const Node> nodes, std::span<const double> weights, const Task& task);
    // The same for a label of leaves: `outputs` numbers, which hold the weight of leaves already.
    void add_label(Label label, const double* sums);

    const Dag& dag() const { return dag_; }
    const SubsetParameters& parameters() const { return parameters_; }
    std::size_t outputs() const { return outputs_; }
    // The outputs, and zeros up to a number that vectors have.
    std::size_t width() const { return width_; }
    // Changes whenever the table does.
    std::uint64_t revision() const { return revision_; }

    // kNone where there is none. A production may be kNone, too.
    std::uint32_t find_group(Production p) const { return p < group_of_.size() ? group_of_[p] : kNone; }
    std::uint32_t find_bucket(std::uint32_t group, std::uint32_t position, Production child) const {
        return buckets_by_key_.find(hash(group, position, child), [&](std::uint32_t b) {
            return buckets_[b].group == group && buckets_[b].position == position && buckets_[b].child == child;
        });
    }
    const Group& group(std::uint32_t g) const { return groups_[g]; }
    Production production(std::uint32_t g) const { return productions_[g]; }
    const Bucket& bucket(std::uint32_t b) const { return buckets_[b]; }
    std::size_t group_count() const { return groups_.size(); }

    // The buckets of the children of a subtree that are no leaves, by its place among those that it was made of.
    std::span<const std::uint32_t> buckets_of(std::size_t number) const {
        return {edges_.data() + edge_begin_[number], edges_.data() + edge_begin_[number + 1]};
    }
    // Of a subtree that it was made of.
    std::uint32_t rank(Node node) const { return rank_of_[node]; }

    // By entry of a bucket: the rank of the subtree (unless it is a run), and that of its child in the child's group.
    const std::uint32_t* ranks(const Bucket& bucket) const { return rank_.data() + bucket.begin; }
    const std::uint32_t* child_ranks(const Bucket& bucket) const { return child_rank_.data() + bucket.begin; }

    // `width` numbers each: the weights of a group by rank, and the sums for a group, a bucket and a leaf's label. That
    // of a label is null where there is none.
    const double* weights(const Group& group) const { return weights_.data() + group.begin * width_; }
    const double* group_sum(std::uint32_t g) const { return group_sums_.data() + g * width_; }
    const double* bucket_sum(std::uint32_t b) const { return bucket_sums_.data() + b * width_; }
    const double* label_sum(Label label) const {
        return label < label_place_.size() && label_place_[label] != kNone
                   ? label_sums_.data() + label_place_[label] * width_
                   : nullptr;
    }

private:
    static std::uint64_t hash(std::uint32_t group, std::uint32_t position, Production child) {
        return mix(mix(mix(0, group), position), child);
    }
    void clear();
    void count(std::span<const Node> nodes, const Task& task);
    void choose_leading_positions();
    void rank_members(std::span<const Node> nodes);
    void fill(std::span<const Node> nodes, std::span<const double> weights, const Task& task);

    const Dag& dag_;
    const SubsetParameters parameters_;
    ProductionFactors decays_;
    const std::size_t outputs_, width_;
    std::uint64_t revision_ = 0;

    std::vector<std::uint32_t> group_of_;  // by production
    std::vector<Production> productions_;  // of the groups
    std::vector<Group> groups_;
    std::vector<Bucket> buckets_;
    NumberIndex buckets_by_key_;
    std::vector<std::uint32_t> rank_, child_rank_;
    std::vector<double> weights_, group_sums_, bucket_sums_, label_sums_;
    std::vector<std::uint32_t> label_place_;
    std::vector<Label> labels_;
    std::vector<std::uint32_t> rank_of_;  // by node
    std::vector<std::uint32_t> edges_;    // the bucket of each child that is no leaf, node after node
    std::vector<std::uint64_t> edge_begin_;

    // While it is made.
    std::vector<std::uint32_t> leading_;    // position, by group
    std::vector<std::uint32_t> next_rank_;  // by group, then by bucket
    std::vector<std::uint64_t> next_entry_;
};

}  // namespace treekernels
