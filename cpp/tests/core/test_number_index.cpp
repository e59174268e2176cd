// The hash index against std::unordered_map.
#include <unordered_map>

#include "core/assert.hpp"
#include "core/memory/number_index.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// Keys with a bad hash on purpose: many of them share it, or fall into the last slots.
std::uint64_t hash_of(std::uint64_t key, int kind) {
    switch (kind) {
        case 0:
            return mix(0, key);
        case 1:
            return key % 7;
        case 2:
            return ~std::uint64_t{0} - key % 3;
        default:
            return key << 40;
    }
}

}  // namespace

TEST(the_index_finds_what_a_map_finds) {
    for (int kind = 0; kind < 4; ++kind) {
        Random random(static_cast<std::uint64_t>(kind));
        NumberIndex index;
        std::vector<std::uint64_t> keys;
        std::unordered_map<std::uint64_t, std::uint32_t> map;
        const auto find = [&](std::uint64_t key) {
            return index.find(hash_of(key, kind), [&](std::uint32_t number) { return keys[number] == key; });
        };
        for (int operation = 0; operation < 4000; ++operation) {
            const std::uint64_t key = random.below(1500);
            const auto known = map.find(key);
            CHECK(find(key) == (known == map.end() ? kNone : known->second));
            if (known == map.end() && random.below(2) == 0) {
                map[key] = static_cast<std::uint32_t>(keys.size());
                index.insert(hash_of(key, kind), static_cast<std::uint32_t>(keys.size()));
                keys.push_back(key);
            }
            // While there are few, and while there are many.
            if (random.below(operation % 1000 < 300 ? 50 : 2000) == 0) {
                index.clear();
                map.clear();
                keys.clear();
            }
        }
    }
}

TEST(the_index_grows) {
    NumberIndex index;
    constexpr std::uint32_t kCount = 100000;
    for (std::uint32_t number = 0; number < kCount; ++number) index.insert(mix(1, number), number);
    const auto find = [&](std::uint32_t key) {
        return index.find(mix(1, key), [&](std::uint32_t number) { return number == key; });
    };
    for (std::uint32_t number = 0; number < kCount; ++number) CHECK(find(number) == number);
    for (std::uint32_t number = kCount; number < 2 * kCount; ++number) CHECK(find(number) == kNone);
    index.clear();
    for (std::uint32_t number = 0; number < kCount; ++number) CHECK(find(number) == kNone);
    index.insert(mix(1, 5), 5);
    CHECK(find(5) == 5 && find(6) == kNone);
    index.clear();
    CHECK(find(5) == kNone);
}

TEST(an_empty_index_has_nothing) {
    const NumberIndex index;
    CHECK(index.find(0, [](std::uint32_t) { return true; }) == kNone);
}

TEST(making_room_changes_nothing_but_the_next_insertion) {
    NumberIndex index;
    for (std::uint32_t number = 0; number < 1000; ++number) {
        index.make_room();
        CHECK(index.find(mix(2, number), [](std::uint32_t) { return true; }) == kNone);
        index.insert(mix(2, number), number);
        CHECK(index.find(mix(2, number), [](std::uint32_t) { return true; }) == number);
    }
}

#ifdef TREEKERNELS_ASSERTIONS
TEST(no_number_is_none) {
    NumberIndex index;
    CHECK_THROWS(AssertionFailure, index.insert(1, kNone));
}
#endif

}  // namespace treekernels::tests
