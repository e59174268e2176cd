// Random vectors for labels, and random permutations, that are the same on every machine.
//
// Each is a function of a seed and a text or number: a hash gives the key of a stream, and element i of the stream is a
// mixed counter. So nothing depends on what was asked for before, and any part of a vector can be made on its own.
// Only integer operations, and floating-point ones that IEEE 754 defines to the last bit, are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace treekernels {

// A counter-based stream of random 64-bit words.
struct Stream {
    std::uint64_t start;
    std::uint64_t step;  // odd

    std::uint64_t word(std::uint64_t index) const;
};

// The stream of a text, for instance of a label. `purpose` keeps apart what is made from the same text.
Stream stream_of(std::uint64_t seed, std::string_view text, std::uint64_t purpose);

// Well-mixed 64-bit hashes.
std::uint64_t hash_text(std::uint64_t seed, std::string_view text);
std::uint64_t hash_pair(std::uint64_t first, std::uint64_t second);

// Elements 8 * first_line .. of a vector of +1 and -1, eight to a line.
template <class T>
void fill_signs(const Stream& stream, std::size_t first_line, std::size_t lines, T* out);

// Elements first .. of a vector of normally distributed numbers, times `scale`. They are sums of random bits and
// uniform numbers: variance 1, kurtosis 2.97, never beyond kLargestNormal.
template <class T>
void fill_normals(const Stream& stream, std::size_t first, std::size_t count, double scale, T* out);
inline constexpr double kLargestNormal = 8.5;
// The factor that gives the first `count` elements the norm sqrt(count).
double normal_scale(const Stream& stream, std::size_t count);

// A random permutation of 0 .. size-1, all equally likely.
std::vector<std::uint32_t> random_permutation(const Stream& stream, std::size_t size);

// An odd or otherwise restricted number is picked by the caller; this is any of 0 .. bound-1, all equally likely.
// `index` is where to read the stream, and is moved on.
std::uint64_t random_below(const Stream& stream, std::uint64_t& index, std::uint64_t bound);

// cos and sin of 2 pi k / n, the same on every machine, to double accuracy.
struct Root {
    double real;
    double imaginary;
};
Root unit_root(std::uint64_t k, std::uint64_t n);

}  // namespace treekernels
