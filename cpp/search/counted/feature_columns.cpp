#include "search/counted/feature_columns.hpp"

#include <algorithm>

namespace treekernels {

FeatureColumns::FeatureColumns(const FeatureVectors& vectors, Column begin, Column end, std::size_t features,
                               const Task& task)
    : begin_(begin), end_(end) {
    const std::uint64_t entries = vectors.arrays().offsets[end] - vectors.arrays().offsets[begin];
    const auto all = vectors.arrays().features.subspan(vectors.arrays().offsets[begin], entries);
    if (entries * 8 < features) {
        features_.assign(all.begin(), all.end());
        std::ranges::sort(features_);
        const auto repeated = std::ranges::unique(features_);
        features_.erase(repeated.begin(), repeated.end());
    } else {
        places_.assign(features, 0);
        for (Feature feature : all) places_[feature] = 1;
        for (Feature feature = 0; feature < features; ++feature) {
            if (places_[feature]) features_.push_back(feature);
        }
        std::ranges::fill(places_, static_cast<std::uint32_t>(features_.size()));
        for (std::uint32_t place = 0; place < features_.size(); ++place) places_[features_[place]] = place;
    }
    offsets_.assign(features_.size() + 1, 0);
    for (Feature feature : all) ++offsets_[place_of(feature) + 1];
    for (std::size_t place = 0; place < features_.size(); ++place) offsets_[place + 1] += offsets_[place];
    columns_.resize(entries);
    if (!vectors.ones()) counts_.resize(entries);
    std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (Column column = begin; column < end; ++column) {
        task.check();
        largest_norm_ = std::max(largest_norm_, vectors.norm(column));
        const auto own = vectors.features(column);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const std::uint64_t at = next[place_of(own[i])]++;
            columns_[at] = column;
            if (!counts_.empty()) counts_[at] = static_cast<float>(vectors.count(column, i));
        }
    }
}

}  // namespace treekernels
