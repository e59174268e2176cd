// One query among the vectors of a range, rare features first.
//
// With rest(t) for the part of the query's features that were not looked at after t of them, and left(x) for the part
// of a vector x that they have not met,
//
//   K(q, x) <= what was met of both + sqrt(K_rest(q, q) * K_left(x, x))
//
// by the Cauchy-Schwarz inequality. So once rest(t) alone is too small, vectors that were not met have no chance, and
// of those that were, only some have to be compared. The features that most trees have are rarely looked at at all.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/memory/room.hpp"
#include "search/counted/feature_columns.hpp"

namespace treekernels {

// A value as the kernel has it, from that of the vectors as they are.
inline double kernel_value(double dot, double norm, double other, bool normalize) {
    if (!normalize) {
        if (!std::isfinite(dot)) throw Overflow("a kernel value is too large for the result");
        return dot;
    }
    if (dot == 0.0) return 0.0;
    const double product = norm * other;
    const double root = product > 1e-280 && product < 1e280 ? std::sqrt(product) : std::sqrt(norm) * std::sqrt(other);
    return std::min(1.0, dot / root);
}

// Belongs to one thread, and may be used for one range and query after the other.
class CountedSearch {
public:
    // Calls offer(column, value) for each column before `before` whose value may reach threshold(), which may rise
    // meanwhile. With `wanted`, the best so many are compared early, so that it does.
    template <class Threshold, class Offer>
    void run(const FeatureVectors& vectors, const FeatureNames& names, const FeatureColumns& lists,
             const CountedTree& query, bool normalize, Column before, std::size_t wanted, Threshold threshold,
             Offer offer, const Task& task);

private:
    // Roundings go upwards by more than all errors of sums, and of counts in single precision.
    static constexpr double kSlack = 1e-6;

    struct Term {
        FeatureColumns::List list;
        double weighted;  // weight * count
        double weight;
        double rest;  // of the norm of the query in this term and all later ones
    };
    struct Met {
        double products = 0.0, squares = 0.0;
        bool met = false, compared = false;
    };

    void find_terms(const FeatureNames& names, const FeatureColumns& lists, const CountedTree& query, Column before);
    double bound(const Met& met, double norm, double rest) const {
        const double left = std::max(0.0, norm - met.squares * (1.0 - kSlack)) + norm * 1e-12;
        const double value = met.products * (1.0 + kSlack) + std::sqrt(rest * left);
        return normalize_ ? value / std::sqrt(norm) * inverse_root_ + 1e-12 : value * (1.0 + 1e-12);
    }

    bool normalize_ = true;
    double inverse_root_ = 1.0;  // of the norm of the query
    std::vector<Term> terms_;
    std::vector<std::pair<std::size_t, std::size_t>> order_;
    std::vector<Term> unsorted_;
    std::vector<Met> met_;  // by column of the range
    std::vector<Column> columns_, candidates_;
    std::vector<std::pair<double, Column>> ranked_;
};

template <class Threshold, class Offer>
void CountedSearch::run(const FeatureVectors& vectors, const FeatureNames& names, const FeatureColumns& lists,
                        const CountedTree& query, bool normalize, Column before, std::size_t wanted,
                        Threshold threshold, Offer offer, const Task& task) {
    normalize_ = normalize;
    inverse_root_ = normalize && query.norm > 0.0 ? 1.0 / std::sqrt(query.norm) : 1.0;
    find_terms(names, lists, query, before);
    if (terms_.empty()) return;
    const Column begin = lists.begin();
    if (met_.size() < lists.size()) met_.resize(lists.size());
    struct Forget {
        std::vector<Met>& met;
        std::vector<Column>& columns;
        Column begin;
        ~Forget() {
            for (Column column : columns) met[column - begin] = {};
            columns.clear();
        }
    } const forget{met_, columns_, begin};

    const auto compare = [&](Column column) {
        met_[column - begin].compared = true;
        offer(column, kernel_value(vectors.dot(query, column, names), query.norm, vectors.norm(column), normalize));
    };
    // All vectors that were met and not compared, the most promising first.
    const auto rank = [&](double rest, bool by_bound) {
        ranked_.clear();
        for (Column column : columns_) {
            const Met& met = met_[column - begin];
            if (!met.compared) ranked_.emplace_back(bound(met, vectors.norm(column), by_bound ? rest : 0.0), column);
        }
    };
    const auto better = [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    };

    std::size_t later = 0;  // entries of the lists that were not looked at
    for (const Term& term : terms_) later += term.list.columns.size();
    const double all = terms_.front().rest;
    const std::size_t cost = query.features.size() + vectors.entry_count() / std::max<std::size_t>(1, vectors.size());
    bool open = true;  // to vectors that were not met
    double next_look = 0.5;
    std::size_t t = 0;
    while (t < terms_.size()) {
        const double rest = terms_[t].rest * (1.0 + kSlack);
        if (terms_[t].rest <= next_look * all && !columns_.empty()) {
            next_look = terms_[t].rest / all / 2.5;
            if (wanted > 0 && wanted < columns_.size() / 4) {
                rank(rest, false);
                const std::size_t some = std::min(wanted, ranked_.size());
                std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(some), ranked_.end(),
                                 better);
                for (std::size_t i = 0; i < some; ++i) compare(ranked_[i].second);
            }
            if (!open) {
                const double least = threshold();
                std::size_t close = 0;
                for (Column column : columns_) {
                    const Met& met = met_[column - begin];
                    close += !met.compared && bound(met, vectors.norm(column), rest) >= least;
                }
                if (close * cost <= later) break;
            }
        }
        if (open) {
            const double most = normalize ? std::sqrt(rest) * inverse_root_ : std::sqrt(rest * lists.largest_norm());
            open = !(most * (1.0 + 1e-12) + 1e-12 < threshold());
            if (!open && columns_.empty()) return;
            if (!open) next_look = 1.0;  // whether there are few enough to compare them all
        }
        const Term& term = terms_[t++];
        task.check();
        const auto columns = term.list.columns;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i] >= before) break;
            Met& met = met_[columns[i] - begin];
            const double count = term.list.counts.empty() ? 1.0 : static_cast<double>(term.list.counts[i]);
            if (!met.met) {
                if (!open) continue;
                make_room(columns_, 1);
                columns_.push_back(columns[i]);
                met.met = true;
            }
            met.products += term.weighted * count;
            met.squares += term.weight * count * count;
        }
        later -= columns.size();
    }
    const double rest = t < terms_.size() ? terms_[t].rest * (1.0 + kSlack) : 0.0;
    rank(rest, true);
    const double least = threshold();
    std::erase_if(ranked_, [&](const auto& each) { return each.first < least; });
    if (wanted > 0) std::ranges::sort(ranked_, better);
    for (std::size_t i = 0; i < ranked_.size(); ++i) {
        if (i % 256 == 255) task.check();
        if (ranked_[i].first < threshold()) {
            if (wanted > 0) break;
            continue;
        }
        compare(ranked_[i].second);
    }
}

}  // namespace treekernels
