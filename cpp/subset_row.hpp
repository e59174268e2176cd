// C of one subtree with all subtrees of its production that are known, for the subset-tree kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dag.hpp"

namespace treekernels {

// By rank in the group of the production; the decay wherever it is not listed as raised.
template <class Real>
struct SubsetRow {
    std::vector<Real> values;
    std::vector<std::uint32_t> raised;
    std::size_t raised_count = 0;

    // Multiplies by 1 + C of a child, for all subtrees that have a child of the same production in the same place.
    // An entry has the rank of such a subtree and that of its child, whose C is child(rank). Calls rise(rank, by how
    // much) for each entry.
    template <class Entries, class ChildValue, class Rise>
    void multiply(const Entries& entries, Real decay, ChildValue child, Rise rise) {
        Real* value = values.data();
        std::uint32_t* place = raised.data();
        // Nothing is raised yet: no need to look. (A decay that vanishes beside 1 would not raise anything.)
        if (raised_count == 0 && !(Real(1.0) + decay == Real(1.0))) {
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
            count += (old == decay) & !(higher == decay);
            rise(entry.rank, by);
        }
        raised_count = count;
    }
};

// The raised values alone: what is kept of a row when memory is short. A node may have a million different children.
template <class Real>
struct PackedRow {
    std::vector<std::uint32_t> ranks;
    std::vector<Real> values;

    template <class Exact>
    explicit PackedRow(const SubsetRow<Exact>& row)
        : ranks(row.raised.begin(), row.raised.begin() + static_cast<std::ptrdiff_t>(row.raised_count)) {
        values.reserve(ranks.size());
        for (std::uint32_t rank : ranks) values.push_back(static_cast<Real>(row.values[rank]));
    }
    std::size_t bytes() const { return ranks.size() * (sizeof(std::uint32_t) + sizeof(Real)); }
};

// Rows at rest, by production: their values are all the decay.
template <class Real>
class SubsetRowPool {
public:
    using Row = SubsetRow<Real>;

    explicit SubsetRowPool(Real decay) : decay_(decay) {}

    std::unique_ptr<Row> acquire(Production p, std::size_t group_size) {
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
            row->values.resize(group_size, decay_);
            row->raised.resize(group_size + 1);
        }
        return row;
    }
    template <class Stored>
    std::unique_ptr<Row> unpack(Production p, std::size_t group_size, const PackedRow<Stored>& packed) {
        auto row = acquire(p, group_size);
        row->raised_count = packed.ranks.size();
        for (std::size_t i = 0; i < packed.ranks.size(); ++i) {
            row->raised[i] = packed.ranks[i];
            row->values[packed.ranks[i]] = Real(packed.values[i]);
        }
        return row;
    }
    void release(Production p, std::unique_ptr<Row> row) {
        for (std::size_t i = 0; i < row->raised_count; ++i) row->values[row->raised[i]] = decay_;
        row->raised_count = 0;
        free_[p].push_back(std::move(row));
    }
    // Of all rows, at rest or not.
    std::size_t bytes() const { return bytes_; }

private:
    const Real decay_;
    std::vector<std::vector<std::unique_ptr<Row>>> free_;
    std::size_t bytes_ = 0;
};

}  // namespace treekernels
