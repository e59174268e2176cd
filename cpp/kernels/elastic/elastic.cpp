#include "kernels/elastic/elastic.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/elastic/comparison.hpp"

namespace treekernels {

namespace {

template <class Real>
class ElasticCorpusWorker final : public RowWorker<Real> {
public:
    ElasticCorpusWorker(const Corpus& corpus, const ElasticParameters& parameters)
        : comparison_({corpus}, corpus, parameters) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        rows(tree, 1, columns, false, values, 0, task);
    }

    std::size_t together() const override { return ElasticComparison<Real>::kTogether; }
    void rows(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
              std::size_t stride, const Task& task) override {
        trees_.resize(count);
        std::iota(trees_.begin(), trees_.end(), static_cast<std::uint32_t>(first));
        for (std::size_t i = 0; i < count; ++i)
            std::fill_n(values + i * stride, columns + (triangle ? i : 0), Real(0.0));
        const auto take_sums = [&](std::size_t begin, std::span<const std::uint32_t> roots, std::uint32_t column,
                                   const Real* sums) {
            for (std::size_t i = 0; i < roots.size(); ++i)
                if (column < columns + (triangle ? begin + i : 0))
                    values[(begin + i) * stride + column] = sums[roots[i]];
        };
        comparison_.compare(
            trees_, columns + (triangle ? count - 1 : 0),
            [&](std::size_t end) { return columns + (triangle ? end - 1 : 0); }, take_sums, task);
    }

private:
    ElasticComparison<Real> comparison_;
    std::vector<std::uint32_t> trees_;
};

template <class Real>
class ElasticRows final : public Rows<Real> {
public:
    ElasticRows(const Corpus& corpus, const ElasticParameters& parameters) : corpus_(corpus), parameters_(parameters) {}

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<ElasticCorpusWorker<Real>>(corpus_, parameters_);
    }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
};

template <class Real>
class ElasticPairWorker final : public PairWorker<Real> {
public:
    ElasticPairWorker(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus),
          sweep_({corpus}, parameters, algorithm == PairAlgorithm::quadratic),
          plan_(corpus, *parameters.similarity) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        if (a != loaded_) {
            const auto tree = static_cast<std::uint32_t>(a);
            sweep_.load({&tree, 1});
            plan_.see({corpus_}, {&tree, 1});
        }
        loaded_ = a;
        plan_.plan(corpus_.nodes(b), task);
        const std::uint32_t last = plan_.step_of(corpus_.root(b));
        Real result(0.0);
        if (last == kNone) return result;
        const std::uint32_t root = sweep_.roots()[0];
        const auto take_sums = [&](std::size_t step, const Real* sums) {
            if (step == last) result = sums[root];
        };
        sweep_.run(plan_, last + 1, take_sums, task);
        return result;
    }

private:
    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    ElasticColumns plan_;
    std::size_t loaded_ = static_cast<std::size_t>(-1);
};

template <class Real>
class ElasticPairs final : public PairValues<Real> {
public:
    ElasticPairs(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus), parameters_(parameters), algorithm_(algorithm) {}

    std::unique_ptr<PairWorker<Real>> worker() const override {
        return std::make_unique<ElasticPairWorker<Real>>(corpus_, parameters_, algorithm_);
    }
    // The sweep looks after its memory itself.
    double self_memory(std::size_t) const override { return 0.0; }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
    PairAlgorithm algorithm_;
};

}  // namespace

template <class Real>
std::unique_ptr<Rows<Real>> elastic_rows(const Corpus& corpus, const ElasticParameters& parameters) {
    return std::make_unique<ElasticRows<Real>>(corpus, parameters);
}
template std::unique_ptr<Rows<double>> elastic_rows(const Corpus&, const ElasticParameters&);
template std::unique_ptr<Rows<Wide>> elastic_rows(const Corpus&, const ElasticParameters&);

template <class Real>
std::unique_ptr<PairValues<Real>> elastic_pairs(const Corpus& corpus, const ElasticParameters& parameters,
                                                PairAlgorithm algorithm) {
    return std::make_unique<ElasticPairs<Real>>(corpus, parameters, algorithm);
}
template std::unique_ptr<PairValues<double>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);
template std::unique_ptr<PairValues<Wide>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);

}  // namespace treekernels
