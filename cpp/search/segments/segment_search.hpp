// Which columns of a segment are worth comparing with a query, and their values.
#pragma once

#include <span>
#include <vector>

#include "search/tree_bounds.hpp"
#include "search/values/evaluator.hpp"

namespace treekernels {

// A query that is ready to be compared: not large, and with fragments.
struct Query {
    const QueryTree& tree;
    // By group and by feature: the kind and the feature in the segment, or kNone.
    std::span<const NodeKind> kinds;
    std::span<const Feature> features;
    bool normalize;
    // Only columns before this one are looked at.
    std::uint32_t end = kNone;
};

// Belongs to one thread, and may be used for one segment and query after the other.
class SegmentSearch {
public:
    explicit SegmentSearch(const FragmentRule& rule) : evaluator_(rule) {}

    // Calls offer(column, value) for the columns whose value may be `threshold()` at least, and returns; the others are
    // below it. `probe` is how many of the most promising are looked at first, because the threshold may rise by them.
    template <class Threshold, class Offer>
    void run(const Segment& segment, const Query& query, std::size_t probe, Threshold threshold, Offer offer,
             const Task& task) {
        const End end{*this};
        begin(segment, query, probe > 0);
        if (probe > 0) {
            add_parts([&] { return rest_square() <= 0.5 * whole_square_; }, task);
            for (std::uint32_t column : most_promising(probe)) offer(column, value(column, task));
        }
        add_parts([&] { return highest_unseen() < threshold(); }, task);
        // Nothing new can come from the parts that are left, but they may rule out what is there.
        add_short_parts(task);
        collect(threshold());
        rule_out(threshold(), task);
        offer_candidates(threshold, offer, task);
    }

    // The same for a threshold that stays, where no other columns than those that `visit` calls its argument for may
    // reach it. It may do so several times.
    template <class Visit, class Offer>
    void run_among(const Segment& segment, const Query& query, Visit visit, double threshold, Offer offer,
                   const Task& task) {
        const End end{*this};
        begin(segment, query, false);
        visit([&](std::uint32_t column) {
            PartialBound& bound = bounds_[column];
            if (bound.squares != 0.0F) return;
            bound.squares = std::numeric_limits<float>::min();  // as good as nothing, to know it again
            met_.push_back(column);
        });
        listed_.assign(met_.begin(), met_.end());
        std::ranges::sort(listed_);
        rule_out(threshold, task);
        offer_candidates([&] { return threshold; }, offer, task);
    }

private:
    struct Part {
        Feature feature;
        float weight;
        double gain;  // what it is worth to look at it
    };
    struct Candidate {
        double bound;
        std::uint32_t column;
        bool operator<(const Candidate& other) const {
            return bound != other.bound ? bound < other.bound : column > other.column;
        }
    };
    struct End {
        SegmentSearch& search;
        ~End() { search.end(); }
    };

    static constexpr std::size_t kFew = 4;  // candidates, which are sooner compared than ruled out

    void begin(const Segment& segment, const Query& query, bool may_meet_all);
    void end();

    template <class Enough>
    void add_parts(Enough enough, const Task& task) {
        for (; next_part_ < parts_.size() && !enough(); ++next_part_) {
            task.check();
            add_part(parts_[next_part_]);
        }
    }
    void add_part(const Part& part);
    template <class Add>
    void visit_postings(const Part& part, Add add) const;
    // Calls visit(column) for the columns that may have a bound.
    template <class Visit>
    void visit_met(Visit visit) const;
    // Adds those of the parts that are left which are not much longer than the list of columns that were met, to these.
    void add_short_parts(const Task& task);
    void sum_rest(std::size_t first);
    // Of the parts that were not looked at yet.
    double rest_square() const { return rest_squares_[next_part_]; }
    // No column that was not met has a larger value.
    double highest_unseen() const;
    double bound(std::uint32_t column) const;
    // For normalised values.
    BoundTest bound_test(double threshold) const;
    // Lists the columns that may reach the threshold, ascending.
    void collect(double threshold);
    // Adds one part to those that are listed, and strikes off those that cannot reach the threshold any more.
    void refine(double threshold);
    // Does so as long as there are more than a few.
    void rule_out(double threshold, const Task& task) {
        while (next_part_ < parts_.size() && listed_.size() > kFew) {
            task.check();
            refine(threshold);
        }
    }
    template <class Threshold, class Offer>
    void offer_candidates(Threshold threshold, Offer offer, const Task& task) {
        make_heap();
        for (std::uint32_t column; next_candidate(threshold(), column);) offer(column, value(column, task));
    }
    void make_heap();
    std::vector<std::uint32_t> most_promising(std::size_t count);
    // The one with the largest bound, unless that is below the threshold.
    bool next_candidate(double threshold, std::uint32_t& column);
    double value(std::uint32_t column, const Task& task);

    Evaluator evaluator_;
    const Segment* segment_ = nullptr;
    const Query* query_ = nullptr;
    double query_scale_ = 0.0;  // inverse root of the query's norm, or 1
    std::vector<Part> parts_;
    std::vector<double> rest_squares_;
    std::size_t next_part_ = 0;
    double whole_square_ = 0.0;
    std::vector<PartialBound> bounds_;  // by column
    // Where most columns have a bound, all of them are gone through instead of keeping a list of those that do.
    bool meets_all_ = false;
    std::uint32_t end_ = 0;
    std::vector<std::uint32_t> met_;     // columns with a bound
    std::vector<std::uint32_t> listed_;  // columns that may reach the threshold
    std::vector<Candidate> candidates_;  // the same, as a heap
};

}  // namespace treekernels
