// C of one subtree with all subtrees of its production that a layout knows, and what keeps such rows in memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/assert.hpp"
#include "kernels/subset/rows/layout.hpp"

namespace treekernels {

// By rank in the group of the production; the decay of that wherever it is neither in the run nor listed as raised.
template <class Real>
struct SubsetRow {
    std::vector<Real> values;
    std::size_t run_begin = 0, run_end = 0;
    std::vector<std::uint32_t> raised;
    std::size_t raised_count = 0;
    std::uint32_t shelf = 0;  // where the keeper puts it when it is at rest
    Real decay{};

    bool is_at_rest() const { return run_begin == run_end && raised_count == 0; }

    // Calls visit(rank) for all that are raised.
    template <class Visit>
    void visit_raised(Visit visit) const {
        for (std::size_t rank = run_begin; rank < run_end; ++rank) visit(static_cast<std::uint32_t>(rank));
        for (std::size_t i = 0; i < raised_count; ++i) visit(raised[i]);
    }
    void raise(std::uint32_t rank, Real to) {
        make_room(1);
        values[rank] = to;
        raised[raised_count++] = rank;
    }
    // For as many more in the list.
    void make_room(std::size_t more) {
        if (raised.size() < raised_count + more) raised.resize(2 * raised_count + more);
    }
};

// The raised values alone: what is kept of a row when memory is short. A node may have a million different children.
template <class Real, class Stored>
struct PackedRow {
    std::uint32_t shelf = 0;
    std::uint32_t run_begin = 0;
    std::size_t size = 0;
    Real decay{};
    std::vector<Stored> run;
    std::vector<std::uint32_t> ranks;
    std::vector<Stored> values;  // of the ranks

    PackedRow() = default;
    explicit PackedRow(const SubsetRow<Real>& row)
        : shelf(row.shelf),
          run_begin(static_cast<std::uint32_t>(row.run_begin)),
          size(row.values.size()),
          decay(row.decay),
          ranks(row.raised.data(), row.raised.data() + row.raised_count) {
        run.reserve(row.run_end - row.run_begin);
        for (std::size_t rank = row.run_begin; rank < row.run_end; ++rank)
            run.push_back(static_cast<Stored>(row.values[rank]));
        values.reserve(ranks.size());
        for (std::uint32_t rank : ranks) values.push_back(static_cast<Stored>(row.values[rank]));
    }
    bool is_at_rest() const { return run.empty() && ranks.empty(); }
    std::size_t bytes() const {
        return sizeof(PackedRow) + sizeof(Stored) * (run.size() + values.size()) + sizeof(std::uint32_t) * ranks.size();
    }
};

// Keeps the rows of subtrees, by the places that a caller gives them, as long as the row of a parent is yet to come.
// Those that are kept for longer are `Stored` as float where the last digits do not matter.
template <class Real, class Stored = Real>
class SubsetRowKeeper {
public:
    using Row = SubsetRow<Real>;
    using Packed = PackedRow<Real, Stored>;

    // Rows at rest serve any group that is not larger; where productions have decays of their own, those of one.
    explicit SubsetRowKeeper(bool one_decay) : one_decay_(one_decay) {}

    void cover(std::size_t places) {
        if (slots_.size() < places) slots_.resize(places);
    }
    void clear() {
        for (Slot& slot : slots_)
            if (slot.row) give_back(slot);
        slots_.clear();
    }

    // One more parent needs the row.
    void expect_use(std::uint32_t place) { ++slots_[place].uses; }
    bool is_needed(std::uint32_t place) const { return slots_[place].uses > 0; }

    // A row at rest, to be raised.
    Row& make(std::uint32_t place, const SubsetGroup& group) {
        const std::size_t room = std::bit_ceil<std::size_t>(group.size);
        const auto shelf = one_decay_ ? static_cast<std::uint32_t>(std::bit_width(room)) : group.production;
        slots_[place].row = take(shelf, room, Real(group.decay));
        return *slots_[place].row;
    }
    // Null where nothing is raised.
    const Row* find(std::uint32_t place) {
        Slot& slot = slots_[place];
        if (!slot.row && slot.packed && !slot.packed->is_at_rest()) slot.row = unpack(*slot.packed);
        return slot.row.get();
    }

    // The row is complete: it stays for parents, packed if memory is short.
    void finish(std::uint32_t place) {
        Slot& slot = slots_[place];
        if (!slot.row) return;
        if (slot.uses > 0 && bytes_ > kRowBudget) slot.packed = std::make_unique<Packed>(*slot.row);
        if (slot.uses == 0 || slot.packed) give_back(slot);
    }
    // A parent needs it no more.
    void let_go(std::uint32_t place) {
        Slot& slot = slots_[place];
        TREEKERNELS_ASSERT(slot.uses > 0);
        const bool last = --slot.uses == 0;
        if (slot.row && (last || slot.packed)) give_back(slot);
        if (last && !slot.kept) slot.packed.reset();
    }

    // Keeps a packed row, or that nothing is raised, whether a parent needs it or not. Returns the bytes that it takes.
    std::size_t keep(std::uint32_t place) {
        Slot& slot = slots_[place];
        slot.packed = slot.row ? std::make_unique<Packed>(*slot.row) : std::make_unique<Packed>();
        slot.kept = true;
        if (slot.row) give_back(slot);
        return slot.packed->bytes();
    }
    // Null where none is kept.
    const Packed* find_kept(std::uint32_t place) const {
        return slots_[place].kept ? slots_[place].packed.get() : nullptr;
    }

private:
    // Rows of this many bytes are held before they are packed.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    struct Slot {
        std::unique_ptr<Row> row;
        std::unique_ptr<Packed> packed;
        std::uint32_t uses = 0;  // parents that still need the row
        bool kept = false;
    };

    std::unique_ptr<Row> take(std::uint32_t shelf, std::size_t size, Real decay) {
        if (shelf >= shelves_.size()) shelves_.resize(shelf + std::size_t{1});
        std::unique_ptr<Row> row;
        if (shelves_[shelf].empty()) {
            row = std::make_unique<Row>();
            row->shelf = shelf;
            row->decay = decay;
        } else {
            row = std::move(shelves_[shelf].back());
            shelves_[shelf].pop_back();
        }
        if (row->values.size() < size) {
            bytes_ += (size - row->values.size()) * (sizeof(Real) + sizeof(std::uint32_t));
            row->values.resize(size, decay);
        }
        return row;
    }
    std::unique_ptr<Row> unpack(const Packed& packed) {
        auto row = take(packed.shelf, packed.size, packed.decay);
        row->run_begin = packed.run_begin;
        row->run_end = packed.run_begin + packed.run.size();
        std::ranges::copy(packed.run, row->values.begin() + static_cast<std::ptrdiff_t>(packed.run_begin));
        row->raised = packed.ranks;
        row->raised_count = packed.ranks.size();
        for (std::size_t i = 0; i < packed.ranks.size(); ++i) row->values[packed.ranks[i]] = Real(packed.values[i]);
        return row;
    }
    void give_back(Slot& slot) {
        Row& row = *slot.row;
        std::fill_n(row.values.data() + row.run_begin, row.run_end - row.run_begin, row.decay);
        row.run_begin = row.run_end = 0;
        for (std::size_t i = 0; i < row.raised_count; ++i) row.values[row.raised[i]] = row.decay;
        row.raised_count = 0;
        shelves_[row.shelf].push_back(std::move(slot.row));
    }

    const bool one_decay_;
    std::vector<Slot> slots_;                                 // by place
    std::vector<std::vector<std::unique_ptr<Row>>> shelves_;  // rows at rest
    std::size_t bytes_ = 0;                                   // of all rows, at rest or not
};

}  // namespace treekernels
