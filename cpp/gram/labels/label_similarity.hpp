// Which labels may match, and how well.
//
// Without a table a label matches itself with weight 1. With one, labels that are linked by similarities above zero
// form a class; only labels of one class are ever compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/dag.hpp"
#include "core/memory/number_index.hpp"
#include "gram/labels/production_factors.hpp"

namespace treekernels {

class LabelSimilarity {
public:
    explicit LabelSimilarity(std::size_t label_count);
    // Sets the similarity of two labels, both ways. A label with itself has 1 unless set.
    void set(Label a, Label b, double value);
    // To be called after the last set().
    void finish();

    struct Match {
        Label label;
        double value;
    };

    std::size_t label_count() const { return class_.size(); }
    std::uint32_t class_of(Label label) const { return class_[label]; }
    bool is_identity() const { return pairs_.empty(); }
    double operator()(Label a, Label b) const;
    // Calls found(other, similarity) for the labels that match one, itself among them, in order.
    template <class Found>
    void visit(Label label, Found found) const {
        if (is_identity()) return found(label, 1.0);
        for (std::uint64_t i = match_offset_[label]; i < match_offset_[label + 1]; ++i)
            found(matches_[i].label, matches_[i].value);
    }
    // An upper bound of all similarities, at least 1.
    double largest() const { return largest_; }

private:
    struct Pair {
        Label a, b;
        double value;
    };
    static std::uint64_t hash_of(Label a, Label b) { return mix(mix(hash_secret(), a), b); }
    std::uint32_t index_of(Label a, Label b) const;

    std::vector<std::uint32_t> class_;
    std::vector<Pair> pairs_;
    NumberIndex index_;
    std::vector<std::uint64_t> match_offset_;  // by label
    std::vector<Match> matches_;
    double largest_ = 1.0;
};

// Similarities as a user writes them: two labels, and a number.
using SimilarTexts = std::vector<std::tuple<std::string, std::string, double>>;
// Those of a DAG. Labels that no tree has do not matter. With a table, a node brings the factor of its label, of which
// `decay` is already taken account of elsewhere: two nodes the root of what each brings, times their similarity.
std::shared_ptr<const LabelSimilarity> resolve_labels(const SimilarTexts& similar, const Dag& dag,
                                                      const FactorTable* table = nullptr, double decay = 1.0);

}  // namespace treekernels
