// Trees as vectors: how much each of their features counts. Equal vectors, which no query can tell apart, are one.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/errors.hpp"
#include "core/memory/number_index.hpp"
#include "core/threads/tasks.hpp"
#include "kernels/features/feature_names.hpp"

namespace treekernels {

using Column = std::uint32_t;  // the number of a vector

struct FeatureCount {
    Feature feature;
    double count;
};

// A tree to be compared with the vectors of an index: those of its features that the index knows, ascending, and the
// norm of all of them.
struct CountedTree {
    std::vector<FeatureCount> features;
    double norm = 0.0;
};

// As they are saved. There are no counts if all of them are 1.
struct FeatureVectorArrays {
    std::span<const std::uint64_t> offsets;
    std::span<const std::uint32_t> features;
    std::span<const double> counts;
};

class FeatureVectors {
public:
    // With `ones`, each count is 1, and none is kept.
    explicit FeatureVectors(bool ones) : ones_(ones) {}
    // Throws std::invalid_argument for what are no vectors of these features.
    FeatureVectors(bool ones, const FeatureVectorArrays& arrays, const FeatureNames& names, const Task& task);

    std::size_t size() const { return norms_.size(); }
    std::size_t entry_count() const { return features_.size(); }
    bool ones() const { return ones_; }
    std::span<const Feature> features(Column column) const {
        return std::span(features_).subspan(offsets_[column], offsets_[column + 1] - offsets_[column]);
    }
    double count(Column column, std::size_t place) const { return ones_ ? 1.0 : counts_[offsets_[column] + place]; }
    double norm(Column column) const { return norms_[column]; }
    FeatureVectorArrays arrays() const { return {offsets_, features_, counts_}; }
    std::size_t bytes() const { return features_.size() * 4 + counts_.size() * 8 + size() * 24; }

    // The number of a vector, which is added if it is new.
    Column add(const CountedTree& tree);
    // Forgets all from one on.
    void truncate(std::size_t size);

    // The vector of a column as a query.
    void read(Column column, CountedTree& tree) const;

    // K(tree, column), the same to the last bit whichever of two vectors is the query.
    double dot(const CountedTree& tree, Column column, const FeatureNames& names) const {
        const auto own = features(column);
        double sum = 0.0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < own.size() && at < tree.features.size();) {
            const Feature feature = tree.features[at].feature;
            if (own[i] < feature) {
                ++i;
            } else if (feature < own[i]) {
                ++at;
            } else {
                sum += names.weight(feature) * (tree.features[at].count * count(column, i));
                ++i;
                ++at;
            }
        }
        return sum;
    }

private:
    static std::uint64_t hash_of(const CountedTree& tree);
    bool is(Column column, const CountedTree& tree) const;
    void index_columns();

    bool ones_;
    std::vector<std::uint64_t> offsets_{0};
    std::vector<Feature> features_;
    std::vector<double> counts_;
    std::vector<double> norms_;
    NumberIndex index_;  // of the first `indexed_` vectors
    std::size_t indexed_ = 0;
};

}  // namespace treekernels
