#include "embedding/vectors/label_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/memory/simd.hpp"

namespace treekernels {

namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

// The finaliser of a 64-bit hash (Stafford's thirteenth): every input bit changes every output bit half of the time.
TREEKERNELS_INLINE constexpr std::uint64_t finalize(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

// Bytes as a number, the first one lowest, whatever the machine's own order.
std::uint64_t read_bytes(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

// Normal numbers are counted in steps of 2^-16: random bits that are set, and four uniform numbers.
constexpr std::int64_t kNormalMean = (32LL << 16) + 2 * 65535;
// The variance of 64 bits is 16; that of four numbers out of 0 .. 65535 is 4 (65536^2 - 1) / 12 in units of 2^-32.
constexpr double kNormalVariance = 16.0 * 4294967296.0 + 4294967295.0 / 3.0;

// How many bits are set, by arithmetic that SIMD can do.
TREEKERNELS_INLINE std::uint64_t count_bits(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    word += word >> 8;
    word += word >> 16;
    return (word + (word >> 32)) & 0x7F;
}

constexpr std::size_t kNormalsAtOnce = 256;

TREEKERNELS_INLINE void make_raw_normals(std::uint64_t start, std::uint64_t step, std::uint64_t first,
                                         std::size_t count, std::int32_t* out) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t index = first + i;
        const std::uint64_t bits = finalize(start + 2 * index * step);
        const std::uint64_t parts = finalize(start + (2 * index + 1) * step);
        const std::uint64_t sum =
            (parts & 0xFFFF) + ((parts >> 16) & 0xFFFF) + ((parts >> 32) & 0xFFFF) + (parts >> 48);
        out[i] = static_cast<std::int32_t>((count_bits(bits) << 16) + sum) - static_cast<std::int32_t>(kNormalMean);
    }
}

void raw_normals(const Stream& stream, std::uint64_t first, std::size_t count, std::int32_t* out) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { make_raw_normals(stream.start, stream.step, first, count, out); });
}

// Calls `use` with elements first .. of a vector of normal numbers, some at a time, and where they begin.
template <class Use>
void for_normals(const Stream& stream, std::size_t first, std::size_t count, const Use& use) {
    std::int32_t raw[kNormalsAtOnce];
    for (std::size_t begin = 0; begin < count; begin += kNormalsAtOnce) {
        const std::size_t size = std::min(kNormalsAtOnce, count - begin);
        raw_normals(stream, first + begin, size, raw);
        use(begin, std::span<const std::int32_t>(raw, size));
    }
}

template <class T>
struct SignLines {
    std::array<std::array<T, 8>, 256> line;
    SignLines() {
        for (std::size_t byte = 0; byte < 256; ++byte)
            for (std::size_t bit = 0; bit < 8; ++bit) line[byte][bit] = (byte >> bit) & 1 ? T(1) : T(-1);
    }
};

}  // namespace

std::uint64_t Stream::word(std::uint64_t index) const { return finalize(start + index * step); }

std::uint64_t hash_pair(std::uint64_t first, std::uint64_t second) {
    return finalize(finalize(first + kGolden) ^ (second * 0xD6E8FEB86659FD93ULL + 0x2545F4914F6CDD1DULL));
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
    std::uint64_t state = hash_pair(seed, text.size());
    for (std::size_t at = 0; at < text.size(); at += 8) state = hash_pair(state, read_bytes(text.substr(at, 8)));
    return state;
}

Stream stream_of(std::uint64_t seed, std::string_view text, std::uint64_t purpose) {
    const std::uint64_t key = hash_pair(hash_text(seed, text), purpose);
    return {hash_pair(key, 1), hash_pair(key, 2) | 1};
}

template <class T>
void fill_signs(const Stream& stream, std::size_t first_line, std::size_t lines, T* out) {
    static const SignLines<T> table;
    std::uint64_t word = 0;
    for (std::size_t line = first_line; line < first_line + lines; ++line, out += 8) {
        if (line % 8 == 0 || line == first_line) word = stream.word(line / 8);
        const auto& signs = table.line[(word >> (8 * (line % 8))) & 0xFF];
        for (std::size_t lane = 0; lane < 8; ++lane) out[lane] = signs[lane];
    }
}

template <class T>
void fill_normals(const Stream& stream, std::size_t first, std::size_t count, double scale, T* out) {
    const double unit = scale / std::sqrt(kNormalVariance);
    for_normals(stream, first, count, [&](std::size_t begin, std::span<const std::int32_t> raw) {
        for (std::size_t i = 0; i < raw.size(); ++i) out[begin + i] = static_cast<T>(unit * raw[i]);
    });
}

double normal_scale(const Stream& stream, std::size_t count) {
    std::uint64_t squares = 0;  // exact: below 2^44 each, and there are at most 2^20
    for_normals(stream, 0, count, [&](std::size_t, std::span<const std::int32_t> raw) {
        for (const std::int64_t value : raw) squares += static_cast<std::uint64_t>(value * value);
    });
    return std::sqrt(kNormalVariance * static_cast<double>(count) / static_cast<double>(squares));
}

std::uint64_t random_below(const Stream& stream, std::uint64_t& index, std::uint64_t bound) {
    // Words of the last, incomplete round of `bound` would favour small numbers.
    const std::uint64_t incomplete = (~bound + 1) % bound;
    for (;;) {
        const std::uint64_t word = stream.word(index++);
        if (word >= incomplete) return word % bound;
    }
}

std::vector<std::uint32_t> random_permutation(const Stream& stream, std::size_t size) {
    std::vector<std::uint32_t> result(size);
    std::iota(result.begin(), result.end(), 0U);
    std::uint64_t index = 0;
    for (std::size_t i = size; i > 1; --i) std::swap(result[i - 1], result[random_below(stream, index, i)]);
    return result;
}

Root unit_root(std::uint64_t k, std::uint64_t n) {
    // Turned into the first eighth of the circle by exact integer arithmetic, then two short Taylor series.
    k %= n;
    const std::uint64_t quarter = 4 * k / n;
    std::uint64_t eighths = 4 * k - quarter * n;  // the angle in the quarter, in units of a quarter / n
    const bool beyond_half = 2 * eighths > n;
    if (beyond_half) eighths = n - eighths;
    const double angle = 1.5707963267948966 * (static_cast<double>(eighths) / static_cast<double>(n));
    const double square = angle * angle;
    double cosine = 1.0, sine = 1.0;
    for (int term = 20; term >= 2; term -= 2) {
        cosine = 1.0 - cosine * square / (term * (term - 1));
        sine = 1.0 - sine * square / (term * (term + 1));
    }
    sine *= angle;
    if (beyond_half) std::swap(cosine, sine);
    switch (quarter) {
        case 0:
            return {cosine, sine};
        case 1:
            return {-sine, cosine};
        case 2:
            return {-cosine, -sine};
        default:
            return {sine, -cosine};
    }
}

template void fill_signs(const Stream&, std::size_t, std::size_t, float*);
template void fill_signs(const Stream&, std::size_t, std::size_t, double*);
template void fill_normals(const Stream&, std::size_t, std::size_t, double, float*);
template void fill_normals(const Stream&, std::size_t, std::size_t, double, double*);

}  // namespace treekernels
