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
#include <vector>

#include "core/tasks.hpp"
#include "kernels/tripartite/comparison.hpp"
#include "kernels/tripartite/constraints.hpp"

namespace treekernels {

// How many products of two terms are allowed, and how many terms in a sum.
class Effort {
public:
    Effort(std::uint64_t products, std::size_t terms, const Task& task) : left_(products), terms_(terms), task_(task) {}
    class Exceeded {};
    void products(std::uint64_t count) {
        if (count > left_) throw Exceeded();
        left_ -= count;
        if (left_ / kCheckEvery != (left_ + count) / kCheckEvery) task_.check();
    }
    void terms(std::size_t count) const {
        if (count > terms_) throw Exceeded();
    }

private:
    static constexpr std::uint64_t kCheckEvery = 1 << 16;
    std::uint64_t left_;
    std::size_t terms_;
    const Task& task_;
};

// Sums over constraints for the matches of both sides, on one thread. The bits stand for some pairs of placeholders.
template <class Real, class Bits>
class ConstraintTables {
public:
    explicit ConstraintTables(double decay) : decay_(decay) {}

    // Some matches of one side; a match comes with all below it. What fragments without placeholders weigh may be known
    // already: then only the others are summed up.
    struct Part {
        const SideMatches& side;
        std::span<const std::uint32_t> matches;
        const Real* plain = nullptr;
    };

    // Which pairs of placeholders matter. One bit is kept free of them.
    void choose(std::span<const std::uint32_t> pairs, const PlaceholderPairs& all);
    // K restricted to fragments made of these matches of the texts and of the hypotheses.
    Real join(const Part& texts, const Part& hypotheses, Effort& effort);
    // The same with a table for one part only: the other, in which nothing contradicts, is summed up for each term.
    Real join_by_one(const Part& free, const Part& tabulated, Effort& effort);
    // The weight of all fragments of one side, when nothing is chosen.
    Real total(const Part& part, Effort& effort);

private:
    using Sum = ConstraintSum<Real, Bits>;
    using Term = Weighted<Real, Bits>;
    // The sum of the fragments below a match: a part without constraint, and terms.
    struct Table {
        Real unconstrained;
        std::size_t begin, end;
    };

    void sum_up(const Part& part, Sum& total, Effort& effort);
    void multiply(const Table& table, Effort& effort);
    Real agreeing(Effort& effort);

    double decay_;
    std::size_t bits_ = 0;
    std::vector<std::uint32_t> bit_of_;  // by pair of placeholders; kNone for those that do not matter
    std::vector<Bits> contradicted_by_;  // by bit
    std::vector<Bits> with_left_, with_right_;
    std::vector<Table> tables_;  // by match
    std::vector<Term> terms_;    // of all tables
    std::vector<Table> factors_;
    Sum product_, next_;
    Sum text_total_, hypothesis_total_, projected_;
};

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
