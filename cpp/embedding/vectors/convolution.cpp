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
#include <numeric>
#include <stdexcept>

#include "core/memory/simd.hpp"
#include "embedding/vectors/composition.hpp"

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

// One round of the transform: combines transforms of `half` numbers into ones of twice as many. Numbers are kept as all
// real parts, then all imaginary parts.
TREEKERNELS_INLINE void combine_all(double* __restrict real, double* __restrict imaginary, const double* root_real,
                                    const double* root_imaginary, std::size_t size, std::size_t half) {
    for (std::size_t begin = 0; begin < size; begin += 2 * half) {
        double *low_real = real + begin, *high_real = low_real + half;
        double *low_imaginary = imaginary + begin, *high_imaginary = low_imaginary + half;
        for (std::size_t k = 0; k < half; ++k) {
            const double turned_real = high_real[k] * root_real[k] - high_imaginary[k] * root_imaginary[k];
            const double turned_imaginary = high_real[k] * root_imaginary[k] + high_imaginary[k] * root_real[k];
            high_real[k] = low_real[k] - turned_real;
            high_imaginary[k] = low_imaginary[k] - turned_imaginary;
            low_real[k] += turned_real;
            low_imaginary[k] += turned_imaginary;
        }
    }
}

void combine(double* real, double* imaginary, const double* root_real, const double* root_imaginary, std::size_t size,
             std::size_t half) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { combine_all(real, imaginary, root_real, root_imaginary, size, half); });
}

// The discrete Fourier transform of a power of two of numbers, in place.
class Fourier {
public:
    explicit Fourier(std::size_t size) : size_(size), reversed_(size) {
        for (std::size_t half = 1; half < size; half *= 2)
            for (std::size_t k = 0; k < half; ++k) {
                const Root root = unit_root(k, 2 * half);
                root_real_.push_back(root.real);
                root_imaginary_.push_back(-root.imaginary);
            }
        for (std::size_t i = 1; i < size; ++i)
            reversed_[i] = reversed_[i / 2] / 2 + (i % 2 == 0 ? 0U : static_cast<std::uint32_t>(size / 2));
    }

    void transform(double* real, double* imaginary) const {
        for (std::size_t i = 0; i < size_; ++i)
            if (i < reversed_[i]) {
                std::swap(real[i], real[reversed_[i]]);
                std::swap(imaginary[i], imaginary[reversed_[i]]);
            }
        for (std::size_t half = 1; half < size_; half *= 2)
            combine(real, imaginary, root_real_.data() + half - 1, root_imaginary_.data() + half - 1, size_, half);
    }

private:
    std::size_t size_;
    std::vector<double> root_real_, root_imaginary_;  // of each round, one after the other
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
        thread_local std::vector<double> room;  // so large that to get it anew each time would take long
        room.resize(4 * size);
        double *real = room.data(), *imaginary = real + size, *out_real = imaginary + size,
               *out_imaginary = out_real + size;
        // Both vectors in one transform, as real and imaginary parts.
        for_operands(a, b, [&]<bool LabelA, bool VectorA, bool LabelB, bool VectorB>() {
            for (std::size_t i = 0; i < size; ++i) {
                real[i] = static_cast<double>(element<LabelA, VectorA>(a, table_[0][i]));
                imaginary[i] = static_cast<double>(element<LabelB, VectorB>(b, table_[1][i]));
            }
        });
        fourier_.transform(real, imaginary);
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t mirrored = (size - k) % size;
            const double a_real = (real[k] + real[mirrored]) / 2,
                         a_imaginary = (imaginary[k] - imaginary[mirrored]) / 2;
            const double b_real = (imaginary[k] + imaginary[mirrored]) / 2,
                         b_imaginary = (real[mirrored] - real[k]) / 2;
            // Conjugated, so that the same transform leads back.
            out_real[k] = a_real * b_real - a_imaginary * b_imaginary;
            out_imaginary[k] = -(a_real * b_imaginary + a_imaginary * b_real);
        }
        fourier_.transform(out_real, out_imaginary);
        const double scale = 1.0 / (static_cast<double>(size) * growth());
        for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<T>(scale * out_real[i]);
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
