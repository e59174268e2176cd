#include "search/counted/counted_search.hpp"

namespace treekernels {

void CountedSearch::find_terms(const FeatureNames& names, const FeatureColumns& lists, const CountedTree& query,
                               Column before) {
    unsorted_.clear();
    order_.clear();
    for (const auto& [feature, count] : query.features) {
        const FeatureColumns::List list = lists[feature];
        if (list.columns.empty() || list.columns.front() >= before) continue;
        order_.emplace_back(list.columns.size(), unsorted_.size());
        const double weight = names.weight(feature);
        unsorted_.push_back({list, weight * count, weight, weight * count * count});
    }
    std::ranges::sort(order_);
    terms_.clear();
    for (const auto& [size, place] : order_) terms_.push_back(unsorted_[place]);
    for (std::size_t t = terms_.size(); t-- > 1;) terms_[t - 1].rest += terms_[t].rest;
}

}  // namespace treekernels
