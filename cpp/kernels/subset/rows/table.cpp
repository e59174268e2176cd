#include "kernels/subset/rows/table.hpp"

#include "core/assert.hpp"

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
    for (Label label : labels_) label_place_[label] = kNone;
    labels_.clear();
    label_scores_.clear();
    layout_.assign(dag_, nodes, [this](Production p) { return decays_[p]; }, task);
    weights_.assign(layout_.member_count() * width_, 0.0);
    group_scores_.assign(layout_.group_count() * width_, 0.0);
    bucket_scores_.assign(layout_.bucket_count() * width_, 0.0);
    std::vector<double> leaf(outputs_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double* added = weights.data() + i * outputs_;
        const auto add = [&](double* to, double factor) {
            for (std::size_t k = 0; k < outputs_; ++k) to[k] += factor * added[k];
        };
        const std::uint32_t g = find_group(dag_.production(nodes[i]));
        if (g == kNone) {
            if (parameters_.leaf_weight == 0.0) continue;
            std::ranges::fill(leaf, 0.0);
            add(leaf.data(), parameters_.leaf_weight);
            add_label(dag_.label(nodes[i]), leaf.data());
            continue;
        }
        task.check();
        const SubsetGroup& group = layout_.group(g);
        add(weights_.data() + (group.begin + layout_.rank(nodes[i])) * width_, 1.0);
        add(group_scores_.data() + g * width_, group.decay);
        for (std::uint32_t b : layout_.buckets_of(i))
            add(bucket_scores_.data() + b * width_, group.decay * layout_.bucket(b).child_decay);
    }
}

void SubsetTable::add_label(Label label, const double* sums) {
    if (label_place_.size() < dag_.label_count()) label_place_.resize(dag_.label_count(), kNone);
    if (label_place_[label] == kNone) {
        label_place_[label] = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back(label);
        label_scores_.resize(labels_.size() * width_, 0.0);
    }
    double* to = label_scores_.data() + label_place_[label] * width_;
    for (std::size_t k = 0; k < outputs_; ++k) to[k] += sums[k];
}

}  // namespace treekernels
