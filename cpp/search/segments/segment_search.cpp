#include "search/segments/segment_search.hpp"

#include "core/wide.hpp"

namespace treekernels {

namespace {

// The bound of a column that has been looked at.
constexpr float kDone = -std::numeric_limits<float>::infinity();

}  // namespace

void SegmentSearch::begin(const Segment& segment, const Query& query, bool may_meet_all) {
    segment_ = &segment;
    query_ = &query;
    meets_all_ = false;  // until there is room for all bounds: end() relies on it, also if memory runs out
    evaluator_.begin(segment, query.tree, query.kinds);
    query_scale_ = query.normalize ? inverse_root(query.tree.norm()) : 1.0;
    parts_.clear();
    next_part_ = 0;
    end_ = static_cast<std::uint32_t>(std::min<std::size_t>(query.end, segment.column_count()));
    double all_postings = 0.0;
    for (std::size_t own = 0; own < query.features.size(); ++own) {
        const Feature feature = query.features[own];
        if (feature == kNone || query.tree.feature_norm(own) == 0.0) continue;
        const float weight = part_weight(query.tree.feature_norm(own), query.tree.norm());
        const double postings = static_cast<double>(segment.postings(feature).columns.size());
        parts_.push_back({feature, weight, static_cast<double>(weight) * weight / (postings + 16.0)});
        all_postings += postings;
    }
    // First what rules most trees out for the least work.
    std::ranges::sort(parts_, [](const Part& a, const Part& b) {
        return a.gain != b.gain ? a.gain > b.gain : a.feature < b.feature;
    });
    rest_squares_.assign(parts_.size() + 1, 0.0);
    sum_rest(0);
    whole_square_ = rest_squares_[0];
    if (bounds_.size() < segment.column_count()) bounds_.resize(segment.column_count());
    meets_all_ = may_meet_all && all_postings >= 2.0 * end_;
}

void SegmentSearch::end() {
    evaluator_.end();
    if (meets_all_)
        std::fill_n(bounds_.begin(), end_, PartialBound{});
    else
        for (std::uint32_t column : met_) bounds_[column] = {};
    met_.clear();
    candidates_.clear();
}

template <class Visit>
void SegmentSearch::visit_met(Visit visit) const {
    if (meets_all_)
        for (std::uint32_t column = 0; column < end_; ++column) visit(column);
    else
        for (std::uint32_t column : met_) visit(column);
}

template <class Add>
void SegmentSearch::visit_postings(const Part& part, Add add) const {
    const auto [columns, weights] = segment_->postings(part.feature);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::uint32_t column = columns[i];
        if (column >= end_) break;
        add(column, weights[i]);
    }
}

void SegmentSearch::add_part(const Part& part) {
    if (meets_all_)
        visit_postings(part, [&](std::uint32_t column, float weight) { bounds_[column].add(part.weight, weight); });
    else
        visit_postings(part, [&](std::uint32_t column, float weight) {
            PartialBound& bound = bounds_[column];
            if (bound.squares == 0.0F) met_.push_back(column);
            bound.add(part.weight, weight);
        });
}

void SegmentSearch::sum_rest(std::size_t first) {
    for (std::size_t i = parts_.size(); i-- > first;)
        rest_squares_[i] = rest_squares_[i + 1] + static_cast<double>(parts_[i].weight) * parts_[i].weight;
}

void SegmentSearch::add_short_parts(const Task& task) {
    const auto length = [this](const Part& part) { return segment_->postings(part.feature).columns.size(); };
    std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(next_part_), parts_.end(),
              [&](const Part& a, const Part& b) {
                  const std::size_t x = length(a), y = length(b);
                  return x != y ? x < y : a.feature < b.feature;
              });
    sum_rest(next_part_);
    for (; next_part_ < parts_.size() && (meets_all_ || length(parts_[next_part_]) <= 4 * met_.size()); ++next_part_) {
        task.check();
        const Part& part = parts_[next_part_];
        if (meets_all_)
            add_part(part);
        else
            visit_postings(part, [&](std::uint32_t column, float weight) {
                if (bounds_[column].squares != 0.0F) bounds_[column].add(part.weight, weight);
            });
    }
}

BoundTest SegmentSearch::bound_test(double threshold) const {
    const double square = next_part_ == parts_.size() ? 0.0 : rest_square() * (1.0 + 1e-5);
    return BoundTest(threshold, square, PartialBound::slack(parts_.size()));
}

double SegmentSearch::highest_unseen() const {
    if (next_part_ == parts_.size()) return 0.0;
    const double rest = std::sqrt(rest_square()) * (1.0 + 1e-6);
    return query_->normalize ? rest : rest * std::sqrt(query_->tree.norm() * segment_->largest_norm());
}

double SegmentSearch::bound(std::uint32_t column) const {
    const double rest = next_part_ == parts_.size() ? 0.0 : std::sqrt(rest_square()) * (1.0 + 1e-6);
    const double unit = bounds_[column].value(rest, PartialBound::slack(parts_.size()));
    return query_->normalize ? unit : unit * std::sqrt(query_->tree.norm()) * std::sqrt(segment_->norm(column));
}

std::vector<std::uint32_t> SegmentSearch::most_promising(std::size_t count) {
    // What is known so far is enough to choose by: no answer depends on it.
    std::vector<std::pair<float, std::uint32_t>> best;
    const auto worse = [](const auto& a, const auto& b) { return a.first > b.first; };
    visit_met([&](std::uint32_t column) {
        const float products = bounds_[column].products;
        if (products == 0.0F) return;
        if (best.size() < count) {
            best.emplace_back(products, column);
            std::push_heap(best.begin(), best.end(), worse);
        } else if (products > best.front().first) {
            std::pop_heap(best.begin(), best.end(), worse);
            best.back() = {products, column};
            std::push_heap(best.begin(), best.end(), worse);
        }
    });
    std::vector<std::uint32_t> columns;
    for (const auto& [products, column] : best) columns.push_back(column);
    return columns;
}

void SegmentSearch::collect(double threshold) {
    // Without a branch, which could not be foreseen.
    listed_.resize(meets_all_ ? end_ : met_.size());
    std::size_t count = 0;
    const BoundTest may_reach = bound_test(threshold);
    const bool any = !query_->normalize;
    visit_met([&](std::uint32_t column) {
        const PartialBound& bound = bounds_[column];
        listed_[count] = column;
        count += (bound.squares != 0.0F) & (bound.products != kDone) & (any | may_reach(bound));
    });
    listed_.resize(count);
    if (!std::ranges::is_sorted(listed_)) std::ranges::sort(listed_);
}

void SegmentSearch::refine(double threshold) {
    const Part& part = parts_[next_part_++];
    const auto [columns, weights] = segment_->postings(part.feature);
    const BoundTest may_reach = bound_test(threshold);
    const bool few = 16 * listed_.size() < columns.size();
    auto place = columns.begin();
    std::size_t kept = 0;
    for (const std::uint32_t column : listed_) {
        PartialBound& bound = bounds_[column];
        if (few) {
            // By steps of doubling size.
            std::ptrdiff_t step = 1;
            while (step < columns.end() - place && place[step] < column) step *= 2;
            place = std::lower_bound(place, place + std::min(step + 1, columns.end() - place), column);
        } else {
            while (place != columns.end() && *place < column) ++place;
        }
        if (place != columns.end() && *place == column) {
            const float weight = weights[static_cast<std::size_t>(place - columns.begin())];
            bound.add(part.weight, weight);
        }
        if (may_reach(bound) || !query_->normalize) listed_[kept++] = column;
    }
    listed_.resize(kept);
}

void SegmentSearch::make_heap() {
    candidates_.clear();
    for (std::uint32_t column : listed_) candidates_.push_back({bound(column), column});
    std::make_heap(candidates_.begin(), candidates_.end());
}

bool SegmentSearch::next_candidate(double threshold, std::uint32_t& column) {
    if (candidates_.empty() || candidates_.front().bound < threshold) return false;
    column = candidates_.front().column;
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    return true;
}

double SegmentSearch::value(std::uint32_t column, const Task& task) {
    bounds_[column].products = kDone;
    const Node root = segment_->root(column);
    const double raw = evaluator_.value(root, task);
    if (!query_->normalize) return raw;
    const double value = raw * query_scale_ * inverse_root(segment_->norm(column));
    if (value > 1.0 - 1e-9 && evaluator_.is_equal(root)) return 1.0;
    return value < 1.0 ? value : 1.0;
}

}  // namespace treekernels
