#include "kernels/tripartite/alternatives.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/errors.hpp"
#include "core/wide.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kMostConstraints = 1 << 16;
constexpr double kMostCorrespondences = 1e7;

// A set of constraints in order of first use.
template <class Bits>
class ConstraintSet {
public:
    bool insert(const Bits& constraint) {
        const std::uint64_t hash = constraint.hash();
        const auto same = [&](std::uint32_t number) { return members_[number] == constraint; };
        if (index_.find(hash, same) != kNone) return false;
        if (members_.size() >= kMostConstraints)
            throw TooLarge(
                "inclusion and exclusion would need more than 65,536 constraints for two sentence pairs: use "
                "algorithm=\"auto\", or give the pairs fewer placeholders, as by pairs.limited(7)");
        index_.insert(hash, static_cast<std::uint32_t>(members_.size()));
        members_.push_back(constraint);
        return true;
    }
    const std::vector<Bits>& members() const { return members_; }

private:
    std::vector<Bits> members_;
    NumberIndex index_;
};

// Keeps what no other contains, the largest first.
template <class Bits>
std::vector<Bits> maximal(std::vector<Bits> constraints, const Task& task) {
    std::ranges::stable_sort(constraints, std::ranges::greater(), [](const Bits& c) { return c.count(); });
    std::vector<Bits> result;
    for (const Bits& c : constraints) {
        task.check();
        if (std::ranges::none_of(result, [&](const Bits& larger) { return c.within(larger); })) result.push_back(c);
    }
    return result;
}

// The pairs of placeholders that fragments of one side can bring along together: one set for each maximal common
// fragment. They may contradict each other.
template <class Bits>
std::vector<Bits> common_pairs(const SideMatches& side, std::size_t pairs, const Task& task) {
    std::vector<Bits> below;
    std::vector<bool> has_parent(side.matches().size());
    for (const Match& match : side.matches()) {
        Bits all(pairs);
        for (std::uint32_t pair : side.pairs(match)) all.set(pair);
        for (std::uint32_t child : side.children(match)) {
            all |= below[child];
            has_parent[child] = true;
        }
        below.push_back(std::move(all));
    }
    ConstraintSet<Bits> roots;
    for (std::size_t match = 0; match < below.size(); ++match)
        if (!has_parent[match]) roots.insert(below[match]);
    return maximal(roots.members(), task);
}

// Whether the trees of a side have a fragment in common under a constraint.
template <class Bits>
bool agree(const SideMatches& side, const Bits& c) {
    return std::ranges::any_of(side.matches(), [&](const Match& match) {
        return std::ranges::all_of(side.pairs(match), [&](std::uint32_t pair) { return c.has(pair); });
    });
}

// The alternative constraints C: every constraint that a common pair of fragments induces is within one of them.
template <class Bits>
std::vector<Bits> alternatives(const Comparison& common, const Task& task) {
    const std::size_t pairs = common.pairs.size();
    ConstraintSet<Bits> open;
    for (const Bits& text : common_pairs<Bits>(common.texts, pairs, task)) {
        for (const Bits& hypothesis : common_pairs<Bits>(common.hypotheses, pairs, task)) {
            Bits both = text;
            both |= hypothesis;
            open.insert(both);
        }
    }
    // Two pairs that contradict each other cannot stay together: go on without the one, and without the other.
    std::vector<std::uint32_t> with_left(common.pairs.left_count()), with_right(common.pairs.right_count());
    const auto contradiction = [&](const Bits& set) {
        std::ranges::fill(with_left, kNone);
        std::ranges::fill(with_right, kNone);
        for (std::uint32_t pair = 0; pair < pairs; ++pair) {
            if (!set.has(pair)) continue;
            std::uint32_t& left = with_left[common.pairs.left(pair)];
            std::uint32_t& right = with_right[common.pairs.right(pair)];
            if (left != kNone) return std::pair(left, pair);
            if (right != kNone) return std::pair(right, pair);
            left = right = pair;
        }
        return std::pair(kNone, kNone);
    };
    std::vector<Bits> consistent;
    for (std::size_t next = 0; next < open.members().size(); ++next) {
        task.check();
        Bits set = open.members()[next];
        const auto [one, other] = contradiction(set);
        if (one == kNone) {
            // Where it is of no use, what is within it is not either.
            if (agree(common.texts, set) && agree(common.hypotheses, set)) consistent.push_back(set);
            continue;
        }
        Bits without_one = set;
        without_one.reset(one);
        set.reset(other);
        open.insert(without_one);
        open.insert(set);
    }
    return maximal(consistent, task);
}

// C*: the alternatives, all their intersections, and the empty constraint.
template <class Bits>
std::vector<Bits> intersections(const std::vector<Bits>& alternatives, std::size_t pairs, const Task& task) {
    ConstraintSet<Bits> all;
    for (const Bits& c : alternatives) all.insert(c);
    for (std::size_t next = 0; next < all.members().size(); ++next) {
        task.check();
        for (const Bits& c : alternatives) {
            Bits both = all.members()[next];
            both &= c;
            all.insert(both);
        }
    }
    all.insert(Bits(pairs));
    return all.members();
}

// C*, the largest constraints first, each with its multiplicity: N(c) = 1 - the sum of N over all that contain c.
template <class Bits>
struct Constraints {
    Constraints(const Comparison& common, const Task& task) {
        const std::vector<Bits> largest = alternatives<Bits>(common, task);
        members = intersections(largest, common.pairs.size(), task);
        std::ranges::stable_sort(members, std::ranges::greater(), [](const Bits& c) { return c.count(); });
        for (const Bits& c : members) {
            task.check();
            double n = 1.0;
            for (std::size_t larger = 0; larger < multiplicity.size(); ++larger)
                if (c.within(members[larger])) n -= multiplicity[larger];
            multiplicity.push_back(n);
            is_alternative.push_back(std::ranges::find(largest, c) != largest.end());
        }
    }

    std::vector<Bits> members;
    std::vector<double> multiplicity;
    std::vector<bool> is_alternative;
};

template <class Bits>
std::vector<ConstraintTerm> terms(RestrictedKernel<double>& restricted, const AnchoredPairs& examples, std::size_t a,
                                  std::size_t b, const Task& task) {
    const Comparison& common = restricted.common();
    const Constraints<Bits> constraints(common, task);
    std::vector<ConstraintTerm> result;
    for (std::size_t place = 0; place < constraints.members.size(); ++place) {
        task.check();
        const Bits& c = constraints.members[place];
        const auto allowed = [&](std::uint32_t pair) { return c.has(pair); };
        ConstraintTerm& term = result.emplace_back();
        for (std::uint32_t pair = 0; pair < common.pairs.size(); ++pair)
            if (c.has(pair))
                term.placeholders.emplace_back(examples.placeholder(a, common.pairs.left(pair)),
                                               examples.placeholder(b, common.pairs.right(pair)));
        std::ranges::sort(term.placeholders);
        term.alternative = constraints.is_alternative[place];
        term.multiplicity = constraints.multiplicity[place];
        term.texts = restricted.side(common.texts, allowed);
        term.hypotheses = restricted.side(common.hypotheses, allowed);
    }
    return result;
}

}  // namespace

std::vector<ConstraintTerm> constraint_terms(const AnchoredPairs& examples, std::size_t a, std::size_t b, double decay,
                                             const Task& task) {
    RestrictedKernel<double> restricted(examples, decay);
    restricted.compare(a, b, task);
    return restricted.common().pairs.size() <= 64 ? terms<Bits64>(restricted, examples, a, b, task)
                                                  : terms<ManyBits>(restricted, examples, a, b, task);
}

template <class Real>
template <class Allowed>
Real RestrictedKernel<Real>::side(const SideMatches& side, Allowed allowed) {
    values_.clear();
    Real total(0.0);
    for (const Match& match : side.matches()) {
        if (!std::ranges::all_of(side.pairs(match), allowed)) {
            values_.push_back(Real(0.0));
            continue;
        }
        Real value(decay_);
        for (std::uint32_t child : side.children(match)) value *= Real(1.0) + values_[child];
        values_.push_back(value);
        total += value * Real(match.count);
    }
    return total;
}

template <class Real, bool anew>
Real InclusionExclusionWorker<Real, anew>::operator()(std::size_t a, std::size_t b, const Task& task) {
    restricted_.compare(a, b, task);
    return restricted_.common().pairs.size() <= 64 ? sum<Bits64>(a, b, task) : sum<ManyBits>(a, b, task);
}

template <class Real, bool anew>
template <class Bits>
Real InclusionExclusionWorker<Real, anew>::sum(std::size_t a, std::size_t b, const Task& task) {
    const Constraints<Bits> constraints(restricted_.common(), task);
    Real positive(0.0), negative(0.0);
    for (std::size_t place = 0; place < constraints.members.size(); ++place) {
        task.check();
        const Bits& c = constraints.members[place];
        const double n = constraints.multiplicity[place];
        if (n == 0.0) continue;
        if (anew) restricted_.compare(a, b, task);
        const Real value = restricted_([&](std::uint32_t pair) { return c.has(pair); }) * Real(std::abs(n));
        (n > 0.0 ? positive : negative) += value;
    }
    return negative < positive ? positive - negative : Real(0.0);
}

template <class Real>
Real MaximumWorker<Real>::operator()(std::size_t a, std::size_t b, const Task& task) {
    restricted_.compare(a, b, task);
    const PlaceholderPairs& pairs = restricted_.common().pairs;
    // Of a pair with itself nothing is better than the identity, by the Cauchy-Schwarz inequality.
    if (a == b) return restricted_([&](std::uint32_t pair) { return pairs.left(pair) == pairs.right(pair); });
    const bool swapped = pairs.left_count() > pairs.right_count();
    const std::uint32_t few = swapped ? pairs.right_count() : pairs.left_count();
    const std::uint32_t many = swapped ? pairs.left_count() : pairs.right_count();
    double correspondences = 1.0;
    for (std::uint32_t i = 0; i < few; ++i) correspondences *= many - i;
    if (correspondences > kMostCorrespondences)
        throw TooLarge(
            "K_max would try more than 10,000,000 correspondences between the placeholders of two sentence "
            "pairs: give them fewer, as by pairs.limited(7), or use algorithm=\"auto\"");
    // Each of the few gets one of the many; `partner` runs through all such assignments like the digits of a number.
    std::vector<std::uint32_t> partner(few, kNone);
    std::vector<bool> taken(many);
    Real best(0.0);
    const auto allowed = [&](std::uint32_t pair) {
        return swapped ? partner[pairs.right(pair)] == pairs.left(pair)
                       : partner[pairs.left(pair)] == pairs.right(pair);
    };
    for (std::uint32_t at = 0;;) {
        if (at == few) {
            task.check();
            const Real value = restricted_(allowed);
            if (best < value) best = value;
            if (at == 0) break;
            --at;
        }
        std::uint32_t& digit = partner[at];
        if (digit != kNone) taken[digit] = false;
        digit = digit == kNone ? 0 : digit + 1;
        while (digit < many && taken[digit]) ++digit;
        if (digit < many) {
            taken[digit] = true;
            ++at;
            continue;
        }
        digit = kNone;
        if (at == 0) break;
        --at;
    }
    return best;
}

template class InclusionExclusionWorker<double, false>;
template class InclusionExclusionWorker<Wide, false>;
template class InclusionExclusionWorker<double, true>;
template class InclusionExclusionWorker<Wide, true>;
template class MaximumWorker<double>;
template class MaximumWorker<Wide>;

}  // namespace treekernels
