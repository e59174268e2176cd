// A hash index from keys that live elsewhere to their numbers.
//
// The key of an entry is whatever the caller compares against, usually a row of some arrays; the index holds
// only half of its hash, and its number. That is smaller and faster than a map with keys of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/assert.hpp"
#include "core/memory/hashing.hpp"

namespace treekernels {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

class NumberIndex {
public:
    // The number whose key has this hash and of which `same(number)` holds; kNone if there is none. Keys of other
    // hashes may be asked about as well.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same same) const {
        if (slots_.empty()) return kNone;
        const std::uint32_t half = half_of(hash);
        for (std::size_t at = half & mask();; at = (at + 1) & mask()) {
            if (slots_[at].number == kNone) return kNone;
            if (slots_[at].hash == half && same(slots_[at].number)) return slots_[at].number;
        }
    }

    // After this, the next insertions, so many of them, cannot fail.
    void make_room(std::size_t more = 1) {
        const std::size_t wanted = (count_ + more) + (count_ + more) / 2;  // so that a third is free
        if (wanted > slots_.size() && slots_.size() < kMostSlots) grow(wanted + 1);
    }
    // The key must not be in the index yet.
    void insert(std::uint64_t hash, std::uint32_t number) {
        TREEKERNELS_ASSERT(number != kNone);
        make_room();
        place({half_of(hash), number});
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
        std::uint32_t hash;
        std::uint32_t number = kNone;
    };
    // As many as halves of hashes can tell apart, and more than there are numbers, so that some are always free.
    static constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 32;

    static std::uint32_t half_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }
    std::size_t mask() const { return slots_.size() - 1; }

    void place(Slot slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].number != kNone) at = (at + 1) & mask();
        slots_[at] = slot;
    }
    void grow(std::uint64_t wanted) {
        const std::uint64_t size = std::min(kMostSlots, std::bit_ceil(std::max<std::uint64_t>(16, wanted)));
        std::vector<Slot> old(static_cast<std::size_t>(size), Slot{0, kNone});
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number != kNone) place(slot);
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace treekernels
