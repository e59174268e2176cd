// C of one subtree with all subtrees of its production that are known, for the subset-tree kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// By rank in the group of the production; the decay of that wherever it is neither in the run nor listed as raised.
template <class Real>
struct SubsetRow {
    std::vector<Real> values;
    std::size_t run_begin = 0, run_end = 0;
    std::vector<std::uint32_t> raised;
    std::size_t raised_count = 0;

    bool is_at_rest() const { return run_begin == run_end && raised_count == 0; }

    // Whether a factor, 1 + C of a child, always raises what is at rest: that child has at least its own decay.
    static bool always_raises(Real decay, Real child_decay) { return decay < decay + decay * child_decay; }

    // The first factor, for subtrees of consecutive ranks from `first` on, if it always raises them. See multiply().
    template <class Entries, class ChildValue, class Rise>
    void begin_run(std::size_t first, const Entries& entries, Real decay, ChildValue child, Rise rise) {
        run_begin = first;
        run_end = first + entries.size();
        Real* value = values.data() + first;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Real by = decay * child(entries[i].child_rank);
            value[i] = decay + by;
            rise(static_cast<std::uint32_t>(first + i), by);
        }
    }
    // The same where C of the child is its decay for all of them.
    void begin_run(std::size_t first, std::size_t count, Real decay, Real child_decay) {
        run_begin = first;
        run_end = first + count;
        std::fill_n(values.data() + first, count, decay + decay * child_decay);
    }

    // Multiplies by 1 + C of a child, for all subtrees that have a child of the same production in the same place.
    // An entry has the rank of such a subtree and that of its child, whose C is child(rank). Calls rise(rank, by how
    // much) for each entry.
    template <class Entries, class ChildValue, class Rise>
    void multiply(const Entries& entries, Real decay, Real child_decay, ChildValue child, Rise rise) {
        make_room(entries.size() + 1);  // one more is written than is kept
        Real* value = values.data();
        std::uint32_t* place = raised.data();
        // Nothing is raised yet: no need to look.
        if (is_at_rest() && always_raises(decay, child_decay)) {
            for (const auto& entry : entries) {
                const Real by = decay * child(entry.child_rank);
                value[entry.rank] = decay + by;
                *place++ = entry.rank;
                rise(entry.rank, by);
            }
            raised_count = entries.size();
            return;
        }
        std::size_t count = raised_count;
        for (const auto& entry : entries) {
            const Real old = value[entry.rank];
            const Real by = old * child(entry.child_rank);
            const Real higher = old + by;
            value[entry.rank] = higher;
            place[count] = entry.rank;
            count += !(decay < old) & (decay < higher);
            rise(entry.rank, by);
        }
        raised_count = count;
    }

    // Raises a single one.
    void raise(std::uint32_t rank, Real to) {
        make_room(1);
        values[rank] = to;
        raised[raised_count++] = rank;
    }

    // Calls visit(rank) for all that are raised.
    template <class Visit>
    void visit_raised(Visit visit) const {
        for (std::size_t rank = run_begin; rank < run_end; ++rank) visit(static_cast<std::uint32_t>(rank));
        for (std::size_t i = 0; i < raised_count; ++i) visit(raised[i]);
    }

    // For as many more in the list.
    void make_room(std::size_t more) {
        if (raised.size() < raised_count + more) raised.resize(2 * raised_count + more);
    }
};

// The raised values alone: what is kept of a row when memory is short. A node may have a million different children.
template <class Real>
struct PackedRow {
    std::vector<std::uint32_t> ranks;
    std::vector<Real> values;

    template <class Exact>
    explicit PackedRow(const SubsetRow<Exact>& row) {
        const std::size_t count = row.run_end - row.run_begin + row.raised_count;
        ranks.reserve(count);
        values.reserve(count);
        row.visit_raised([&](std::uint32_t rank) {
            ranks.push_back(rank);
            values.push_back(static_cast<Real>(row.values[rank]));
        });
    }
    std::size_t bytes() const { return ranks.size() * (sizeof(std::uint32_t) + sizeof(Real)); }
};

// Rows at rest, by production or what else has the same decay: their values are all that.
template <class Real>
class SubsetRowPool {
public:
    using Row = SubsetRow<Real>;

    std::unique_ptr<Row> acquire(Production p, std::size_t group_size, Real decay) {
        if (p >= free_.size()) free_.resize(p + 1);
        std::unique_ptr<Row> row;
        if (free_[p].empty()) {
            row = std::make_unique<Row>();
        } else {
            row = std::move(free_[p].back());
            free_[p].pop_back();
        }
        if (row->values.size() < group_size) {
            bytes_ += (group_size - row->values.size()) * (sizeof(Real) + sizeof(std::uint32_t));
            row->values.resize(group_size, decay);
        }
        return row;
    }
    template <class Stored>
    std::unique_ptr<Row> unpack(Production p, std::size_t group_size, Real decay, const PackedRow<Stored>& packed) {
        auto row = acquire(p, group_size, decay);
        row->raised_count = packed.ranks.size();
        row->raised.assign(packed.ranks.begin(), packed.ranks.end());
        for (std::size_t i = 0; i < packed.ranks.size(); ++i) row->values[packed.ranks[i]] = Real(packed.values[i]);
        return row;
    }
    void release(Production p, Real decay, std::unique_ptr<Row> row) {
        std::fill_n(row->values.data() + row->run_begin, row->run_end - row->run_begin, decay);
        row->run_begin = row->run_end = 0;
        for (std::size_t i = 0; i < row->raised_count; ++i) row->values[row->raised[i]] = decay;
        row->raised_count = 0;
        free_[p].push_back(std::move(row));
    }
    // Of all rows, at rest or not.
    std::size_t bytes() const { return bytes_; }

private:
    std::vector<std::vector<std::unique_ptr<Row>>> free_;
    std::size_t bytes_ = 0;
};

}  // namespace treekernels
