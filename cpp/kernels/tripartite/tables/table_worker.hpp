// The tripartite kernel of two sentence pairs, by tables from constraint to weight.
//
// Two fragments that are equal up to the names of placeholders induce a constraint: which placeholder stands for which.
// The recursion of the subset-tree kernel is carried out on sums over constraints; a product unites constraints and
// drops those that contradict each other. K is the sum of weight * weight over the agreeing constraints of the texts
// and of the hypotheses.
//
// Pairs of placeholders that contradict no other are left out, which keeps the sums short: a handful of terms for real
// sentences. Where they get long all the same, the matches are taken apart into those that hang together, and each
// such part of the texts is compared with each of the hypotheses: then only contradictions between or within the two
// count. What is exponential even so (counting matchings of a graph is a special case) ends in TooLarge.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/threads/tasks.hpp"
#include "kernels/tripartite/comparison.hpp"
#include "kernels/tripartite/tables/constraint_tables.hpp"

namespace treekernels {

template <class Real>
class TableWorker {
public:
    TableWorker(const AnchoredPairs& examples, double decay) : examples_(examples), decay_(decay), tables_(decay) {}
    Real operator()(std::size_t a, std::size_t b, const Task& task);
    // The same where the seeds are known, and what fragments without placeholders weigh.
    struct Known {
        std::span<const Seed> seeds;
        bool all_simple;
        Real plain;
    };
    Real operator()(std::size_t a, std::size_t b, const Known& texts, const Known& hypotheses, const Task& task);

private:
    // Matches that hang together, with others that bring along the same pairs of placeholders.
    struct Part {
        std::vector<std::uint32_t> pairs;
        std::vector<std::uint32_t> matches;
        Real total;                  // if nothing contradicts
        bool contradictory = false;  // within itself
    };

    Real without_contradictions(const SideMatches& side, Real plain);
    Real all_at_once(const Real* plain_texts, const Real* plain_hypotheses, const Task& task);
    Real part_by_part(const Task& task);
    std::vector<Part> parts_of(const SideMatches& side, Effort& effort);
    Real joined(const Part& text, const Part& hypothesis, Effort& effort);
    void find_contradicting();
    void choose_contradicting(std::span<const std::uint32_t> pairs);

    const AnchoredPairs& examples_;
    double decay_;
    Comparison common_;
    ConstraintTables<Real, Bits64> tables_;
    std::vector<std::uint32_t> numbers_;  // 0, 1, 2, ...: all matches, or all pairs of placeholders
    std::vector<std::uint32_t> both_;
    std::vector<std::pair<Real, Real>> values_;  // of matches: all fragments, and those without placeholders
    std::vector<std::uint32_t> chosen_;
    // How many pairs of placeholders have this one on the left or on the right; 0 between calls.
    std::vector<std::uint32_t> left_uses_, right_uses_;
};

}  // namespace treekernels
