// One bottom-up pass of the elastic tree kernel: the vectors A(., y) of the columns for some row trees.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "core/errors.hpp"
#include "gram/vector_sum.hpp"
#include "kernels/elastic/ancestors.hpp"
#include "kernels/elastic/column_nodes.hpp"
#include "kernels/elastic/elastic.hpp"
#include "kernels/elastic/lanes.hpp"
#include "kernels/elastic/matching.hpp"
#include "kernels/elastic/ordered_sum.hpp"

namespace treekernels {

// Computes A(., y) for the subtrees x of some row trees.
template <class Real>
class ElasticSweep {
public:
    ElasticSweep(const ElasticRowTrees& rows, const ElasticParameters& parameters, bool all_pairs)
        : similarity_(*parameters.similarity),
          decay_(parameters.decay),
          all_pairs_(all_pairs),
          lanes_(rows),
          ancestors_(lanes_),
          class_lanes_(similarity_.label_count()),
          matching_(similarity_.label_count()),
          base_of_(similarity_.label_count(), nullptr) {}

    // Takes some trees side by side: what is done for each y is then shared among them.
    void load(std::span<const std::uint32_t> trees) {
        for (const std::uint32_t used : classes_) {
            class_lanes_[used].clear();
            matching_[used].reset();
        }
        for (const Label used : based_) base_of_[used] = nullptr;
        classes_.clear();
        based_.clear();
        bases_.clear();
        lanes_.load(trees);
        ancestors_.load();
        for (std::uint32_t x = 0; x < lanes_.size(); ++x) {
            const Label label = lanes_.label(x);
            if (label == kNone) continue;
            const std::uint32_t label_class = similarity_.class_of(label);
            if (class_lanes_[label_class].empty()) classes_.push_back(label_class);
            class_lanes_[label_class].push_back(x);
        }
        zeros_.assign(ancestors_.width(), Real(0.0));
        raised_.resize(lanes_.size());
    }
    // The lanes of the roots of the loaded trees.
    std::span<const std::uint32_t> roots() const { return lanes_.roots(); }

    // Takes the first steps in turn and calls found(step, A(., y)).
    template <class Found>
    void run(const ElasticColumns& plan, std::size_t step_count, Found found, const Task& task) {
        const std::size_t lanes = zeros_.size();
        constexpr std::size_t kMostBytes = std::size_t{8} << 30;
        if (plan.slot_count() > kMostBytes / sizeof(Real) / lanes)
            throw TooLarge("the elastic tree kernel would need more than 8 GiB for a tree of " +
                           std::to_string(lanes_.size()) +
                           " different subtrees; use PartialTreeKernel, or smaller trees");
        if (sums_.size() < plan.slot_count() * lanes) sums_.resize(plan.slot_count() * lanes);
        vectors_.resize(std::max(vectors_.size(), plan.slot_count()));
        const std::uint32_t* child_slot = plan.child_slots();
        const std::uint32_t* const last_child_slot = child_slot + plan.child_slot_count();
        std::size_t work = 0;
        for (std::size_t number = 0; number < step_count; ++number) {
            if ((work += lanes) > 4096) {
                task.check();
                work = 0;
            }
            const ElasticStep& step = plan.steps()[number];
            if (child_slot + kAhead < last_child_slot) fetch_ahead(vectors_[child_slot[kAhead]], lanes);
            columns_.clear();
            for (std::uint32_t i = 0; i < step.child_count; ++i)
                if (const Real* column = vectors_[*child_slot++]; column != zeros_.data()) columns_.push_back(column);
            const Real* base = base_vector(step.label);
            Real* sum = sums_.data() + step.slot * lanes;
            if (columns_.empty() && base != passing_.data()) {  // many share such a vector
                vectors_[step.slot] = base;
            } else if (columns_.empty()) {
                std::copy_n(base, lanes, sum);
                vectors_[step.slot] = sum;
            } else {
                sum_columns(sum, base, columns_, lanes);
                if (base != zeros_.data()) add_matches(step.label, sum, task);
                vectors_[step.slot] = sum;
            }
            found(number, vectors_[step.slot]);
        }
    }

private:
    static constexpr std::size_t kMostKeptLanes = 1024;
    static constexpr std::size_t kAhead = 8;  // children

    // Most vectors are not in a near cache when they are needed. To ask for one early changes nothing else.
    static void fetch_ahead([[maybe_unused]] const Real* vector, [[maybe_unused]] std::size_t lanes) {
#ifdef __GNUC__
        constexpr std::size_t kLine = std::max<std::size_t>(1, 64 / sizeof(Real));
        for (std::size_t i = 0; i < std::min<std::size_t>(lanes, 128); i += kLine) __builtin_prefetch(vector + i);
#endif
    }

    // The part of A(., y) that a node y has for its label alone. It is kept for the next y with that label, unless the
    // vectors are long and, as may be, many; then it lasts until the next call.
    const Real* base_vector(Label label) {
        if (label == kNone) return zeros_.data();
        if (base_of_[label]) return base_of_[label];
        for_matching(label, [&](std::uint32_t x, double weight) { raise(x, static_cast<Real>(weight)); });
        const bool none = raised_count_ == 0;
        if (!none && lanes_.size() > kMostKeptLanes) {
            passing_.assign(zeros_.size(), Real(0.0));
            spread(passing_.data());
            return passing_.data();
        }
        based_.push_back(label);
        base_of_[label] = zeros_.data();
        if (none) return zeros_.data();
        auto& base = bases_.emplace_back(zeros_.size(), Real(0.0));
        spread(base.data());
        return base_of_[label] = base.data();
    }

    // The lanes that match a label, with the weight of the match.
    template <class Found>
    void for_matching(Label label, Found found) const {
        if (all_pairs_) {
            for (std::uint32_t x = 0; x < lanes_.size(); ++x) {
                const double similarity = similarity_(lanes_.label(x), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        } else if (similarity_.is_identity()) {
            for (std::uint32_t x : class_lanes_[label]) found(x, decay_);
        } else {
            for (std::uint32_t x : class_lanes_[similarity_.class_of(label)]) {
                const double similarity = similarity_(lanes_.label(x), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        }
    }

    // What matching children add to C(x, y), for all x, if y has this label.
    void add_matches(Label label, Real* sum, const Task& task) {
        if (all_pairs_ || !ancestors_.has_blocks()) {
            ordered_(columns_, task, [&](auto sum_with) {
                for_matching(label, [&](std::uint32_t x, double weight) {
                    if (!lanes_.children(x).empty()) raise(x, static_cast<Real>(weight) * sum_with(lanes_.children(x)));
                });
            });
            return spread(sum);
        }
        const MatchingLanes<Real>& matching = matching_lanes(similarity_.class_of(label));
        const auto& lanes = matching.lanes;
        if (lanes.empty()) return;
        if (values_.size() < lanes.size()) values_.resize(lanes.size());
        sum_few_children(matching, columns_, values_.data());
        if (matching.with_few() < lanes.size()) {
            ordered_(columns_, task, [&](auto sum_with) {
                for (std::size_t m = matching.with_few(); m < lanes.size(); ++m)
                    values_[m] = sum_with(lanes_.children(lanes[m]));
            });
        }
        if (similarity_.is_identity()) {
            const auto decay = static_cast<Real>(decay_);
            for (std::size_t m = 0; m < lanes.size(); ++m) values_[m] = values_[m] * decay;
        } else {
            for (std::size_t m = 0; m < lanes.size(); ++m)
                values_[m] = values_[m] * static_cast<Real>(similarity_(lanes_.label(lanes[m]), label) * decay_);
        }
        spread_values(matching, values_.data(), sum);
    }

    // Made when first asked for.
    const MatchingLanes<Real>& matching_lanes(std::uint32_t label_class) {
        auto& made = matching_[label_class];
        if (made) return *made;
        made = std::make_unique<MatchingLanes<Real>>();
        for (const std::size_t arity : {1, 2}) {
            for (std::uint32_t x : class_lanes_[label_class]) {
                const auto children = lanes_.children(x);
                if (children.size() != arity) continue;
                made->lanes.push_back(x);
                made->first_child.push_back(children.front());
                made->second_child.push_back(children.back());
            }
            if (arity == 1) made->with_one = made->lanes.size();
        }
        for (std::uint32_t x : class_lanes_[label_class])
            if (lanes_.children(x).size() > 2) made->lanes.push_back(x);
        for (std::uint32_t m = 0; m < made->lanes.size(); ++m)
            for (const auto& block : ancestors_.blocks(made->lanes[m])) {
                made->rises.push_back({m, block.number});
                made->ways.insert(made->ways.end(), std::begin(block.ways), std::end(block.ways));
            }
        return *made;
    }

    void raise(std::uint32_t x, Real value) {
        if (!(value == Real(0.0))) raised_[raised_count_++] = {x, value};
    }

    // Adds what has been raised to all lanes above it.
    void spread(Real* sum) {
        ancestors_.spread({raised_.data(), raised_count_}, sum);
        raised_count_ = 0;
    }

    const LabelSimilarity& similarity_;
    const double decay_;
    const bool all_pairs_;
    ElasticLanes lanes_;
    Ancestors<Real> ancestors_;
    std::vector<std::vector<std::uint32_t>> class_lanes_;
    std::vector<std::unique_ptr<MatchingLanes<Real>>> matching_;  // by class
    std::vector<Real> values_;                                    // of the matching lanes
    std::vector<std::uint32_t> classes_;
    std::vector<const Real*> base_of_;
    std::vector<Label> based_;
    std::deque<LineVector<Real>> bases_;
    LineVector<Real> passing_;
    LineVector<Real> zeros_;
    LineVector<Real> sums_;
    std::vector<const Real*> vectors_;  // by slot: into sums_, bases_ or zeros_
    std::vector<const Real*> columns_;
    std::vector<Raised<Real>> raised_;  // only the first so many; there is room for all lanes
    std::size_t raised_count_ = 0;
    OrderedSum<Real> ordered_;
};

}  // namespace treekernels
