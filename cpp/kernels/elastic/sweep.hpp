// One bottom-up pass of the elastic tree kernel: the vectors A(., y) of the columns for some row trees.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "core/errors.hpp"
#include "gram/vector_sum.hpp"
#include "kernels/elastic/ancestors.hpp"
#include "kernels/elastic/column_nodes.hpp"
#include "kernels/elastic/elastic.hpp"
#include "kernels/elastic/lanes.hpp"
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
          inner_lanes_(similarity_.label_count()),
          base_of_(similarity_.label_count(), nullptr) {}

    // Takes some trees side by side: what is done for each y is then shared among them.
    void load(std::span<const std::uint32_t> trees) {
        for (const std::uint32_t used : classes_) {
            class_lanes_[used].clear();
            inner_lanes_[used].clear();
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
            if (!lanes_.children(x).empty()) inner_lanes_[label_class].push_back(x);
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
        std::size_t work = 0;
        for (std::size_t number = 0; number < step_count; ++number) {
            if ((work += lanes) > 4096) {
                task.check();
                work = 0;
            }
            const ElasticStep& step = plan.steps()[number];
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

    // The part of A(., y) that a node y has for its label alone. It is kept for the next y with that label, unless the
    // vectors are long and, as may be, many; then it lasts until the next call.
    const Real* base_vector(Label label) {
        if (label == kNone) return zeros_.data();
        if (base_of_[label]) return base_of_[label];
        for_matching(label, class_lanes_, [&](std::uint32_t x, double weight) { raise(x, Real(weight)); });
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
    void for_matching(Label label, const std::vector<std::vector<std::uint32_t>>& class_lanes, Found found) const {
        if (all_pairs_) {
            for (std::uint32_t x = 0; x < lanes_.size(); ++x) {
                const double similarity = similarity_(lanes_.label(x), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        } else if (similarity_.is_identity()) {
            for (std::uint32_t x : class_lanes[label]) found(x, decay_);
        } else {
            for (std::uint32_t x : class_lanes[similarity_.class_of(label)]) {
                const double similarity = similarity_(lanes_.label(x), label);
                if (similarity != 0.0) found(x, similarity * decay_);
            }
        }
    }

    // What matching children add to C(x, y), for all x, if y has this label.
    void add_matches(Label label, Real* sum, const Task& task) {
        ordered_(columns_, task, [&](auto sum_with) {
            for_matching(label, inner_lanes_, [&](std::uint32_t x, double weight) {
                if (!lanes_.children(x).empty()) raise(x, Real(weight) * sum_with(lanes_.children(x)));
            });
        });
        spread(sum);
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
    std::vector<std::vector<std::uint32_t>> inner_lanes_;  // without the leaves
    std::vector<std::uint32_t> classes_;
    std::vector<const Real*> base_of_;
    std::vector<Label> based_;
    std::deque<std::vector<Real>> bases_;
    std::vector<Real> passing_;
    std::vector<Real> zeros_;
    std::vector<Real> sums_;
    std::vector<const Real*> vectors_;  // by slot: into sums_, bases_ or zeros_
    std::vector<const Real*> columns_;
    std::vector<Raised<Real>> raised_;  // only the first so many; there is room for all lanes
    std::size_t raised_count_ = 0;
    OrderedSum<Real> ordered_;
};

}  // namespace treekernels
