// Hashes for tables in memory, which depend on a secret that each process draws: what a stranger has written cannot
// have been chosen to meet in one place of a table. So nothing that is kept or answered may depend on them.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace treekernels {

// One round of a 64-bit multiply-and-fold hash, the same in every process.
inline std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
    return state ^ (state >> 29);
}

// The two halves of a product of 128 bits, one upon the other.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    const std::uint64_t low = 0xFFFFFFFF;
    const std::uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
    const std::uint64_t other = (a & low) * (b >> 32) + (middle & low);
    return (a * b) ^ ((a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32));
#endif
}

using HashSecrets = std::array<std::uint64_t, 2>;

inline HashSecrets draw_secrets() {
    HashSecrets secrets;
    std::uint64_t state = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    state = mix(state, std::bit_cast<std::uintptr_t>(&secrets));
    for (std::uint64_t& secret : secrets) {
        try {
            std::random_device device;
            state = mix(mix(state, device()), std::uint64_t{device()} << 32);
        } catch (...) {  // a system without any: what there is will do
        }
        state = mix(state, 1);
        secret = state | 1;
    }
    return secrets;
}

inline const HashSecrets kHashSecrets = draw_secrets();

// What hashes of numbers begin with.
inline std::uint64_t hash_secret() { return kHashSecrets[0]; }

// Twice, since what differs in a few high bits alone would differ in a few bits of one product.
inline std::uint64_t number_hash(std::uint64_t number) {
    return folded_product(folded_product(number ^ kHashSecrets[0], kHashSecrets[1]), 0x9E3779B97F4A7C15ULL);
}

inline std::uint64_t text_hash(std::string_view text) {
    std::uint64_t state = text.size();
    for (; text.size() > 8; text.remove_prefix(8)) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data(), 8);
        state = folded_product(state ^ bytes ^ kHashSecrets[0], kHashSecrets[1]);
    }
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), text.size());
    return number_hash(state ^ bytes);
}

// For the tables of the standard library.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return static_cast<std::size_t>(text_hash(text)); }
};
struct NumberHash {
    std::size_t operator()(std::uint64_t number) const { return static_cast<std::size_t>(number_hash(number)); }
};

}  // namespace treekernels
