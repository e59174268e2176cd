// Answers for the trees of a support vector machine: adding a tree does the work, by the rows of its subtrees.
#include "core/memory/prefetch.hpp"
#include "kernels/subset/rows/raise.hpp"
#include "kernels/subset/weighted_forest.hpp"
#include "models/class_weights.hpp"

namespace treekernels {

namespace {

template <class Value>
TREEKERNELS_INLINE void add_run(double* to, const Value* values, std::size_t count, double decay, double factor) {
    for (std::size_t i = 0; i < count; ++i) to[i] += (static_cast<double>(values[i]) - decay) * factor;
}

class SubsetResponder final : public Responder {
public:
    SubsetResponder(SubsetParameters parameters, std::size_t outputs, const Dag& dag, std::size_t bytes)
        : parameters_(parameters),
          outputs_(outputs),
          dag_(dag),
          bytes_(bytes),
          reach_(dag),
          label_sums_(outputs),
          rows_(parameters_.uniform()) {}

    void insert(const TreeNodes& tree) override {
        reach_.add(tree.root());
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (parameters_.leaf_weight != 0.0 || !dag_.is_leaf(nodes[i]))
                parts_.push_back({reach_.place(nodes[i]), kNone, counts[i]});
        first_part_.push_back(parts_.size());
    }

    void finish(const Task& task) override {
        parameters_.resolve(dag_);
        layout_.assign(dag_, reach_.nodes(), [this](Production p) { return parameters_.decay_of(p); }, task);
        const std::size_t count = reach_.nodes().size();
        slot_.assign(count, kNone);
        group_.assign(count, kNone);
        slots_ = layout_.member_count();
        for (std::uint32_t place = 0; place < count; ++place) {
            const Node node = reach_.nodes()[place];
            if (dag_.is_leaf(node)) continue;
            group_[place] = layout_.find_group(dag_.production(node));
            slot_[place] = group(place).begin + layout_.rank(node);
        }
        for (Part& part : parts_) {
            const std::uint32_t place = part.slot;
            part.group = group_[place];
            part.slot = part.group == kNone ? dag_.label(reach_.nodes()[place]) : slot_[place];
        }
        responses_.assign(slots_ * outputs_, 0.0);
        group_sums_.assign(layout_.group_count() * outputs_, 0.0);
        rows_.cover(count);
    }

    void add(const TreeNodes& tree, const double* alpha, const Task& task) override {
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        // Mostly one or two of the outputs change.
        changed_.clear();
        for (std::uint32_t k = 0; k < outputs_; ++k)
            if (alpha[k] != 0.0) changed_.push_back(k);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            const std::uint32_t place = reach_.place(nodes[i]);
            if (group_[place] == kNone) {
                if (parameters_.leaf_weight != 0.0)
                    label_sums_.add(dag_.label(nodes[i]), parameters_.leaf_weight * counts[i], alpha);
                continue;
            }
            double* sums = group_sums_.data() + group_[place] * outputs_;
            const double decay = group(place).decay;
            for (std::uint32_t k : changed_) sums[k] += decay * counts[i] * alpha[k];
            if (rows_.find_kept(place)) continue;
            rows_.expect_use(place);  // by this
            visit_joins(nodes[i], [&](const SubsetJoin& join) { rows_.expect_use(join.child); });
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t place = reach_.place(nodes[i]);
            if (group_[place] == kNone) continue;
            task.check();
            if (const auto* kept = rows_.find_kept(place)) {
                respond<float>(place, counts[i], alpha, kept->run_begin, kept->run, kept->ranks,
                               [kept](std::size_t at) { return static_cast<double>(kept->values[at]); });
                continue;
            }
            make_row(nodes[i], place);
            if (const auto* row = rows_.find(place))
                respond<double>(place, counts[i], alpha, row->run_begin,
                                std::span(row->values).subspan(row->run_begin, row->run_end - row->run_begin),
                                std::span(row->raised).first(row->raised_count),
                                [row](std::size_t at) { return row->values[row->raised[at]]; });
            if (kept_bytes_ < bytes_)
                kept_bytes_ += rows_.keep(place);
            else
                rows_.finish(place);
            rows_.let_go(place);
            for (const SubsetJoin& join : joins_) rows_.let_go(join.child);
        }
    }

    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t place = reach_.place(nodes[i]);
            if (group_[place] != kNone)
                add_score({slot_[place], group_[place], counts[i]}, outputs, scores);
            else if (parameters_.leaf_weight != 0.0)
                add_score({dag_.label(nodes[i]), kNone, counts[i]}, outputs, scores);
        }
    }

    void score(std::size_t number, const TreeNodes&, std::span<const std::uint32_t> outputs,
               double* scores) const override {
        for (const Part& part : parts(number)) add_score(part, outputs, scores);
    }

    void expect(std::size_t number, unsigned steps) const override {
        if (steps == 2) return prefetch(&first_part_[number]);
        if (steps == 1) {
            const Part* first = parts_.data() + first_part_[number];
            for (std::size_t line = 0; line < 3; ++line) prefetch(first + 4 * line);
            return;
        }
        for (const Part& part : parts(number))
            if (part.group != kNone) prefetch(responses_.data() + part.slot);
    }

private:
    // A subtree of one of the trees.
    struct Part {
        std::uint32_t slot;   // the label of a leaf
        std::uint32_t group;  // kNone for a leaf
        double count;
    };

    std::span<const Part> parts(std::size_t number) const {
        return {parts_.data() + first_part_[number], parts_.data() + first_part_[number + 1]};
    }

    TREEKERNELS_INLINE void add_score(const Part& part, std::span<const std::uint32_t> outputs, double* scores) const {
        if (part.group == kNone) return label_sums_.add_to(scores, part.slot, part.count);
        const double* sums = group_sums_.data() + part.group * outputs_;
        const double* responses = responses_.data() + part.slot;
        for (std::uint32_t k : outputs) scores[k] += part.count * (sums[k] + responses[k * slots_]);
    }

    template <class Visit>
    void visit_joins(Node node, Visit visit) const {
        auto bucket = layout_.buckets_of(reach_.place(node)).begin();
        for (Node child : dag_.children(node))
            if (!dag_.is_leaf(child)) visit(SubsetJoin{*bucket++, reach_.place(child)});
    }

    void make_row(Node node, std::uint32_t place) {
        joins_.clear();
        visit_joins(node, [&](const SubsetJoin& join) { add_join(joins_, 0, join, layout_); });
        with_simd([&]() TREEKERNELS_INLINE_LAMBDA {
            IgnoredRise rise;
            raise(
                rows_, place, group(place), std::span<const SubsetJoin>(joins_),
                [this](const SubsetJoin& join) { return layout_.bucket(join.bucket); }, rise);
        });
    }

    // Adds what the subtrees of a group score by a row.
    template <class Value, class ValueOf>
    void respond(std::uint32_t place, double count, const double* alpha, std::size_t run_begin,
                 std::span<const Value> run, std::span<const std::uint32_t> ranks, ValueOf value_of) {
        const double decay = group(place).decay;
        for (std::uint32_t k : changed_) {
            double* to = responses_.data() + k * slots_ + group(place).begin;
            const double factor = count * alpha[k];
            with_simd(
                [&]() TREEKERNELS_INLINE_LAMBDA { add_run(to + run_begin, run.data(), run.size(), decay, factor); });
            for (std::size_t at = 0; at < ranks.size(); ++at) to[ranks[at]] += (value_of(at) - decay) * factor;
        }
    }

    const SubsetGroup& group(std::uint32_t place) const { return layout_.group(group_[place]); }

    SubsetParameters parameters_;
    const std::size_t outputs_;
    const Dag& dag_;
    const std::size_t bytes_;
    Reach reach_;
    SubsetLayout layout_;
    std::size_t slots_ = 0;
    std::vector<std::uint32_t> slot_;   // by place: where a subtree is among those of all groups; kNone for a leaf
    std::vector<std::uint32_t> group_;  // by place
    std::vector<Part> parts_;           // of the trees that were inserted, one after the other
    std::vector<std::size_t> first_part_{0};
    std::vector<double> responses_;   // by output and slot: what a subtree scores beyond its production
    std::vector<double> group_sums_;  // by group and output
    ClassWeights label_sums_;
    // A row in a few bytes: what single precision loses is far below what a learner asks for.
    SubsetRowKeeper<double, float> rows_;
    std::size_t kept_bytes_ = 0;
    std::vector<SubsetJoin> joins_;  // of the subtree at hand
    std::vector<std::uint32_t> changed_;
};

}  // namespace

std::unique_ptr<Responder> make_subset_responder(SubsetParameters parameters, std::size_t outputs, const Dag& dag,
                                                 std::size_t bytes) {
    return std::make_unique<SubsetResponder>(parameters, outputs, dag, bytes);
}

}  // namespace treekernels
