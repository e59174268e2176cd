// Shuffled element-wise products, a <> b = p1(a) * p2(b), of sign vectors and of normally distributed ones.
#include <algorithm>

#include "core/memory/simd.hpp"
#include "embedding/vectors/composition.hpp"
#include "embedding/vectors/lanes.hpp"

namespace treekernels {

namespace {

// Both kinds of labels; how they are composed is left open.
template <class T>
class Product : public Composition<T> {
public:
    double label_scale(const Stream& stream) const override {
        return normal_ ? normal_scale(stream, this->dimension()) : 1.0;
    }
    void label(std::size_t block, const Stream& stream, double scale, T* out) const override {
        const std::size_t first = this->first_column(block), count = this->column_count(block);
        if (normal_) return fill_normals(stream, first, count, scale, out);
        const std::size_t lines = count / kLineLanes;
        fill_signs(stream, first / kLineLanes, lines, out);
        if (count % kLineLanes == 0) return;
        T last_line[kLineLanes];
        fill_signs(stream, first / kLineLanes + lines, 1, last_line);
        std::copy_n(last_line, count % kLineLanes, out + lines * kLineLanes);
    }
    double label_bound() const override { return normal_ ? 2 * kLargestNormal : 1.0; }

protected:
    Product(std::size_t dimension, bool normal) : Composition<T>(dimension), normal_(normal) {}

private:
    bool normal_;
};

template <class T>
struct LineTables {
    const std::uint32_t* first;
    const std::uint32_t* second;
    std::size_t lines;
};

// Where line l of the result comes from: first[l] of a and second[l] of b, each shuffled within.
template <class T>
TREEKERNELS_INLINE void compose_lines(const LineTables<T>& tables, const Operand<T>& a, const Operand<T>& b,
                                      T* __restrict out) {
    const auto at = [](const T* vector, std::uint32_t place)
                        TREEKERNELS_INLINE_LAMBDA { return reinterpret_cast<const Line<T>*>(vector + place); };
    // Copies, because the compiler must assume that writing the result could change what is behind a reference.
    const std::uint32_t *const first = tables.first, *const second = tables.second;
    const T *const label_a = a.label, *const vector_a = a.vector, *const label_b = b.label, *const vector_b = b.vector;
    const T weight_a = a.weight, weight_b = b.weight;
    const std::size_t lines = tables.lines;
    for_operands(a, b, [=]<bool LabelA, bool VectorA, bool LabelB, bool VectorB>() TREEKERNELS_INLINE_LAMBDA {
        for (std::size_t line = 0; line < lines; ++line) {
            const std::uint32_t from_a = first[line], from_b = second[line];
            Line<T> x, y;
            if constexpr (VectorA) x = weight_a * *at(vector_a, from_a);
            if constexpr (LabelA && VectorA) x = *at(label_a, from_a) + x;
            if constexpr (LabelA && !VectorA) x = *at(label_a, from_a);
            if constexpr (VectorB) y = weight_b * *at(vector_b, from_b);
            if constexpr (LabelB && VectorB) y = *at(label_b, from_b) + y;
            if constexpr (LabelB && !VectorB) y = *at(label_b, from_b);
            *reinterpret_cast<Line<T>*>(out + kLineLanes * line) =
                TREEKERNELS_SHUFFLE(x, TREEKERNELS_LANES_1) * TREEKERNELS_SHUFFLE(y, TREEKERNELS_LANES_2);
        }
    });
}

template <class T>
void compose_in_lines(const LineTables<T>& tables, const Operand<T>& a, const Operand<T>& b, T* out) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { compose_lines(tables, a, b, out); });
}

// Permutations that move whole lines of eight elements within a block, and the elements of each line in a fixed way.
// The permutations of lines are drawn anew for every block.
template <class T>
class BlockProduct : public Product<T> {
public:
    BlockProduct(std::size_t dimension, bool normal, std::uint64_t seed) : Product<T>(dimension, normal) {
        const std::size_t lines = dimension / kLineLanes;
        const std::size_t blocks = (lines + kBlockLines - 1) / kBlockLines;
        for (std::size_t block = 0; block <= blocks; ++block) first_line_.push_back(lines * block / blocks);
        for (std::size_t block = 0; block < blocks; ++block)
            for (std::uint64_t which : {0, 1}) {
                const std::size_t size = first_line_[block + 1] - first_line_[block];
                const Stream stream = stream_of(hash_pair(seed, 2 * block + which), "lines", kPermutationPurpose);
                for (std::uint32_t line : random_permutation(stream, size)) table_[which].push_back(kLineLanes * line);
            }
    }

    std::size_t block_count() const override { return first_line_.size() - 1; }
    std::size_t width(std::size_t block) const override { return this->column_count(block); }
    std::size_t first_column(std::size_t block) const override { return kLineLanes * first_line_[block]; }
    std::size_t column_count(std::size_t block) const override {
        return kLineLanes * (first_line_[block + 1] - first_line_[block]);
    }
    void compose(std::size_t block, const Operand<T>& a, const Operand<T>& b, T* out) const override {
        const std::size_t first = first_line_[block];
        compose_in_lines<T>({table_[0].data() + first, table_[1].data() + first, first_line_[block + 1] - first}, a, b,
                            out);
    }

private:
    // 4 kB of float32: several vectors fit the nearest cache, and those of a tree the next one.
    static constexpr std::size_t kBlockLines = 128;

    std::vector<std::size_t> first_line_;
    std::vector<std::uint32_t> table_[2];
};

// Any permutations of all elements, as in the paper.
template <class T>
class RandomProduct : public Product<T> {
public:
    RandomProduct(std::size_t dimension, bool normal, std::uint64_t seed) : Product<T>(dimension, normal) {
        for (std::uint64_t which : {0, 1})
            table_[which] =
                random_permutation(stream_of(hash_pair(seed, which), "elements", kPermutationPurpose), dimension);
    }
    std::size_t width(std::size_t) const override { return this->dimension(); }
    void compose(std::size_t, const Operand<T>& a, const Operand<T>& b, T* __restrict out) const override {
        for_operands(a, b, [&]<bool LabelA, bool VectorA, bool LabelB, bool VectorB>() {
            for (std::size_t i = 0; i < this->dimension(); ++i) {
                const std::uint32_t from_a = table_[0][i], from_b = table_[1][i];
                T x{}, y{};
                if constexpr (VectorA) x = a.weight * a.vector[from_a];
                if constexpr (LabelA) x = VectorA ? a.label[from_a] + x : a.label[from_a];
                if constexpr (VectorB) y = b.weight * b.vector[from_b];
                if constexpr (LabelB) y = VectorB ? b.label[from_b] + y : b.label[from_b];
                out[i] = x * y;
            }
        });
    }

private:
    std::vector<std::uint32_t> table_[2];
};

}  // namespace

template <class T>
void Composition<T>::to_columns(std::size_t block, const T* vector, T* columns) const {
    std::copy_n(vector, column_count(block), columns);
}

template <class T>
void Composition<T>::from_columns(std::size_t block, const T* columns, T* vector) const {
    std::copy_n(columns, column_count(block), vector);
}

template <class T>
std::unique_ptr<Composition<T>> make_product(bool normal, Permutations permutations, std::size_t dimension,
                                             std::uint64_t seed) {
    if (permutations == Permutations::structured && dimension % kLineLanes == 0)
        return std::make_unique<BlockProduct<T>>(dimension, normal, seed);
    return std::make_unique<RandomProduct<T>>(dimension, normal, seed);
}

template <class T>
std::unique_ptr<Composition<T>> make_composition(CompositionKind kind, Permutations permutations, std::size_t dimension,
                                                 std::uint64_t seed) {
    if (kind == CompositionKind::convolution) return make_convolution<T>(permutations, dimension, seed);
    return make_product<T>(kind == CompositionKind::product, permutations, dimension, seed);
}

template class Composition<float>;
template class Composition<double>;
template std::unique_ptr<Composition<float>> make_composition(CompositionKind, Permutations, std::size_t,
                                                              std::uint64_t);
template std::unique_ptr<Composition<double>> make_composition(CompositionKind, Permutations, std::size_t,
                                                               std::uint64_t);

}  // namespace treekernels
