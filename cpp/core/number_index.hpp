// A hash index from keys that live elsewhere to their numbers.
//
// The key of an entry is whatever the caller compares against, usually a row of some arrays; the index holds
// only hash and number. That is smaller and faster than a map with keys of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/assert.hpp"

namespace treekernels {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

class NumberIndex {
public:
    // The number whose key has this hash and of which `same(number)` holds; kNone if there is none.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same same) const {
        if (slots_.empty()) return kNone;
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            if (slots_[at].number == kNone) return kNone;
            if (slots_[at].hash == hash && same(slots_[at].number)) return slots_[at].number;
        }
    }

    // After this, the next insertion cannot fail.
    void make_room() {
        if (2 * (count_ + 1) > slots_.size()) grow();
    }
    // The key must not be in the index yet.
    void insert(std::uint64_t hash, std::uint32_t number) {
        TREEKERNELS_ASSERT(number != kNone);
        make_room();
        place({hash, number});
        ++count_;
    }

    // Keeps its size for as many keys again, unless there were few: then to clean all of it would take longer than to
    // grow.
    void clear() {
        if (8 * count_ < slots_.size())
            slots_.clear();
        else
            std::fill(slots_.begin(), slots_.end(), Slot{0, kNone});
        count_ = 0;
    }

private:
    struct Slot {
        std::uint64_t hash;
        std::uint32_t number = kNone;
    };

    std::size_t mask() const { return slots_.size() - 1; }

    void place(Slot slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].number != kNone) at = (at + 1) & mask();
        slots_[at] = slot;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size(), Slot{0, kNone});
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number != kNone) place(slot);
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

// One round of a 64-bit multiply-and-fold hash.
inline std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
    return state ^ (state >> 29);
}

}  // namespace treekernels
