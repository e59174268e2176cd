#include "gram/label_similarity.hpp"

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
        const std::uint64_t hash = hash_of(a, b);
        const auto found = index_.find(hash, [&](std::uint32_t i) { return pairs_[i].a == a && pairs_[i].b == b; });
        if (found != kNone) {
            pairs_[found].value = value;
        } else {
            index_.insert(hash, static_cast<std::uint32_t>(pairs_.size()));
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
}

double LabelSimilarity::operator()(Label a, Label b) const {
    if (!pairs_.empty()) {
        const auto found =
            index_.find(hash_of(a, b), [&](std::uint32_t i) { return pairs_[i].a == a && pairs_[i].b == b; });
        if (found != kNone) return pairs_[found].value;
    }
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
