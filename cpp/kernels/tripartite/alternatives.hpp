// The tripartite kernel as in Zanzotto and Dell'Arciprete (2009), and its older approximation, for comparison.
//
// Both rest on K_S(x, y, c): the subset-tree kernel of two trees in which placeholders match only if their pair is in
// c.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/threads/tasks.hpp"
#include "kernels/tripartite/comparison.hpp"
#include "kernels/tripartite/tables/constraints.hpp"

namespace treekernels {

// Evaluates K_S of both sides for one constraint after another.
template <class Real>
class RestrictedKernel {
public:
    RestrictedKernel(const AnchoredPairs& examples, double decay) : examples_(examples), decay_(decay) {}

    void compare(std::size_t a, std::size_t b, const Task& task) { common_.find(examples_, a, b, task); }
    const Comparison& common() const { return common_; }
    // K_S of the texts times K_S of the hypotheses; `allowed(pair)` says whether a pair of placeholders is in c.
    template <class Allowed>
    Real operator()(Allowed allowed) {
        const Real texts = side(common_.texts, allowed);
        return texts == Real(0.0) ? texts : texts * side(common_.hypotheses, allowed);
    }
    // K_S of one of the two.
    template <class Allowed>
    Real side(const SideMatches& side, Allowed allowed);

private:
    const AnchoredPairs& examples_;
    double decay_;
    Comparison common_;
    std::vector<Real> values_;
};

// What a constraint of C* contributes to K.
struct ConstraintTerm {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> placeholders;  // as numbered in the labels, ascending
    bool alternative;                                                   // it is in C: no other contains it
    double multiplicity;                                                // N(c)
    double texts, hypotheses;                                           // K_S of either side
};

// All of C*, the largest constraints first.
std::vector<ConstraintTerm> constraint_terms(const AnchoredPairs& examples, std::size_t a, std::size_t b, double decay,
                                             const Task& task);

// K = sum over C* of N(c) K_S(texts, c) K_S(hypotheses, c), by inclusion and exclusion. The matching nodes of the trees
// are found once for all constraints, or `anew` for each.
template <class Real, bool anew>
class InclusionExclusionWorker {
public:
    InclusionExclusionWorker(const AnchoredPairs& examples, double decay) : restricted_(examples, decay) {}
    Real operator()(std::size_t a, std::size_t b, const Task& task);

private:
    template <class Bits>
    Real sum(std::size_t a, std::size_t b, const Task& task);

    RestrictedKernel<Real> restricted_;
};

// K_max = the largest K_S * K_S over all one-to-one correspondences of placeholders, each tried.
template <class Real>
class MaximumWorker {
public:
    MaximumWorker(const AnchoredPairs& examples, double decay) : restricted_(examples, decay) {}
    Real operator()(std::size_t a, std::size_t b, const Task& task);

private:
    RestrictedKernel<Real> restricted_;
};

}  // namespace treekernels
