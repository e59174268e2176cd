#include "search/counted/feature_vectors.hpp"

#include <bit>

#include "core/memory/room.hpp"

namespace treekernels {

namespace {

void require_vectors(bool good) {
    if (!good) throw std::invalid_argument("the vectors of an index do not fit together");
}

}  // namespace

FeatureVectors::FeatureVectors(bool ones, const FeatureVectorArrays& arrays, const FeatureNames& names,
                               const Task& task)
    : ones_(ones) {
    const auto offsets = arrays.offsets;
    const auto features = arrays.features;
    require_vectors(!offsets.empty() && offsets.front() == 0 && offsets.back() == features.size());
    require_vectors(arrays.counts.size() == (ones ? 0 : features.size()));
    for (std::size_t column = 0; column + 1 < offsets.size(); ++column) {
        task.check();
        require_vectors(offsets[column] <= offsets[column + 1] && offsets[column + 1] <= features.size());
        double norm = 0.0;
        for (std::size_t i = offsets[column]; i < offsets[column + 1]; ++i) {
            require_vectors(features[i] < names.size() && (i == offsets[column] || features[i - 1] < features[i]));
            const double count = ones ? 1.0 : arrays.counts[i];
            const double square = names.weight(features[i]) * (count * count);
            require_vectors(count > 0.0 && square > 0.0);
            norm += square;
        }
        require_vectors(std::isfinite(norm));
        norms_.push_back(norm);
    }
    offsets_.assign(offsets.begin(), offsets.end());
    features_.assign(features.begin(), features.end());
    counts_.assign(arrays.counts.begin(), arrays.counts.end());
}

std::uint64_t FeatureVectors::hash_of(const CountedTree& tree) {
    std::uint64_t hash = hash_secret() ^ tree.features.size();
    for (const FeatureCount& each : tree.features)
        hash = mix(mix(hash, each.feature), std::bit_cast<std::uint64_t>(each.count));
    return hash;
}

bool FeatureVectors::is(Column column, const CountedTree& tree) const {
    const auto own = features(column);
    // Features that are not kept count in the norm alone.
    if (own.size() != tree.features.size() || norm(column) != tree.norm) return false;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i] != tree.features[i].feature || count(column, i) != tree.features[i].count) return false;
    return true;
}

void FeatureVectors::index_columns() {
    CountedTree tree;
    for (; indexed_ < size(); ++indexed_) {
        const auto column = static_cast<Column>(indexed_);
        read(column, tree);
        index_.insert(hash_of(tree), column);
    }
}

Column FeatureVectors::add(const CountedTree& tree) {
    index_columns();
    const std::uint64_t hash = hash_of(tree);
    const Column known = index_.find(hash, [&](Column column) { return is(column, tree); });
    if (known != kNone) return known;
    if (!std::isfinite(tree.norm)) throw Overflow("a kernel value is too large for the result");
    make_room(features_, tree.features.size());
    if (!ones_) make_room(counts_, tree.features.size());
    make_room(offsets_, 1);
    make_room(norms_, 1);
    index_.make_room();
    // Nothing can fail from here on.
    for (const FeatureCount& each : tree.features) {
        features_.push_back(each.feature);
        if (!ones_) counts_.push_back(each.count);
    }
    offsets_.push_back(features_.size());
    norms_.push_back(tree.norm);
    const auto column = static_cast<Column>(size() - 1);
    index_.insert(hash, column);
    ++indexed_;
    return column;
}

void FeatureVectors::truncate(std::size_t size) {
    offsets_.resize(size + 1);
    features_.resize(offsets_.back());
    if (!ones_) counts_.resize(offsets_.back());
    norms_.resize(size);
    index_ = NumberIndex();
    indexed_ = 0;
}

void FeatureVectors::read(Column column, CountedTree& tree) const {
    tree.features.clear();
    const auto own = features(column);
    for (std::size_t i = 0; i < own.size(); ++i) tree.features.push_back({own[i], count(column, i)});
    tree.norm = norm(column);
}

}  // namespace treekernels
