// Which labels may match, and how well.
//
// Without a table a label matches itself with weight 1. With one, labels that are linked by similarities above zero
// form a class; only labels of one class are ever compared.
#pragma once

#include <cstdint>
#include <vector>

#include "index.hpp"

namespace treekernels {

using Label = std::uint32_t;

class LabelSimilarity {
public:
    explicit LabelSimilarity(std::size_t label_count);
    // Sets the similarity of two labels, both ways. A label with itself has 1 unless set.
    void set(Label a, Label b, double value);
    // To be called after the last set().
    void finish();

    std::uint32_t class_of(Label label) const { return class_[label]; }
    bool is_identity() const { return pairs_.empty(); }
    double operator()(Label a, Label b) const;
    // An upper bound of all similarities, at least 1.
    double largest() const { return largest_; }

private:
    struct Pair {
        Label a, b;
        double value;
    };
    static std::uint64_t hash_of(Label a, Label b) { return mix(mix(0, a), b); }

    std::vector<std::uint32_t> class_;
    std::vector<Pair> pairs_;
    NumberIndex index_;
    double largest_ = 1.0;
};

}  // namespace treekernels
