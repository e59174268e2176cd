#include <bit>

#include "core/prefetch.hpp"
#include "kernels/subset/row_loops.hpp"
#include "kernels/subset/table.hpp"
#include "kernels/subset/weighted_forest.hpp"
#include "models/class_weights.hpp"

namespace treekernels {

namespace {

// A row in a few bytes: what single precision loses is far below what a learner asks for.
struct KeptRow {
    std::uint32_t run_begin = 0;
    std::vector<float> run;
    std::vector<std::uint32_t> ranks;
    std::vector<float> values;  // of the ranks

    explicit KeptRow(const SubsetRow<double>& row) : run_begin(static_cast<std::uint32_t>(row.run_begin)) {
        run.assign(row.values.begin() + static_cast<std::ptrdiff_t>(row.run_begin),
                   row.values.begin() + static_cast<std::ptrdiff_t>(row.run_end));
        ranks.assign(row.raised.begin(), row.raised.begin() + static_cast<std::ptrdiff_t>(row.raised_count));
        for (std::uint32_t rank : ranks) values.push_back(static_cast<float>(row.values[rank]));
    }
    KeptRow() = default;
    std::size_t bytes() const { return sizeof(KeptRow) + 4 * run.size() + 8 * ranks.size(); }
};

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
          table_(dag, parameters, 0),
          label_sums_(outputs) {}

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
        table_.assign(reach_.nodes(), {}, task);
        const std::size_t count = reach_.nodes().size();
        slot_.assign(count, kNone);
        group_.assign(count, kNone);
        slots_ = 0;
        for (std::size_t place = 0; place < count; ++place) {
            const Node node = reach_.nodes()[place];
            if (dag_.is_leaf(node)) continue;
            group_[place] = table_.find_group(dag_.production(node));
            slot_[place] = table_.group(group_[place]).begin + table_.rank(node);
            ++slots_;
        }
        for (Part& part : parts_) {
            const std::uint32_t place = part.slot;
            part.group = group_[place];
            part.slot = part.group == kNone ? dag_.label(reach_.nodes()[place]) : slot_[place];
        }
        responses_.assign(slots_ * outputs_, 0.0);
        group_sums_.assign(table_.group_count() * outputs_, 0.0);
        row_.resize(count);
        kept_.resize(count);
        uses_.resize(count, 0);
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
            if (!kept_[place])
                for (Node child : dag_.children(nodes[i])) ++uses_[reach_.place(child)];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t place = reach_.place(nodes[i]);
            if (group_[place] == kNone) {
                uses_[place] = 0;
                continue;
            }
            task.check();
            const bool was_kept = kept_[place] != nullptr;
            if (!was_kept) raise(nodes[i], place);
            respond(place, counts[i], alpha);
            if (!was_kept) {
                keep(place);
                // The row of a child that was packed was brought back for this.
                for (Node child : dag_.children(nodes[i])) let_go(reach_.place(child));
            }
            if (uses_[place] == 0) release(place);
        }
        for (std::uint32_t place : short_of_memory_) kept_[place].reset();
        short_of_memory_.clear();
    }

    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        const auto nodes = tree.nodes();
        const auto counts = tree.counts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t place = reach_.place(nodes[i]);
            if (group_[place] == kNone) {
                if (parameters_.leaf_weight != 0.0) label_sums_.add_to(scores, dag_.label(nodes[i]), counts[i]);
                continue;
            }
            const double* sums = group_sums_.data() + group_[place] * outputs_;
            const double* own = responses_.data() + slot_[place];
            for (std::uint32_t k : outputs) scores[k] += counts[i] * (sums[k] + own[k * slots_]);
        }
    }

    void score(std::size_t number, const TreeNodes&, std::span<const std::uint32_t> outputs,
               double* scores) const override {
        for (const Part& part : parts(number)) {
            if (part.group == kNone) {
                label_sums_.add_to(scores, part.slot, part.count);
                continue;
            }
            const double* sums = group_sums_.data() + part.group * outputs_;
            const double* own = responses_.data() + part.slot;
            for (std::uint32_t k : outputs) scores[k] += part.count * (sums[k] + own[k * slots_]);
        }
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
    using Row = SubsetRow<double>;
    // A subtree of one of the trees.
    struct Part {
        std::uint32_t slot;   // the label of a leaf
        std::uint32_t group;  // kNone for a leaf
        double count;
    };

    std::span<const Part> parts(std::size_t number) const {
        return {parts_.data() + first_part_[number], parts_.data() + first_part_[number + 1]};
    }

    // Rows of this many bytes are held before they are packed.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    // Makes the row from those of the children, unless nothing in it is raised.
    void raise(Node node, std::uint32_t place) {
        const auto buckets = table_.buckets_of(place);
        if (buckets.empty()) return;
        row_[place] = acquire(place);
        // A run has to come first.
        for (const bool runs : {true, false}) {
            std::size_t edge = 0;
            for (Node child : dag_.children(node)) {
                if (dag_.is_leaf(child)) continue;
                const auto& bucket = table_.bucket(buckets[edge++]);
                if (bucket.is_run() == runs) multiply(*row_[place], bucket, group(place).decay, reach_.place(child));
            }
        }
    }

    void multiply(Row& row, const SubsetTable::Bucket& bucket, double decay, std::uint32_t child) {
        const Row* below = row_at(child);
        const std::uint32_t* ranks = table_.ranks(bucket);
        const std::uint32_t* child_ranks = table_.child_ranks(bucket);
        const double base = decay * bucket.child_decay;
        double* values = row.values.data();
        if (bucket.is_run()) {
            row.run_begin = bucket.first_rank;
            row.run_end = bucket.first_rank + bucket.size;
            if (!below) {
                std::fill_n(values + row.run_begin, bucket.size, decay + base);
                return;
            }
            with_simd([&]() TREEKERNELS_INLINE_LAMBDA {
                raise_run<1, true, false>(values + bucket.first_rank, below->values.data(), child_ranks, bucket.size,
                                          decay, base, nullptr, 1, 1, nullptr);
            });
            return;
        }
        const auto multiply_listed = [&](auto value_below) {
            raise_listed<1, true, false>(&row, values, ranks, child_ranks, bucket.size, value_below, decay, base,
                                         nullptr, 1, 1, nullptr);
        };
        if (below)
            multiply_listed([values_below = below->values.data()](std::uint32_t rank) { return values_below[rank]; });
        else
            multiply_listed([least = bucket.child_decay](std::uint32_t) { return least; });
    }

    // Adds what the subtrees of the row's group score by it.
    void respond(std::uint32_t place, double count, const double* alpha) {
        const std::uint32_t begin = group(place).begin;
        const double decay = group(place).decay;
        const auto add = [&](std::size_t run_begin, const auto* run, std::size_t run_size, const std::uint32_t* ranks,
                             std::size_t listed, auto value_of) {
            for (std::uint32_t k : changed_) {
                double* to = responses_.data() + k * slots_ + begin;
                const double factor = count * alpha[k];
                with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_run(to + run_begin, run, run_size, decay, factor); });
                for (std::size_t at = 0; at < listed; ++at) to[ranks[at]] += (value_of(at) - decay) * factor;
            }
        };
        if (const KeptRow* kept = kept_[place].get())
            add(kept->run_begin, kept->run.data(), kept->run.size(), kept->ranks.data(), kept->ranks.size(),
                [kept](std::size_t at) { return static_cast<double>(kept->values[at]); });
        else if (const Row* row = row_[place].get())
            add(row->run_begin, row->values.data() + row->run_begin, row->run_end - row->run_begin, row->raised.data(),
                row->raised_count, [row](std::size_t at) { return row->values[row->raised[at]]; });
    }

    // Null where nothing is raised.
    const Row* row_at(std::uint32_t place) {
        if (row_[place] || !kept_[place]) return row_[place].get();
        const KeptRow& kept = *kept_[place];
        if (kept.run.empty() && kept.ranks.empty()) return nullptr;
        auto row = acquire(place);
        row->run_begin = kept.run_begin;
        row->run_end = kept.run_begin + kept.run.size();
        std::ranges::copy(kept.run, row->values.begin() + static_cast<std::ptrdiff_t>(kept.run_begin));
        row->raised = kept.ranks;
        row->raised_count = kept.ranks.size();
        for (std::size_t at = 0; at < kept.ranks.size(); ++at)
            row->values[kept.ranks[at]] = static_cast<double>(kept.values[at]);
        row_[place] = std::move(row);
        return row_[place].get();
    }

    // Keeps a row for later trees, or for later nodes of this tree when memory is short.
    void keep(std::uint32_t place) {
        const bool for_later = kept_bytes_ < bytes_;
        if (!for_later && !(row_[place] && uses_[place] > 0 && pool_.bytes() > kRowBudget)) return;
        kept_[place] = row_[place] ? std::make_unique<KeptRow>(*row_[place]) : std::make_unique<KeptRow>();
        release(place);
        if (for_later)
            kept_bytes_ += kept_[place]->bytes();
        else
            short_of_memory_.push_back(place);
    }
    void let_go(std::uint32_t place) {
        if (--uses_[place] == 0) release(place);
    }
    void release(std::uint32_t place) {
        if (!row_[place]) return;
        pool_.release(kind(place), group(place).decay, std::move(row_[place]));
    }

    const SubsetTable::Group& group(std::uint32_t place) const { return table_.group(group_[place]); }
    // Rows at rest serve any group that is not larger; where productions have decays of their own, one of these.
    std::size_t room(std::uint32_t place) const { return std::bit_ceil<std::size_t>(group(place).size); }
    Production kind(std::uint32_t place) const {
        return parameters_.uniform() ? static_cast<Production>(std::bit_width(room(place)))
                                     : table_.production(group_[place]);
    }
    std::unique_ptr<Row> acquire(std::uint32_t place) {
        return pool_.acquire(kind(place), room(place), group(place).decay);
    }

    const SubsetParameters parameters_;
    const std::size_t outputs_;
    const Dag& dag_;
    const std::size_t bytes_;
    Reach reach_;
    SubsetTable table_;
    std::size_t slots_ = 0;
    std::vector<std::uint32_t> slot_;   // by place: where a subtree is among those of all groups; kNone for a leaf
    std::vector<std::uint32_t> group_;  // by place
    std::vector<Part> parts_;           // of the trees that were inserted, one after the other
    std::vector<std::size_t> first_part_{0};
    std::vector<double> responses_;   // by output and slot: what a subtree scores beyond its production
    std::vector<double> group_sums_;  // by group and output
    ClassWeights label_sums_;
    std::vector<std::unique_ptr<Row>> row_;  // by place
    std::vector<std::unique_ptr<KeptRow>> kept_;
    std::size_t kept_bytes_ = 0;
    std::vector<std::uint32_t> short_of_memory_;
    std::vector<std::uint32_t> uses_;  // parents in the tree that still need the row
    std::vector<std::uint32_t> changed_;
    SubsetRowPool<double> pool_;
};

}  // namespace

std::unique_ptr<Responder> make_subset_responder(SubsetParameters parameters, std::size_t outputs, const Dag& dag,
                                                 std::size_t bytes) {
    return std::make_unique<SubsetResponder>(parameters, outputs, dag, bytes);
}

}  // namespace treekernels
