// How many tokens have to be inserted, deleted or replaced to make one sequence of another (Levenshtein 1966), by the
// bits of Myers (1999) in the form of Hyyrö (2003): a column of the table is two bits for each token of the pattern.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treekernels {

// Compares one pattern with many texts. Tokens are numbers below `token_count`.
class Levenshtein {
public:
    explicit Levenshtein(std::size_t token_count) : token_count_(token_count) {}

    void set_pattern(std::span<const std::uint32_t> pattern);
    std::size_t distance(std::span<const std::uint32_t> text);

private:
    static constexpr std::size_t kBits = 64;

    std::size_t token_count_;
    std::size_t words_ = 0;
    std::vector<std::uint32_t> pattern_;
    std::vector<std::uint64_t> places_;     // by token and word: where the pattern has it
    std::vector<std::uint64_t> up_, down_;  // by word: where the column grows and falls from one row to the next
};

}  // namespace treekernels
