#include "core/memory/simd.hpp"
#include "learners/summand.hpp"

namespace treekernels {

namespace {

// scores[k * size + j] += gram[j] * alpha[k]
template <class T>
TREEKERNELS_INLINE void add_to_all(const T* gram, std::size_t size, const double* alpha, std::size_t outputs,
                                   double* scores) {
    constexpr std::size_t kTile = 1024;  // of the row, in the nearest cache for all outputs
    for (std::size_t begin = 0; begin < size; begin += kTile) {
        const std::size_t end = std::min(size, begin + kTile);
        for (std::size_t k = 0; k < outputs; ++k) {
            if (alpha[k] == 0.0) continue;
            double* to = scores + k * size;
            for (std::size_t j = begin; j < end; ++j) to[j] += static_cast<double>(gram[j]) * alpha[k];
        }
    }
}

template <class T>
void add_row(const T* gram, std::size_t size, const double* alpha, std::size_t outputs, double* scores) {
    with_simd([&]() TREEKERNELS_INLINE_LAMBDA { add_to_all(gram, size, alpha, outputs, scores); });
}

template <class T>
class MatrixSummand final : public Summand {
public:
    MatrixSummand(std::span<const T> gram, std::span<const double> scores, std::size_t outputs)
        : gram_(gram), outputs_(outputs), size_(scores.size() / outputs), scores_(scores.size()) {
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t k = 0; k < outputs; ++k) scores_[k * size_ + i] = scores[i * outputs + k];
    }

    double norm(std::size_t i, const Task&) override { return static_cast<double>(gram_[i * size_ + i]); }
    void score(std::size_t i, double* scores, const Task&) override {
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] += scores_[k * size_ + i];
    }
    void add_prepared(std::size_t i, const double* alpha) override {
        add_row(gram_.data() + i * size_, size_, alpha, outputs_, scores_.data());
    }

private:
    std::span<const T> gram_;
    std::size_t outputs_;
    std::size_t size_;
    std::vector<double> scores_;  // by column, then example
};

}  // namespace

template <class T>
std::unique_ptr<Summand> matrix_summand(std::span<const T> gram, std::span<const double> scores, std::size_t outputs) {
    return std::make_unique<MatrixSummand<T>>(gram, scores, outputs);
}
template std::unique_ptr<Summand> matrix_summand(std::span<const float>, std::span<const double>, std::size_t);
template std::unique_ptr<Summand> matrix_summand(std::span<const double>, std::span<const double>, std::size_t);

}  // namespace treekernels
