// Tables from constraint to weight: the recursion of the subset-tree kernel on sums over constraints.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/tasks.hpp"
#include "kernels/tripartite/comparison.hpp"
#include "kernels/tripartite/tables/constraints.hpp"

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

}  // namespace treekernels
