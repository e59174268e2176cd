#include "gram/labels/production_factors.hpp"

#include <cmath>
#include <stdexcept>

namespace treekernels {

namespace {

// Labels may hold any character, so that each says how long it is.
void append_sized_label(std::string& key, std::string_view label) {
    key += std::to_string(label.size());
    key += ':';
    key += label;
}

}  // namespace

void FactorTable::set_production_weight(std::span<const std::string> labels, double weight) {
    std::string key;
    for (const std::string& label : labels) append_sized_label(key, label);
    production_weight_[key] = weight;
}

void FactorTable::set_frequencies(const Dag& dag, std::span<const Node> keys, std::span<const std::uint64_t> counts,
                                  double documents) {
    if (keys.size() != counts.size()) throw std::invalid_argument("there must be a count for each key");
    production_weight_.reserve(keys.size());
    std::string key;
    const double whole = 1.0 + std::log(documents + 1.0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double weight = (1.0 + std::log((documents + 1.0) / (1.0 + static_cast<double>(counts[i])))) / whole;
        const std::string_view own = dag.label_text(dag.label(keys[i]));
        if (dag.is_leaf(keys[i])) {
            label_weight_[std::string(own)] = weight;
            continue;
        }
        key.clear();
        append_sized_label(key, own);
        for (Node child : dag.children(keys[i])) {
            if (!dag.is_leaf(child)) throw std::invalid_argument("a production must be a tree of height 1");
            append_sized_label(key, dag.label_text(dag.label(child)));
        }
        production_weight_[key] = weight;
    }
}

double FactorTable::decay_of(const std::string& label, double decay) const {
    if (decay_.empty()) return decay;
    const auto found = decay_.find(label);
    return found == decay_.end() ? decay : found->second;
}

double FactorTable::factor(std::span<const std::string_view> labels, double decay) const {
    if (!production_weight_.empty()) {
        std::string key;
        for (std::string_view label : labels) append_sized_label(key, label);
        if (const auto found = production_weight_.find(key); found != production_weight_.end())
            return decay_of(std::string(labels.front()), decay) * (found->second * found->second);
    }
    return label_factor(labels.front(), decay);
}

double FactorTable::factor(const Dag& dag, Production production, double decay) const {
    const Node node = dag.production_node(production);
    std::vector<std::string_view> labels{dag.label_text(dag.label(node))};
    if (!production_weight_.empty())
        for (Node child : dag.children(node)) labels.push_back(dag.label_text(dag.label(child)));
    return factor(labels, decay);
}

double FactorTable::label_factor(std::string_view label, double decay) const {
    const std::string text(label);
    const auto found = label_weight_.find(text);
    const double weight = found == label_weight_.end() ? default_weight_ : found->second;
    return decay_of(text, decay) * (weight * weight);
}

void ProductionFactors::cover(const Dag& dag) {
    if (uniform()) return;
    values_.reserve(dag.production_count());
    for (std::size_t next = values_.size(); next < dag.production_count(); ++next)
        values_.push_back(table_->factor(dag, static_cast<Production>(next), decay_));
}

}  // namespace treekernels
