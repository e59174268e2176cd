// The weighted subtrees of a subset-tree model that does not change, laid out to be compared with many others.
//
// Groups and buckets know what C scores at the least wherever productions agree, and for a child whose production
// agrees: so much needs no look at the subtrees themselves.
#pragma once

#include <span>
#include <vector>

#include "kernels/subset/rows/layout.hpp"
#include "kernels/subset/subset.hpp"

namespace treekernels {

class SubsetTable {
public:
    static constexpr bool kScoresBuckets = true;

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

    std::uint32_t find_group(Production p) const { return layout_.find_group(p); }
    std::uint32_t find_bucket(std::uint32_t group, std::uint32_t position, Production child) const {
        return layout_.find_bucket(group, position, child);
    }
    const SubsetGroup& group(std::uint32_t g) const { return layout_.group(g); }
    SubsetBucket bucket(std::uint32_t b) const { return layout_.bucket(b); }
    bool is_run(std::uint32_t b) const { return layout_.is_run(b); }

    // `width` numbers each: the weights of a group by rank, and the least scores of a group, a bucket and a leaf's
    // label. That of a label is null where there is none.
    const double* weights(const SubsetGroup& group) const { return weights_.data() + group.begin * width_; }
    const double* group_score(std::uint32_t g) const { return group_scores_.data() + g * width_; }
    const double* bucket_score(std::uint32_t b) const { return bucket_scores_.data() + b * width_; }
    const double* label_score(Label label) const {
        return label < label_place_.size() && label_place_[label] != kNone
                   ? label_scores_.data() + label_place_[label] * width_
                   : nullptr;
    }

private:
    const Dag& dag_;
    const SubsetParameters parameters_;
    ProductionFactors decays_;
    const std::size_t outputs_, width_;
    std::uint64_t revision_ = 0;
    SubsetLayout layout_;
    std::vector<double> weights_, group_scores_, bucket_scores_, label_scores_;
    std::vector<std::uint32_t> label_place_;
    std::vector<Label> labels_;
};

}  // namespace treekernels
