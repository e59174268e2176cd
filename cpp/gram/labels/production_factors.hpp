// What a production brings to the fragments that it is part of, where that is not the same for all: the square of its
// weight, times the decay of its label.
//
// Users know productions by their labels; these are looked up in the DAG of the trees once, so that an algorithm finds
// one number by production. Without a table that is the decay, and nothing is looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// As a user writes it. Does not change once it is shared.
class FactorTable {
public:
    // Weights of what is not listed, and decays by label, beside the one that a kernel has for all others.
    explicit FactorTable(double default_weight) : default_weight_(default_weight) {}
    // The labels of a production, the parent's first.
    void set_production_weight(std::span<const std::string> labels, double weight);
    void set_label_weight(const std::string& label, double weight) { label_weight_[label] = weight; }
    void set_decay(const std::string& label, double decay) { decay_[label] = decay; }

    // Inverse document frequencies of productions and labels, given as in `DocumentFrequencies`: see the class of that
    // name in Python. Throws std::invalid_argument for a key that is neither.
    void set_frequencies(const Dag& dag, std::span<const Node> keys, std::span<const std::uint64_t> counts,
                         double documents);

    // decay * weight^2 of a production, whose own label comes first, or, failing that, of its label.
    double factor(std::span<const std::string_view> labels, double decay) const;
    double factor(const Dag& dag, Production production, double decay) const;
    // The same of a label alone; `decay` is what all labels have that are not listed.
    double label_factor(std::string_view label, double decay) const;

private:
    double decay_of(const std::string& label, double decay) const;

    double default_weight_;
    using Numbers = std::unordered_map<std::string, double, TextHash>;
    Numbers production_weight_;  // by joined labels
    Numbers label_weight_, decay_;
};

// Of the productions of one DAG, which may grow.
class ProductionFactors {
public:
    ProductionFactors(double decay, std::shared_ptr<const FactorTable> table)
        : decay_(decay), table_(std::move(table)) {}

    bool uniform() const { return !table_; }
    // Looks up the productions that are new.
    void cover(const Dag& dag);
    // The decay for one that was not covered.
    double operator[](Production production) const {
        return production < values_.size() ? values_[production] : decay_;
    }

private:
    double decay_;
    std::shared_ptr<const FactorTable> table_;
    std::vector<double> values_;
};

}  // namespace treekernels
