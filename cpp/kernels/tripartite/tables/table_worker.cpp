#include "kernels/tripartite/tables/table_worker.hpp"

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
        part.pairs.erase(std::unique(part.pairs.begin(), part.pairs.end()), part.pairs.end());
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
