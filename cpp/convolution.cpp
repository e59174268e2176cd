// Shuffled circular convolution, a <> b = p1(a) convolved with p2(b).
//
// With affine permutations, p(x)[i] = x[alpha i + beta mod d], everything stays in the frequency domain: there the
// spectrum of p(x) is that of x with its places permuted and turned by a phase, and a convolution is an element-wise
// product. Labels have spectra of modulus 1 and random phases: of normally distributed vectors, the modulus at a place
// would be multiplied over and over, and few places would take over all of a long composition.
// With random permutations, which mix the places, labels are normally distributed as in the paper, and each composition
// takes a Fourier transform there and back.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numeric>
#include <stdexcept>

#include "composition.hpp"

namespace treekernels {

namespace {

// The operand at one place.
template <bool HasLabel, bool HasVector, class T>
T element(const Operand<T>& operand, std::size_t place) {
    if constexpr (!HasVector) return operand.label[place];
    const T scaled = operand.weight * operand.vector[place];
    if constexpr (HasLabel) return operand.label[place] + scaled;
    return scaled;
}

// A spectrum is kept as the real parts of the places 0 .. d/2 and then the imaginary parts. The columns of the result
// are an orthonormal basis of the same space: the dot product of two columns is that of the vectors in time.
template <class T>
class AffineConvolution : public Composition<T> {
public:
    AffineConvolution(std::size_t dimension, std::uint64_t seed)
        : Composition<T>(dimension), places_(dimension / 2 + 1) {
        const Stream stream = stream_of(seed, "affine", kPermutationPurpose);
        std::uint64_t at = 0;
        Affine first{}, second{};
        // In the smallest dimensions all of them may commute.
        for (int attempts = 0; attempts < 100 && (attempts == 0 || commute(first, second)); ++attempts) {
            first = draw(stream, at);
            second = draw(stream, at);
        }
        source_[0] = sources(first);
        source_[1] = sources(second);
        for (std::size_t place = 0; place < places_; ++place) {
            const Root root = unit_root((first.shift + second.shift) % dimension * place, dimension);
            turn_real_.push_back(static_cast<T>(root.real));
            turn_imaginary_.push_back(static_cast<T>(root.imaginary));
        }
    }

    std::size_t width(std::size_t) const override { return 2 * places_; }
    void label(std::size_t block, const Stream& stream, double, T* out) const override {
        const std::size_t lines = (this->dimension() + 7) / 8;
        std::vector<T> columns(8 * lines);
        fill_signs(stream, 0, lines, columns.data());
        from_columns(block, columns.data(), out);
    }
    double label_bound() const override { return 1.0; }
    double growth() const override { return 2.0; }

    void compose(std::size_t, const Operand<T>& a, const Operand<T>& b, T* __restrict out) const override {
        for_operands(a, b, [&]<bool LabelA, bool VectorA, bool LabelB, bool VectorB>() {
            for (std::size_t place = 0; place < places_; ++place) {
                const Source from_a = source_[0][place], from_b = source_[1][place];
                const T a_real = element<LabelA, VectorA>(a, from_a.place);
                const T a_imaginary = from_a.sign * element<LabelA, VectorA>(a, from_a.place + places_);
                const T b_real = element<LabelB, VectorB>(b, from_b.place);
                const T b_imaginary = from_b.sign * element<LabelB, VectorB>(b, from_b.place + places_);
                const T real = a_real * b_real - a_imaginary * b_imaginary;
                const T imaginary = a_real * b_imaginary + a_imaginary * b_real;
                out[place] = real * turn_real_[place] - imaginary * turn_imaginary_[place];
                out[place + places_] = real * turn_imaginary_[place] + imaginary * turn_real_[place];
            }
        });
        // The spectrum of a real vector is real at these places, but for rounding.
        out[places_] = T(0);
        if (this->dimension() % 2 == 0) out[2 * places_ - 1] = T(0);
    }

    void to_columns(std::size_t, const T* vector, T* columns) const override {
        visit([&](std::size_t column, std::size_t number, T factor) { columns[column] = factor * vector[number]; });
    }
    void from_columns(std::size_t, const T* columns, T* vector) const override {
        std::fill_n(vector, 2 * places_, T(0));
        visit([&](std::size_t column, std::size_t number, T factor) { vector[number] = columns[column] / factor; });
    }

private:
    // In the frequency domain: place k comes from place scale * k, turned by the angle of shift * k.
    struct Affine {
        std::uint64_t scale;
        std::uint64_t shift;
    };
    struct Source {
        std::uint32_t place;
        T sign;  // of the imaginary part: the upper half of a spectrum is the lower one, conjugated
    };

    Affine draw(const Stream& stream, std::uint64_t& at) const {
        Affine result{0, 0};
        do result.scale = random_below(stream, at, this->dimension());
        while (std::gcd(result.scale, static_cast<std::uint64_t>(this->dimension())) != 1);
        result.shift = random_below(stream, at, this->dimension());
        return result;
    }
    bool commute(const Affine& a, const Affine& b) const {
        // Applied one after the other: the scales multiply, and the first's shift is scaled by the second.
        return (a.shift + a.scale * b.shift) % this->dimension() == (b.shift + b.scale * a.shift) % this->dimension();
    }
    std::vector<Source> sources(const Affine& affine) const {
        std::vector<Source> result;
        for (std::size_t place = 0; place < places_; ++place) {
            const std::uint64_t from = affine.scale * place % this->dimension();
            const bool upper = from >= places_;
            result.push_back(
                {static_cast<std::uint32_t>(upper ? this->dimension() - from : from), upper ? T(-1) : T(1)});
        }
        return result;
    }
    template <class Function>
    void visit(const Function& function) const {
        const T root_two = std::sqrt(T(2));
        const bool even = this->dimension() % 2 == 0;
        std::size_t column = 0;
        for (std::size_t place = 0; place < places_; ++place) {
            const bool real = place == 0 || (even && place + 1 == places_);
            function(column++, place, real ? T(1) : root_two);
            if (!real) function(column++, place + places_, root_two);
        }
    }

    std::size_t places_;
    std::vector<Source> source_[2];
    std::vector<T> turn_real_, turn_imaginary_;
};

// The discrete Fourier transform of a power of two of numbers, in place.
class Fourier {
public:
    explicit Fourier(std::size_t size) : size_(size) {
        for (std::size_t k = 0; k < size / 2; ++k) {
            const Root root = unit_root(k, size);
            root_.emplace_back(root.real, -root.imaginary);
        }
        const int bits = std::countr_zero(size);
        for (std::size_t i = 0; i < size; ++i) {
            std::size_t reversed = 0;
            for (int bit = 0; bit < bits; ++bit) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
            reversed_.push_back(static_cast<std::uint32_t>(reversed));
        }
    }

    void transform(std::complex<double>* values) const {
        for (std::size_t i = 0; i < size_; ++i)
            if (i < reversed_[i]) std::swap(values[i], values[reversed_[i]]);
        for (std::size_t half = 1; half < size_; half *= 2)
            for (std::size_t begin = 0; begin < size_; begin += 2 * half)
                for (std::size_t k = 0; k < half; ++k) {
                    const std::complex<double> root = root_[k * (size_ / (2 * half))];
                    std::complex<double>&low = values[begin + k], &high = values[begin + k + half];
                    // Written out: the library's product also looks after infinities.
                    const std::complex<double> turned(high.real() * root.real() - high.imag() * root.imag(),
                                                      high.real() * root.imag() + high.imag() * root.real());
                    high = low - turned;
                    low += turned;
                }
    }

private:
    std::size_t size_;
    std::vector<std::complex<double>> root_;
    std::vector<std::uint32_t> reversed_;
};

template <class T>
class RandomConvolution : public Composition<T> {
public:
    RandomConvolution(std::size_t dimension, std::uint64_t seed) : Composition<T>(dimension), fourier_(dimension) {
        for (std::uint64_t which : {0, 1})
            table_[which] =
                random_permutation(stream_of(hash_pair(seed, which), "elements", kPermutationPurpose), dimension);
    }
    std::size_t width(std::size_t) const override { return this->dimension(); }
    double label_scale(const Stream& stream) const override { return normal_scale(stream, this->dimension()); }
    void label(std::size_t, const Stream& stream, double scale, T* out) const override {
        fill_normals(stream, 0, this->dimension(), scale, out);
    }
    double label_bound() const override { return 2 * kLargestNormal; }
    double growth() const override { return std::sqrt(static_cast<double>(this->dimension())); }

    void compose(std::size_t, const Operand<T>& a, const Operand<T>& b, T* out) const override {
        const std::size_t size = this->dimension();
        // Both vectors in one transform, as real and imaginary parts.
        std::vector<std::complex<double>> both(size), product(size);
        for_operands(a, b, [&]<bool LabelA, bool VectorA, bool LabelB, bool VectorB>() {
            for (std::size_t i = 0; i < size; ++i)
                both[i] = {static_cast<double>(element<LabelA, VectorA>(a, table_[0][i])),
                           static_cast<double>(element<LabelB, VectorB>(b, table_[1][i]))};
        });
        fourier_.transform(both.data());
        for (std::size_t k = 0; k < size; ++k) {
            const std::complex<double> low = both[k], high = both[(size - k) % size];
            const std::complex<double> one((low.real() + high.real()) / 2, (low.imag() - high.imag()) / 2);
            const std::complex<double> two((low.imag() + high.imag()) / 2, (high.real() - low.real()) / 2);
            // Conjugated, so that the same transform leads back.
            product[k] = {one.real() * two.real() - one.imag() * two.imag(),
                          -(one.real() * two.imag() + one.imag() * two.real())};
        }
        fourier_.transform(product.data());
        const double scale = 1.0 / (static_cast<double>(size) * growth());
        for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<T>(scale * product[i].real());
    }

private:
    Fourier fourier_;
    std::vector<std::uint32_t> table_[2];
};

}  // namespace

template <class T>
std::unique_ptr<Composition<T>> make_convolution(Permutations permutations, std::size_t dimension, std::uint64_t seed) {
    if (permutations == Permutations::structured) return std::make_unique<AffineConvolution<T>>(dimension, seed);
    if (!std::has_single_bit(dimension))
        throw std::invalid_argument("convolution with random permutations needs a dimension that is a power of two");
    return std::make_unique<RandomConvolution<T>>(dimension, seed);
}

template std::unique_ptr<Composition<float>> make_convolution(Permutations, std::size_t, std::uint64_t);
template std::unique_ptr<Composition<double>> make_convolution(Permutations, std::size_t, std::uint64_t);

}  // namespace treekernels
