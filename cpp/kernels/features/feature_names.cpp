#include "kernels/features/feature_names.hpp"

#include <cmath>
#include <string_view>

#include "core/errors.hpp"
#include "core/memory/room.hpp"

namespace treekernels {

namespace {

void require_names(bool good) {
    if (!good) throw std::invalid_argument("the features of an index do not fit together");
}

}  // namespace

FeatureNames::FeatureNames(const FeatureNameArrays& arrays, const Task& task) {
    const auto offsets = arrays.label_offsets;
    const std::string_view text(reinterpret_cast<const char*>(arrays.label_text.data()), arrays.label_text.size());
    require_names(!offsets.empty() && offsets.front() == 0 && offsets.back() == text.size());
    for (std::size_t label = 0; label + 1 < offsets.size(); ++label) {
        task.check();
        require_names(offsets[label] < offsets[label + 1] && offsets[label + 1] <= text.size());
        const Label known = labels_.intern_label(text.substr(offsets[label], offsets[label + 1] - offsets[label]));
        require_names(known == label);
    }
    const std::size_t count = arrays.kinds.size();
    require_names(arrays.firsts.size() == count && arrays.rests.size() == count && arrays.weights.size() == count);
    weights_.reserve(count);
    index_.reserve(count);
    for (std::size_t feature = 0; feature < count; ++feature) {
        task.check();
        require_names(arrays.kinds[feature] < kFeatureNames.size());
        const auto kind = static_cast<FeatureKind>(arrays.kinds[feature]);
        const std::uint32_t first = arrays.firsts[feature], rest = arrays.rests[feature];
        const std::size_t most = kind == FeatureKind::children ? feature : labels_.label_count();
        require_names(first < most || (kind != FeatureKind::children && first == kNoLabel));
        require_names(rest == kNone || rest < feature);
        require_names(std::isfinite(arrays.weights[feature]) && arrays.weights[feature] >= 0.0);
        require_names(index_.find(kind, first, rest) == kNone);
        index_.insert(kind, first, rest);
        weights_.push_back(arrays.weights[feature]);
    }
}

template <class LabelOf, class Number>
void FeatureNames::translate(const FeatureTable& table, FeatureNumbers& numbers, LabelOf label_of, Number number) {
    const FeatureIndex& own = table.index();
    std::vector<Feature>& known = numbers.features;
    const auto label = [&](Label first) {
        if (first == kNoLabel) return first;
        while (numbers.labels.size() <= first)
            numbers.labels.push_back(label_of(static_cast<Label>(numbers.labels.size())));
        return numbers.labels[first];
    };
    // What a feature is made of has smaller numbers.
    for (auto feature = static_cast<Feature>(known.size()); feature < own.size(); ++feature) {
        const FeatureKind kind = own.kind(feature);
        const Feature below = own.rest(feature);
        const std::uint32_t first =
            kind == FeatureKind::children ? known[own.first(feature)] : label(own.first(feature));
        const Feature rest = below == kNone ? kNone : known[below];
        const bool possible = first != kNone && (below == kNone || rest != kNone);
        known.push_back(possible ? number(feature, kind, first, rest) : kNone);
    }
}

void FeatureNames::find(const FeatureTable& table, const Dag& dag, FeatureNumbers& numbers) const {
    translate(
        table, numbers, [&](Label label) { return labels_.find_label(dag.label_text(label)); },
        [&](Feature, FeatureKind kind, std::uint32_t first, Feature rest) { return index_.find(kind, first, rest); });
}

void FeatureNames::intern(const FeatureTable& table, const Dag& dag, FeatureNumbers& numbers, bool learned_alone) {
    translate(
        table, numbers, [&](Label label) { return labels_.intern_label(dag.label_text(label)); },
        [&](Feature own, FeatureKind kind, std::uint32_t first, Feature rest) {
            const Feature known = index_.find(kind, first, rest);
            if (known != kNone || (learned_alone && !table.is_learned(own))) return known;
            if (index_.size() >= kNoLabel) throw TooLarge("an index cannot have more than 4294967293 features");
            make_room(weights_, 1);
            const Feature feature = index_.insert(kind, first, rest);
            weights_.push_back(table.weights()[own]);
            return feature;
        });
}

}  // namespace treekernels
