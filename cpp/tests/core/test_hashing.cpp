// Hashes of texts that somebody has chosen.
#include <algorithm>
#include <string>
#include <vector>

#include "core/memory/hashing.hpp"
#include "tests/support/check.hpp"

namespace treekernels::tests {

namespace {

std::string text_of(std::uint64_t first, std::uint64_t second) {
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    return text;
}

std::size_t distinct_places(std::vector<std::uint64_t> hashes) {
    for (std::uint64_t& hash : hashes) hash &= 0xFFFF;
    std::ranges::sort(hashes);
    hashes.erase(std::ranges::unique(hashes).begin(), hashes.end());
    return hashes.size();
}

}  // namespace

// The highest bit of a word goes through a multiplication as it is, so that the next word can take it away again: with
// `mix`, or the hash of the standard library, such texts are known to meet whatever the seed is.
TEST(texts_cannot_be_made_to_meet) {
    constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;
    for (std::uint64_t word = 1; word < 2000; ++word) {
        const std::uint64_t hash = mix(mix(0, word), 7);
        CHECK(hash == mix(mix(0, word ^ kHighest), 7 ^ kHighest ^ (kHighest >> 29)));
        CHECK(text_hash(text_of(word, 7)) != text_hash(text_of(word ^ kHighest, 7 ^ kHighest ^ (kHighest >> 29))));
    }
}

TEST(texts_are_spread_evenly) {
    std::vector<std::uint64_t> numbers, long_ones, numbered;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        numbers.push_back(text_hash(std::to_string(i)));
        long_ones.push_back(text_hash(std::string(100, 'x') + std::to_string(i)));
        numbered.push_back(NumberHash()(i << 32));
    }
    // 9,285 of them, were they drawn at random.
    for (const auto& hashes : {numbers, long_ones, numbered}) CHECK(distinct_places(hashes) > 9'000);
    CHECK(text_hash("a") != text_hash(std::string_view("a\0", 2)));
    CHECK(text_hash("same") == text_hash(std::string("same")));
}

TEST(halves_of_products_are_those_of_128_bits) {
    CHECK(folded_product(0, 5) == 0);
    CHECK(folded_product(std::uint64_t{1} << 63, 2) == 1);
    CHECK(folded_product(~std::uint64_t{0}, ~std::uint64_t{0}) == ~std::uint64_t{0});
}

}  // namespace treekernels::tests
