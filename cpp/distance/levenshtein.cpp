#include "distance/levenshtein.hpp"

#include <algorithm>

namespace treekernels {

void Levenshtein::set_pattern(std::span<const std::uint32_t> pattern) {
    for (std::uint32_t token : pattern_) std::fill_n(places_.begin() + token * words_, words_, 0);
    pattern_.assign(pattern.begin(), pattern.end());
    const std::size_t words = std::max<std::size_t>(1, (pattern.size() + kBits - 1) / kBits);
    if (words != words_) {
        words_ = words;
        places_.assign(token_count_ * words, 0);
        up_.resize(words);
        down_.resize(words);
    }
    for (std::size_t place = 0; place < pattern.size(); ++place)
        places_[pattern[place] * words_ + place / kBits] |= std::uint64_t{1} << (place % kBits);
}

std::size_t Levenshtein::distance(std::span<const std::uint32_t> text) {
    if (pattern_.empty()) return text.size();
    std::ranges::fill(up_, ~std::uint64_t{0});
    std::ranges::fill(down_, 0);
    std::size_t distance = pattern_.size();
    const std::uint64_t last = std::uint64_t{1} << ((pattern_.size() - 1) % kBits);
    for (std::uint32_t token : text) {
        // What comes into a word from the one before: whether the row above grows or falls from column to column.
        std::uint64_t grows = 1, falls = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            const std::uint64_t up = up_[word], down = down_[word];
            const std::uint64_t same = places_[token * words_ + word];
            const std::uint64_t either = same | falls;
            const std::uint64_t diagonal = (((either & up) + up) ^ up) | either | down;
            std::uint64_t right_up = down | ~(diagonal | up);
            std::uint64_t right_down = up & diagonal;
            if (word + 1 == words_) {
                distance += (right_up & last) != 0;
                distance -= (right_down & last) != 0;
            }
            const std::uint64_t grows_on = right_up >> (kBits - 1), falls_on = right_down >> (kBits - 1);
            right_up = (right_up << 1) | grows;
            right_down = (right_down << 1) | falls;
            up_[word] = right_down | ~((same | down) | right_up);
            down_[word] = right_up & (same | down);
            grows = grows_on;
            falls = falls_on;
        }
    }
    return distance;
}

}  // namespace treekernels
