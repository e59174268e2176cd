#include "kernels/tripartite/tables/constraint_tables.hpp"

#include <algorithm>

#include "core/wide.hpp"

namespace treekernels {

template <class Real, class Bits>
void ConstraintTables<Real, Bits>::choose(std::span<const std::uint32_t> pairs, const PlaceholderPairs& all) {
    bits_ = pairs.size() + 1;
    bit_of_.assign(all.size(), kNone);
    if (pairs.empty()) return;
    with_left_.assign(all.left_count(), Bits(bits_));
    with_right_.assign(all.right_count(), Bits(bits_));
    for (std::uint32_t bit = 0; bit < pairs.size(); ++bit) {
        bit_of_[pairs[bit]] = bit;
        with_left_[all.left(pairs[bit])].set(bit);
        with_right_[all.right(pairs[bit])].set(bit);
    }
    contradicted_by_.clear();
    for (std::uint32_t bit = 0; bit < pairs.size(); ++bit) {
        Bits others = with_left_[all.left(pairs[bit])];
        others |= with_right_[all.right(pairs[bit])];
        others.reset(bit);
        contradicted_by_.push_back(others);
    }
}

// product_ *= 1 + table
template <class Real, class Bits>
void ConstraintTables<Real, Bits>::multiply(const Table& table, Effort& effort) {
    effort.products(product_.size() * (table.end - table.begin + 1));
    next_.clear();
    const Real unconstrained = Real(1.0) + table.unconstrained;
    for (const Term& mine : product_.terms()) {
        next_.add(mine.pairs, mine.contradicted, mine.weight * unconstrained);
        for (std::size_t i = table.begin; i < table.end; ++i) {
            const Term& other = terms_[i];
            if (mine.pairs.meets(other.contradicted)) continue;
            Bits pairs = mine.pairs, contradicted = mine.contradicted;
            pairs |= other.pairs;
            contradicted |= other.contradicted;
            next_.add(pairs, contradicted, mine.weight * other.weight);
        }
        effort.terms(next_.size());
    }
    std::swap(product_, next_);
}

template <class Real, class Bits>
void ConstraintTables<Real, Bits>::sum_up(const Part& part, Sum& total, Effort& effort) {
    const SideMatches& side = part.side;
    const Bits none(bits_);
    Real unconstrained = part.plain ? *part.plain : Real(0.0);
    total.clear();
    terms_.clear();
    tables_.resize(std::max(tables_.size(), side.matches().size()));
    for (const std::uint32_t number : part.matches) {
        const Match& match = side.matches()[number];
        Real factor(decay_);
        factors_.clear();
        for (std::uint32_t child : side.children(match)) {
            const Table& table = tables_[child];
            if (table.begin == table.end)
                factor *= Real(1.0) + table.unconstrained;
            else
                factors_.push_back(table);
        }
        Bits pairs = none, contradicted = none;
        for (std::uint32_t pair : side.pairs(match)) {
            if (bit_of_[pair] == kNone) continue;
            pairs.set(bit_of_[pair]);
            contradicted |= contradicted_by_[bit_of_[pair]];
        }
        // The free bit tells fragments with placeholders, though none that matters, from those without.
        if (part.plain && !side.pairs(match).empty()) pairs.set(bits_ - 1);
        Table& table = tables_[number];
        table = {Real(0.0), terms_.size(), terms_.size()};
        if (factors_.empty() && pairs.empty()) {
            table.unconstrained = factor;
            if (!part.plain) unconstrained += factor * Real(match.count);
            continue;
        }
        if (factors_.empty()) {
            terms_.push_back({pairs, contradicted, factor});
            table.end = terms_.size();
            total.add(pairs, contradicted, factor * Real(match.count));
            effort.terms(std::max(terms_.size(), total.size()));
            continue;
        }
        product_.clear();
        product_.add(pairs, contradicted, factor);
        for (const Table& child : factors_) multiply(child, effort);
        for (const Term& term : product_.terms()) {
            if (term.pairs.empty()) {
                table.unconstrained = term.weight;
                if (part.plain) continue;
            } else {
                terms_.push_back(term);
            }
            total.add(term.pairs, term.contradicted, term.weight * Real(match.count));
        }
        table.end = terms_.size();
        effort.terms(std::max(terms_.size(), total.size()));
        effort.products(product_.size());
    }
    if (!(unconstrained == Real(0.0))) total.add(none, none, unconstrained);
}

template <class Real, class Bits>
Real ConstraintTables<Real, Bits>::total(const Part& part, Effort& effort) {
    sum_up(part, text_total_, effort);
    return text_total_.size() == 0 ? Real(0.0) : text_total_.terms().front().weight;
}

// The sum of weight * weight over the terms of both sides that do not contradict each other.
template <class Real, class Bits>
Real ConstraintTables<Real, Bits>::agreeing(Effort& effort) {
    constexpr std::size_t kWorthProjecting = 1024;
    const Sum* texts = &text_total_;
    const Sum* hypotheses = &hypothesis_total_;
    if (texts->size() * hypotheses->size() > kWorthProjecting) {
        // Of the texts' pairs only those matter that some hypothesis pair contradicts; terms that differ in others
        // become one. The same the other way round, where what counts is what a term contradicts.
        Bits contradicted(bits_), present(bits_);
        for (const Term& term : hypotheses->terms()) contradicted |= term.contradicted;
        projected_.clear();
        for (const Term& term : texts->terms()) {
            Bits pairs = term.pairs;
            pairs &= contradicted;
            present |= pairs;
            projected_.add(pairs, pairs, term.weight);
        }
        next_.clear();
        for (const Term& term : hypotheses->terms()) {
            Bits against = term.contradicted;
            against &= present;
            next_.add(against, against, term.weight);
        }
        texts = &projected_;
        hypotheses = &next_;
    }
    Real result(0.0);
    for (const Term& text : texts->terms()) {
        effort.products(hypotheses->size());
        Real partners(0.0);
        for (const Term& hypothesis : hypotheses->terms())
            if (!text.pairs.meets(hypothesis.contradicted)) partners += hypothesis.weight;
        result += text.weight * partners;
    }
    return result;
}

template <class Real, class Bits>
Real ConstraintTables<Real, Bits>::join(const Part& texts, const Part& hypotheses, Effort& effort) {
    sum_up(texts, text_total_, effort);
    if (text_total_.size() == 0) return Real(0.0);
    sum_up(hypotheses, hypothesis_total_, effort);
    return agreeing(effort);
}

template <class Real, class Bits>
Real ConstraintTables<Real, Bits>::join_by_one(const Part& free, const Part& tabulated, Effort& effort) {
    sum_up(tabulated, text_total_, effort);
    std::vector<Real> values(free.side.matches().size(), Real(0.0));
    std::vector<Bits> pairs(free.side.matches().size(), Bits(bits_));
    for (std::uint32_t match : free.matches)
        for (std::uint32_t pair : free.side.pairs(free.side.matches()[match]))
            if (bit_of_[pair] != kNone) pairs[match].set(bit_of_[pair]);
    Real result(0.0);
    for (const Term& term : text_total_.terms()) {
        effort.products(free.matches.size());
        Real partners(0.0);
        for (std::uint32_t number : free.matches) {
            values[number] = Real(0.0);
            if (pairs[number].meets(term.contradicted)) continue;
            const Match& match = free.side.matches()[number];
            values[number] = Real(decay_);
            for (std::uint32_t child : free.side.children(match)) values[number] *= Real(1.0) + values[child];
            partners += values[number] * Real(match.count);
        }
        result += term.weight * partners;
    }
    return result;
}

template class ConstraintTables<double, Bits64>;
template class ConstraintTables<double, ManyBits>;
template class ConstraintTables<Wide, Bits64>;
template class ConstraintTables<Wide, ManyBits>;

}  // namespace treekernels
