#include "gram/production_factors.hpp"

namespace treekernels {

namespace {

// Labels may hold any character, so that each says how long it is.
void append_label(std::string& key, std::string_view label) {
    key += std::to_string(label.size());
    key += ':';
    key += label;
}

}  // namespace

void FactorTable::set_production_weight(std::span<const std::string> labels, double weight) {
    std::string key;
    for (const std::string& label : labels) append_label(key, label);
    production_weight_[key] = weight;
}

double FactorTable::decay_of(const std::string& label, double decay) const {
    if (decay_.empty()) return decay;
    const auto found = decay_.find(label);
    return found == decay_.end() ? decay : found->second;
}

double FactorTable::factor(std::span<const std::string_view> labels, double decay) const {
    if (!production_weight_.empty()) {
        std::string key;
        for (std::string_view label : labels) append_label(key, label);
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
