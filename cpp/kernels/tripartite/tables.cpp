#include "kernels/tripartite/tables.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/errors.hpp"
#include "core/wide.hpp"

namespace treekernels {

namespace {

// Beyond these, a comparison is taken apart.
constexpr std::uint64_t kFewProducts = 20000;
constexpr std::size_t kFewTerms = 1000;
// Beyond these, some seconds and 200 MB, it is given up.
constexpr std::uint64_t kMostProducts = std::uint64_t{1} << 28;
constexpr std::size_t kMostTerms = std::size_t{1} << 21;
// With more contradicting pairs of placeholders than this, one table is better than two.
constexpr std::size_t kWorthOneTable = 8;

}  // namespace

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

template <class Real>
Real TableWorker<Real>::operator()(std::size_t a, std::size_t b, const Task& task) {
    common_.find(examples_, a, b, task);
    if (common_.texts.matches().empty() || common_.hypotheses.matches().empty()) return Real(0.0);
    find_contradicting();
    try {
        return all_at_once(nullptr, nullptr, task);
    } catch (const Effort::Exceeded&) {
    }
    try {
        return part_by_part(task);
    } catch (const Effort::Exceeded&) {
        throw TooLarge(
            "two sentence pairs agree in too many different ways for the tripartite kernel (the number of ways can "
            "grow "
            "exponentially with their placeholders): give them fewer, as by pairs.limited(10)");
    }
}

template <class Real>
Real TableWorker<Real>::operator()(std::size_t a, std::size_t b, const Known& texts, const Known& hypotheses,
                                   const Task& task) {
    common_.pairs.reset(examples_.placeholder_count(a), examples_.placeholder_count(b));
    const auto find = [&](SideMatches& matches, const AnchoredTrees& trees, const Known& side) {
        if (side.all_simple)
            matches.take_simple(side.seeds, decay_, common_.pairs);
        else
            matches.find_anchored(trees, a, b, side.seeds, common_.pairs, task);
    };
    find(common_.texts, examples_.texts(), texts);
    find(common_.hypotheses, examples_.hypotheses(), hypotheses);
    find_contradicting();
    if (chosen_.empty())
        return without_contradictions(common_.texts, texts.plain) *
               without_contradictions(common_.hypotheses, hypotheses.plain);
    try {
        return all_at_once(&texts.plain, &hypotheses.plain, task);
    } catch (const Effort::Exceeded&) {
        return (*this)(a, b, task);
    }
}

// The weight of all fragments of one side, when those without placeholders are known already.
template <class Real>
Real TableWorker<Real>::without_contradictions(const SideMatches& side, Real plain) {
    values_.clear();
    for (const Match& match : side.matches()) {
        Real all(decay_), unanchored(decay_);
        for (std::uint32_t child : side.children(match)) {
            all *= Real(1.0) + values_[child].first;
            unanchored *= Real(1.0) + values_[child].second;
        }
        if (!side.pairs(match).empty()) unanchored = Real(0.0);
        values_.emplace_back(all, unanchored);
        plain += (all - unanchored) * Real(match.count);
    }
    return plain;
}

// Which of some pairs of placeholders contradict others of them.
template <class Real>
void TableWorker<Real>::choose_contradicting(std::span<const std::uint32_t> pairs) {
    const PlaceholderPairs& all = common_.pairs;
    chosen_.clear();
    if (pairs.size() < 2) return;
    for (std::uint32_t pair : pairs) {
        ++left_uses_[all.left(pair)];
        ++right_uses_[all.right(pair)];
    }
    for (std::uint32_t pair : pairs)
        if (left_uses_[all.left(pair)] > 1 || right_uses_[all.right(pair)] > 1) chosen_.push_back(pair);
    for (std::uint32_t pair : pairs) left_uses_[all.left(pair)] = right_uses_[all.right(pair)] = 0;
}

// Which of all pairs of placeholders contradict others.
template <class Real>
void TableWorker<Real>::find_contradicting() {
    const std::size_t most =
        std::max({common_.texts.matches().size(), common_.hypotheses.matches().size(), common_.pairs.size()});
    while (numbers_.size() < most) numbers_.push_back(static_cast<std::uint32_t>(numbers_.size()));
    if (left_uses_.size() < common_.pairs.left_count()) left_uses_.resize(common_.pairs.left_count());
    if (right_uses_.size() < common_.pairs.right_count()) right_uses_.resize(common_.pairs.right_count());
    choose_contradicting(std::span(numbers_).first(common_.pairs.size()));
}

template <class Real>
Real TableWorker<Real>::all_at_once(const Real* plain_texts, const Real* plain_hypotheses, const Task& task) {
    const std::size_t texts = common_.texts.matches().size(), hypotheses = common_.hypotheses.matches().size();
    const std::span<const std::uint32_t> numbers(numbers_);
    if (chosen_.size() > 63) throw Effort::Exceeded();
    Effort effort(kFewProducts, kFewTerms, task);
    tables_.choose(chosen_, common_.pairs);
    return tables_.join({common_.texts, numbers.first(texts), plain_texts},
                        {common_.hypotheses, numbers.first(hypotheses), plain_hypotheses}, effort);
}

template <class Real>
auto TableWorker<Real>::parts_of(const SideMatches& side, Effort& effort) -> std::vector<Part> {
    // Union-find over parent and child; a match that two parents share joins them.
    std::vector<std::uint32_t> leader(side.matches().size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](std::uint32_t match) {
        while (leader[match] != match) match = leader[match] = leader[leader[match]];
        return match;
    };
    for (std::uint32_t match = 0; match < leader.size(); ++match)
        for (std::uint32_t child : side.children(side.matches()[match])) leader[find(child)] = find(match);
    std::map<std::uint32_t, Part> by_leader;
    for (std::uint32_t match = 0; match < leader.size(); ++match) {
        Part& part = by_leader[find(match)];
        part.matches.push_back(match);
        for (std::uint32_t pair : side.pairs(side.matches()[match])) part.pairs.push_back(pair);
    }
    std::map<std::vector<std::uint32_t>, Part> by_pairs;
    for (auto& [first, part] : by_leader) {
        std::ranges::sort(part.pairs);
        part.pairs.erase(std::ranges::unique(part.pairs).begin(), part.pairs.end());
        Part& whole = by_pairs[part.pairs];
        whole.matches.insert(whole.matches.end(), part.matches.begin(), part.matches.end());
    }
    std::vector<Part> parts;
    for (auto& [pairs, part] : by_pairs) {
        part.pairs = pairs;
        std::ranges::sort(part.matches);
        choose_contradicting(pairs);
        part.contradictory = !chosen_.empty();
        if (!part.contradictory) {
            tables_.choose({}, common_.pairs);
            part.total = tables_.total({side, part.matches}, effort);
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

template <class Real>
Real TableWorker<Real>::joined(const Part& text, const Part& hypothesis, Effort& effort) {
    both_.clear();
    std::ranges::set_union(text.pairs, hypothesis.pairs, std::back_inserter(both_));
    choose_contradicting(both_);
    if (chosen_.empty()) return text.total * hypothesis.total;
    effort.products(text.matches.size() + hypothesis.matches.size());
    const auto join = [&](auto& tables) {
        tables.choose(chosen_, common_.pairs);
        if (chosen_.size() > kWorthOneTable && !text.contradictory && !hypothesis.contradictory) {
            const bool fewer = text.pairs.size() < hypothesis.pairs.size();
            return fewer ? tables.join_by_one({common_.hypotheses, hypothesis.matches}, {common_.texts, text.matches},
                                              effort)
                         : tables.join_by_one({common_.texts, text.matches}, {common_.hypotheses, hypothesis.matches},
                                              effort);
        }
        return tables.join({common_.texts, text.matches}, {common_.hypotheses, hypothesis.matches}, effort);
    };
    if (chosen_.size() <= 63) return join(tables_);
    ConstraintTables<Real, ManyBits> tables(decay_);
    return join(tables);
}

template <class Real>
Real TableWorker<Real>::part_by_part(const Task& task) {
    Effort effort(kMostProducts, kMostTerms, task);
    const std::vector<Part> texts = parts_of(common_.texts, effort);
    const std::vector<Part> hypotheses = parts_of(common_.hypotheses, effort);
    Real result(0.0);
    for (const Part& text : texts) {
        effort.products(hypotheses.size());
        Real partners(0.0);  // so that small values are not added to a large one one by one
        for (const Part& hypothesis : hypotheses) partners += joined(text, hypothesis, effort);
        result += partners;
    }
    return result;
}

template class TableWorker<double>;
template class TableWorker<Wide>;

}  // namespace treekernels
