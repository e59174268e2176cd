#include "kernels/subset/table.hpp"

#include <algorithm>

namespace treekernels {

namespace {

std::size_t padded(std::size_t outputs) { return outputs <= 2 ? outputs : (outputs + 3) / 4 * 4; }

}  // namespace

SubsetTable::SubsetTable(const Dag& dag, SubsetParameters parameters, std::size_t outputs)
    : dag_(dag),
      parameters_(std::move(parameters)),
      decays_(parameters_.decay, parameters_.table),
      outputs_(outputs),
      width_(padded(outputs)) {}

void SubsetTable::assign(std::span<const Node> nodes, std::span<const double> weights, const Task& task) {
    TREEKERNELS_ASSERT(weights.size() == nodes.size() * outputs_);
    ++revision_;
    decays_.cover(dag_);
    clear();
    count(nodes, task);
    choose_leading_positions();
    rank_members(nodes);
    fill(nodes, weights, task);
}

// Costs what was there, not what the DAG has.
void SubsetTable::clear() {
    for (Production p : productions_) group_of_[p] = kNone;
    for (Label label : labels_) label_place_[label] = kNone;
    productions_.clear();
    groups_.clear();
    buckets_.clear();
    buckets_by_key_.clear();
    edges_.clear();
    edge_begin_.clear();
    labels_.clear();
    label_sums_.clear();
    if (group_of_.size() < dag_.production_count()) group_of_.resize(dag_.production_count(), kNone);
    if (rank_of_.size() < dag_.size()) rank_of_.resize(dag_.size());
}

// How large groups and buckets are, and which bucket each child is in.
void SubsetTable::count(std::span<const Node> nodes, const Task& task) {
    for (Node node : nodes) {
        edge_begin_.push_back(edges_.size());
        const Production p = dag_.production(node);
        if (p == kNone) continue;
        task.check();
        if (group_of_[p] == kNone) {
            group_of_[p] = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back({0, 0, decays_[p]});
            productions_.push_back(p);
        }
        const std::uint32_t g = group_of_[p];
        ++groups_[g].size;
        const auto children = dag_.children(node);
        for (std::uint32_t c = 0; c < children.size(); ++c) {
            const Production q = dag_.production(children[c]);
            if (q == kNone) continue;
            std::uint32_t b = find_bucket(g, c, q);
            if (b == kNone) {
                b = static_cast<std::uint32_t>(buckets_.size());
                buckets_.push_back({g, c, q, 0, kNone, 0, decays_[q]});
                buckets_by_key_.insert(hash(g, c, q), b);
            }
            ++buckets_[b].size;
            edges_.push_back(b);
        }
    }
    edge_begin_.push_back(edges_.size());
}

// Those where the buckets are largest: there a run saves most.
void SubsetTable::choose_leading_positions() {
    leading_.assign(groups_.size(), kNone);
    std::vector<std::uint64_t> offset(groups_.size() + 1, 0);
    for (std::size_t g = 0; g < groups_.size(); ++g)
        offset[g + 1] = offset[g] + dag_.children(dag_.production_node(productions_[g])).size();
    std::vector<double> squares(offset.back(), 0.0);
    for (const Bucket& bucket : buckets_) {
        const double size = bucket.size;
        squares[offset[bucket.group] + bucket.position] += size * size;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        double most = 0.0;
        for (std::uint64_t at = offset[g]; at < offset[g + 1]; ++at) {
            if (squares[at] <= most) continue;
            most = squares[at];
            leading_[g] = static_cast<std::uint32_t>(at - offset[g]);
        }
    }
}

void SubsetTable::rank_members(std::span<const Node> nodes) {
    std::uint32_t members = 0;
    for (Group& group : groups_) {
        group.begin = members;
        members += group.size;
    }
    std::vector<std::uint32_t>& next_of_group = next_rank_;
    next_of_group.assign(groups_.size() + buckets_.size(), 0);
    std::uint32_t* next_of_run = next_of_group.data() + groups_.size();
    std::uint64_t entries = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
        Bucket& bucket = buckets_[b];
        bucket.begin = entries;
        entries += bucket.size;
        if (bucket.position != leading_[bucket.group]) continue;
        bucket.first_rank = next_of_run[b] = next_of_group[bucket.group];
        next_of_group[bucket.group] += bucket.size;
    }
    rank_.resize(entries);
    child_rank_.resize(entries);
    std::size_t edge = 0;
    for (Node node : nodes) {
        const Production p = dag_.production(node);
        if (p == kNone) continue;
        const std::uint32_t g = group_of_[p];
        std::uint32_t* next = &next_of_group[g];
        for (Node child : dag_.children(node)) {
            if (dag_.is_leaf(child)) continue;
            const std::uint32_t b = edges_[edge++];
            if (buckets_[b].is_run()) next = &next_of_run[b];
        }
        rank_of_[node] = (*next)++;
    }
}

void SubsetTable::fill(std::span<const Node> nodes, std::span<const double> weights, const Task& task) {
    std::size_t members = 0;
    for (const Group& group : groups_) members += group.size;
    weights_.assign(members * width_, 0.0);
    group_sums_.assign(groups_.size() * width_, 0.0);
    bucket_sums_.assign(buckets_.size() * width_, 0.0);
    next_entry_.resize(buckets_.size());
    for (std::size_t b = 0; b < buckets_.size(); ++b) next_entry_[b] = buckets_[b].begin;
    std::vector<double> leaf;
    std::size_t edge = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node node = nodes[i];
        const double* own = weights.data() + i * outputs_;
        const Production p = dag_.production(node);
        if (p == kNone) {
            if (parameters_.leaf_weight == 0.0) continue;
            leaf.assign(own, own + outputs_);
            for (double& weight : leaf) weight *= parameters_.leaf_weight;
            add_label(dag_.label(node), leaf.data());
            continue;
        }
        task.check();
        const auto add = [&](double* to) {
            for (std::size_t k = 0; k < outputs_; ++k) to[k] += own[k];
        };
        const std::uint32_t g = group_of_[p], rank = rank_of_[node];
        add(weights_.data() + (groups_[g].begin + rank) * width_);
        add(group_sums_.data() + g * width_);
        for (Node child : dag_.children(node)) {
            if (dag_.is_leaf(child)) continue;
            const std::uint32_t b = edges_[edge++];
            const Bucket& bucket = buckets_[b];
            add(bucket_sums_.data() + b * width_);
            // The entries of a run are in the order of their ranks.
            const std::uint64_t at = bucket.is_run() ? bucket.begin + rank - bucket.first_rank : next_entry_[b]++;
            rank_[at] = rank;
            child_rank_[at] = rank_of_[child];
        }
    }
}

void SubsetTable::add_label(Label label, const double* sums) {
    if (label_place_.size() < dag_.label_count()) label_place_.resize(dag_.label_count(), kNone);
    if (label_place_[label] == kNone) {
        label_place_[label] = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back(label);
        label_sums_.resize(labels_.size() * width_, 0.0);
    }
    double* to = label_sums_.data() + label_place_[label] * width_;
    for (std::size_t k = 0; k < outputs_; ++k) to[k] += sums[k];
}

}  // namespace treekernels
