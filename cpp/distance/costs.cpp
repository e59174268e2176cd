#include "distance/costs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treekernels {

EditCosts::EditCosts(std::vector<double> remove, std::vector<double> insert, double rename,
                     std::vector<RenameCost> pairs, LabelTexts texts, Label nothing)
    : unit_(false),
      remove_(std::move(remove)),
      insert_(std::move(insert)),
      rename_(rename),
      nothing_(nothing),
      pairs_(std::move(pairs)),
      texts_(std::move(texts)) {
    const std::size_t labels = remove_.size();
    const bool fits =
        insert_.size() == labels &&
        (texts_.group.empty() ||
         (texts_.group.size() == labels && texts_.offset.size() == labels + 1 && texts_.offset.front() == 0 &&
          std::ranges::is_sorted(texts_.offset) && texts_.offset.back() == texts_.tokens.size())) &&
        std::ranges::all_of(pairs_, [&](const RenameCost& pair) { return pair.from < labels && pair.to < labels; });
    const auto is_cost = [](double cost) { return cost >= 0.0 && std::isfinite(cost); };
    if (!fits || !is_cost(rename_) || !std::ranges::all_of(remove_, is_cost) ||
        !std::ranges::all_of(insert_, is_cost) ||
        !std::ranges::all_of(pairs_, [&](const RenameCost& pair) { return is_cost(pair.cost); }))
        throw std::invalid_argument("these are no costs");
    if (nothing < labels) remove_[nothing] = insert_[nothing] = 0.0;
    const auto before = [](const RenameCost& a, const RenameCost& b) {
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    };
    std::ranges::stable_sort(pairs_, before);
    pair_offset_.assign(labels + 1, 0);
    for (const RenameCost& pair : pairs_) ++pair_offset_[pair.from + 1];
    for (std::size_t label = 0; label < labels; ++label) pair_offset_[label + 1] += pair_offset_[label];
    for (std::uint32_t token : texts_.tokens) token_count_ = std::max<std::size_t>(token_count_, token + 1);
    symmetric_ = remove_ == insert_ && std::ranges::all_of(pairs_, [&](const RenameCost& pair) {
                     const auto back = std::ranges::lower_bound(pairs_, RenameCost{pair.to, pair.from, 0.0}, before);
                     return (back != pairs_.end() && back->from == pair.to && back->to == pair.from)
                                ? back->cost == pair.cost
                                : pair.cost == rename_;
                 });
    scale_ = 0.0;
    for (double scale = 1.0; !compares_texts() && scale <= 1024.0; scale *= 2.0)
        if (are_whole(scale)) {
            scale_ = scale;
            break;
        }
}

bool EditCosts::are_whole(double scale) const {
    constexpr double kMost = 1 << 20;
    const auto is_whole = [&](double cost) {
        return cost * scale <= kMost && std::floor(cost * scale) == cost * scale;
    };
    return is_whole(rename_) && std::ranges::all_of(remove_, is_whole) && std::ranges::all_of(insert_, is_whole) &&
           std::ranges::all_of(pairs_, [&](const RenameCost& pair) { return is_whole(pair.cost); });
}

void EditCosts::rename(std::span<const Label> from, std::span<const Label> to, std::optional<Levenshtein>& comparison,
                       std::vector<double>& costs) const {
    costs.assign(from.size() * to.size(), rename_);
    if (compares_texts() && !comparison) comparison.emplace(token_count_);
    for (std::size_t row = 0; row < from.size(); ++row) {
        double* out = costs.data() + row * to.size();
        const Label label = from[row];
        if (compares_texts()) {
            comparison->set_pattern(tokens(label));
            for (std::size_t column = 0; column < to.size(); ++column) {
                if (texts_.group[to[column]] != texts_.group[label]) continue;
                const std::size_t longer = std::max(tokens(label).size(), tokens(to[column]).size());
                const std::size_t changed = comparison->distance(tokens(to[column]));
                out[column] = longer == 0 ? 0.0 : rename_ * static_cast<double>(changed) / static_cast<double>(longer);
            }
        }
        if (!unit_ && pair_offset_[label] < pair_offset_[label + 1]) {
            const auto begin = pairs_.begin() + pair_offset_[label], end = pairs_.begin() + pair_offset_[label + 1];
            for (std::size_t column = 0; column < to.size(); ++column) {
                const auto found = std::ranges::lower_bound(begin, end, to[column], {}, &RenameCost::to);
                if (found != end && found->to == to[column]) out[column] = found->cost;
            }
        }
        for (std::size_t column = 0; column < to.size(); ++column)
            if (to[column] == label) out[column] = 0.0;
    }
}

}  // namespace treekernels
