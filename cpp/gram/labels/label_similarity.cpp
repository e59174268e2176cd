#include "gram/labels/label_similarity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treekernels {

namespace {

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t item) {
    while (parent[item] != item) item = parent[item] = parent[parent[item]];
    return item;
}

}  // namespace

LabelSimilarity::LabelSimilarity(std::size_t label_count) : class_(label_count) {
    std::iota(class_.begin(), class_.end(), 0);
}

void LabelSimilarity::set(Label a, Label b, double value) {
    for (int turn = 0; turn < (a == b ? 1 : 2); ++turn, std::swap(a, b)) {
        const auto found = index_of(a, b);
        if (found != kNone) {
            pairs_[found].value = value;
        } else {
            index_.insert(hash_of(a, b), static_cast<std::uint32_t>(pairs_.size()));
            pairs_.push_back({a, b, value});
        }
    }
    largest_ = std::max(largest_, value);
}

void LabelSimilarity::finish() {
    for (const Pair& pair : pairs_) {
        if (pair.value == 0.0) continue;
        const std::uint32_t a = find_root(class_, pair.a);
        const std::uint32_t b = find_root(class_, pair.b);
        class_[std::max(a, b)] = std::min(a, b);
    }
    for (std::uint32_t label = 0; label < class_.size(); ++label) class_[label] = find_root(class_, label);
    if (pairs_.empty()) return;

    const auto has_own = [&](Label label) { return index_of(label, label) != kNone; };
    match_offset_.assign(class_.size() + 1, 0);
    for (const Pair& pair : pairs_)
        if (pair.value != 0.0) ++match_offset_[pair.a + 1];
    for (Label label = 0; label < class_.size(); ++label)
        if (!has_own(label)) ++match_offset_[label + 1];
    std::partial_sum(match_offset_.begin(), match_offset_.end(), match_offset_.begin());
    matches_.resize(match_offset_.back());
    auto next = match_offset_;
    for (const Pair& pair : pairs_)
        if (pair.value != 0.0) matches_[next[pair.a]++] = {pair.b, pair.value};
    for (Label label = 0; label < class_.size(); ++label)
        if (!has_own(label)) matches_[next[label]++] = {label, 1.0};
    for (Label label = 0; label < class_.size(); ++label)
        std::sort(matches_.begin() + static_cast<std::ptrdiff_t>(match_offset_[label]),
                  matches_.begin() + static_cast<std::ptrdiff_t>(match_offset_[label + 1]),
                  [](const Match& a, const Match& b) { return a.label < b.label; });
}

std::uint32_t LabelSimilarity::index_of(Label a, Label b) const {
    return index_.find(hash_of(a, b), [&](std::uint32_t i) { return pairs_[i].a == a && pairs_[i].b == b; });
}

double LabelSimilarity::operator()(Label a, Label b) const {
    if (class_[a] != class_[b]) return 0.0;
    if (!pairs_.empty())
        if (const auto found = index_of(a, b); found != kNone) return pairs_[found].value;
    return a == b ? 1.0 : 0.0;
}

std::shared_ptr<const LabelSimilarity> resolve_labels(const SimilarTexts& similar, const Dag& dag,
                                                      const FactorTable* table, double decay) {
    auto similarity = std::make_shared<LabelSimilarity>(dag.label_count());
    const auto factor = [&](std::string_view label) { return table->label_factor(label, decay) / decay; };
    if (table)
        for (Label label = 0; label < dag.label_count(); ++label)
            similarity->set(label, label, factor(dag.label_text(label)));
    for (const auto& [a, b, value] : similar) {
        const Label known_a = dag.find_label(a), known_b = dag.find_label(b);
        if (known_a == kNone || known_b == kNone) continue;
        const double both = table ? std::sqrt(factor(a)) * std::sqrt(factor(b)) : 1.0;
        similarity->set(known_a, known_b, both * value);
    }
    similarity->finish();
    return similarity;
}

}  // namespace treekernels
