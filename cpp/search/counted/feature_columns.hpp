// Which vectors of a range have each feature.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "search/counted/feature_vectors.hpp"

namespace treekernels {

class FeatureColumns {
public:
    // Of the vectors from `begin` on and before `end`.
    FeatureColumns(const FeatureVectors& vectors, Column begin, Column end, std::size_t features, const Task& task);

    struct List {
        std::span<const Column> columns;  // ascending
        std::span<const float> counts;    // empty if all are 1
    };
    List operator[](Feature feature) const {
        const std::size_t place = place_of(feature);
        if (place == features_.size()) return {};
        const std::size_t begin = offsets_[place], size = offsets_[place + 1] - begin;
        const std::span counts(counts_);
        return {std::span(columns_).subspan(begin, size), counts.empty() ? counts : counts.subspan(begin, size)};
    }

    Column begin() const { return begin_; }
    Column end() const { return end_; }
    std::size_t size() const { return end_ - begin_; }
    std::size_t entry_count() const { return columns_.size(); }
    double largest_norm() const { return largest_norm_; }
    std::size_t bytes() const {
        return columns_.size() * 4 + counts_.size() * 4 + features_.size() * 12 + places_.size() * 4;
    }

private:
    // The number of features here for one that is not among them.
    std::size_t place_of(Feature feature) const {
        if (feature < places_.size()) return places_[feature];
        if (!places_.empty()) return features_.size();
        const auto found = std::ranges::lower_bound(features_, feature);
        return found == features_.end() || *found != feature ? features_.size()
                                                             : static_cast<std::size_t>(found - features_.begin());
    }

    Column begin_, end_;
    double largest_norm_ = 0.0;
    std::vector<Feature> features_;      // ascending
    std::vector<std::uint32_t> places_;  // by feature, where a range has many of all features
    std::vector<std::uint64_t> offsets_{0};
    std::vector<Column> columns_;
    std::vector<float> counts_;
};

}  // namespace treekernels
