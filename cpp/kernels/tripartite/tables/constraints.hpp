// Constraints: one-to-one sets of pairs (placeholder of one example, placeholder of the other), and sums over them.
//
// A constraint is a set of bits, one for each pair of placeholders that matters in a comparison. Most comparisons need
// fewer than 64 (Bits64); any number is possible (ManyBits).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/memory/number_index.hpp"

namespace treekernels {

class Bits64 {
public:
    explicit Bits64(std::size_t) {}  // room for up to 64
    void set(std::size_t bit) { bits_ |= std::uint64_t{1} << bit; }
    void reset(std::size_t bit) { bits_ &= ~(std::uint64_t{1} << bit); }
    bool has(std::size_t bit) const { return bits_ >> bit & 1; }
    bool empty() const { return bits_ == 0; }
    bool meets(const Bits64& other) const { return (bits_ & other.bits_) != 0; }
    bool within(const Bits64& other) const { return (bits_ & ~other.bits_) == 0; }
    std::size_t count() const { return static_cast<std::size_t>(std::popcount(bits_)); }
    std::uint64_t hash() const { return mix(hash_secret(), bits_); }
    Bits64& operator|=(const Bits64& other) {
        bits_ |= other.bits_;
        return *this;
    }
    Bits64& operator&=(const Bits64& other) {
        bits_ &= other.bits_;
        return *this;
    }
    friend bool operator==(const Bits64&, const Bits64&) = default;

private:
    std::uint64_t bits_ = 0;
};

class ManyBits {
public:
    explicit ManyBits(std::size_t size) : words_((size + 63) / 64) {}
    void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << bit % 64; }
    void reset(std::size_t bit) { words_[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }
    bool has(std::size_t bit) const { return words_[bit / 64] >> bit % 64 & 1; }
    bool empty() const {
        for (std::uint64_t word : words_)
            if (word != 0) return false;
        return true;
    }
    bool meets(const ManyBits& other) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            if ((words_[i] & other.words_[i]) != 0) return true;
        return false;
    }
    bool within(const ManyBits& other) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            if ((words_[i] & ~other.words_[i]) != 0) return false;
        return true;
    }
    std::size_t count() const {
        std::size_t result = 0;
        for (std::uint64_t word : words_) result += static_cast<std::size_t>(std::popcount(word));
        return result;
    }
    std::uint64_t hash() const {
        std::uint64_t result = hash_secret();
        for (std::uint64_t word : words_) result = mix(result, word);
        return result;
    }
    ManyBits& operator|=(const ManyBits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    ManyBits& operator&=(const ManyBits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
        return *this;
    }
    friend bool operator==(const ManyBits&, const ManyBits&) = default;

private:
    std::vector<std::uint64_t> words_;
};

// A constraint, the pairs of placeholders that contradict it, and a weight.
template <class Real, class Bits>
struct Weighted {
    Bits pairs;
    Bits contradicted;
    Real weight;
};

// A sum over constraints: each occurs once, in order of first use.
template <class Real, class Bits>
class ConstraintSum {
public:
    using Term = Weighted<Real, Bits>;

    void clear() {
        terms_.clear();
        slots_.clear();
    }
    void add(const Bits& pairs, const Bits& contradicted, Real weight) {
        if (slots_.empty()) {
            for (Term& term : terms_)
                if (term.pairs == pairs) return void(term.weight += weight);
        } else {
            const std::size_t slot = find(pairs);
            if (slots_[slot] != kNone) return void(terms_[slots_[slot]].weight += weight);
            slots_[slot] = static_cast<std::uint32_t>(terms_.size());
        }
        terms_.push_back({pairs, contradicted, weight});
        if (terms_.size() > kFewTerms && 2 * terms_.size() > slots_.size()) index();
    }
    std::size_t size() const { return terms_.size(); }
    const std::vector<Term>& terms() const { return terms_; }

private:
    static constexpr std::size_t kFewTerms = 16;  // a linear search is faster up to there

    std::size_t find(const Bits& pairs) const {
        std::size_t slot = pairs.hash() & (slots_.size() - 1);
        while (slots_[slot] != kNone && !(terms_[slots_[slot]].pairs == pairs)) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void index() {
        slots_.assign(4 * std::bit_ceil(terms_.size()), kNone);
        for (std::size_t term = 0; term < terms_.size(); ++term)
            slots_[find(terms_[term].pairs)] = static_cast<std::uint32_t>(term);
    }

    std::vector<Term> terms_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace treekernels
