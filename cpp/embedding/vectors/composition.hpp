// Ways to compose two vectors into one, for distributed trees: a <> b.
//
// All vectors here are sqrt(dimension) times what the user sees, so that their elements are of the order of 1. A vector
// may fall into blocks that never mix: then each block of all vectors can be computed on its own, within the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/memory/simd.hpp"
#include "embedding/vectors/label_vectors.hpp"

namespace treekernels {

// One side of a composition: label + weight * vector. Either may be missing.
template <class T>
struct Operand {
    const T* label = nullptr;
    const T* vector = nullptr;
    T weight = T(1);
};

enum class CompositionKind { sign, product, convolution };

// Which permutations p1 and p2 are used: any, as in the paper, or ones of a structure that is fast to apply.
enum class Permutations { structured, random };

template <class T>
class Composition {
public:
    virtual ~Composition() = default;

    // The blocks of a vector, how many numbers one has in memory, all of which are set by whatever makes a vector, and
    // which columns of the result it makes.
    virtual std::size_t block_count() const { return 1; }
    virtual std::size_t width(std::size_t block) const = 0;
    virtual std::size_t first_column(std::size_t) const { return 0; }
    virtual std::size_t column_count(std::size_t) const { return dimension_; }
    std::size_t dimension() const { return dimension_; }

    // A number to be given to `label` with the same stream; it takes long enough to be worth keeping.
    virtual double label_scale(const Stream&) const { return 1.0; }
    virtual void label(std::size_t block, const Stream& stream, double scale, T* out) const = 0;
    // out = a <> b; `out` is none of the operands.
    virtual void compose(std::size_t block, const Operand<T>& a, const Operand<T>& b, T* out) const = 0;

    // From memory to columns of the result and back.
    virtual void to_columns(std::size_t block, const T* vector, T* columns) const;
    virtual void from_columns(std::size_t block, const T* columns, T* vector) const;

    // No element of a label's vector is larger, and none of a <> b is larger than the product of the largest of a and b
    // times `growth`.
    virtual double label_bound() const = 0;
    virtual double growth() const { return 1.0; }

protected:
    explicit Composition(std::size_t dimension) : dimension_(dimension) {}

private:
    std::size_t dimension_;
};

// Purposes of streams: the same text and seed give different numbers for each.
inline constexpr std::uint64_t kLabelPurpose = 1;
inline constexpr std::uint64_t kHeadPurpose = 2;
inline constexpr std::uint64_t kPermutationPurpose = 3;

template <class T>
std::unique_ptr<Composition<T>> make_composition(CompositionKind kind, Permutations permutations, std::size_t dimension,
                                                 std::uint64_t seed);

// The element-wise products, of signs or of normal numbers.
template <class T>
std::unique_ptr<Composition<T>> make_product(bool normal, Permutations permutations, std::size_t dimension,
                                             std::uint64_t seed);
// The circular convolution. Random permutations need a dimension that is a power of two.
template <class T>
std::unique_ptr<Composition<T>> make_convolution(Permutations permutations, std::size_t dimension, std::uint64_t seed);

// Calls loop.template operator()<has label, has vector of a, and of b>() for what the operands have.
template <class T, class Loop>
TREEKERNELS_INLINE void for_operands(const Operand<T>& a, const Operand<T>& b, const Loop& loop) {
    const auto with_a = [&]<bool A, bool X>() TREEKERNELS_INLINE_LAMBDA {
        if (!b.vector)
            loop.template operator()<A, X, true, false>();
        else if (!b.label)
            loop.template operator()<A, X, false, true>();
        else
            loop.template operator()<A, X, true, true>();
    };
    if (!a.vector)
        with_a.template operator()<true, false>();
    else if (!a.label)
        with_a.template operator()<false, true>();
    else
        with_a.template operator()<true, true>();
}

}  // namespace treekernels
