#include "kernels/elastic/elastic.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/elastic/column_nodes.hpp"
#include "kernels/elastic/sweep.hpp"

namespace treekernels {

namespace {

template <class Real>
class ElasticCorpusWorker final : public RowWorker<Real> {
public:
    ElasticCorpusWorker(const Corpus& corpus, const ElasticParameters& parameters, std::span<const Node> list)
        : corpus_(corpus), sweep_(corpus, parameters, false), plan_(corpus, *parameters.similarity), list_(list) {}

    void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
        rows(tree, 1, columns, false, values, 0, task);
    }

    std::size_t together() const override { return 64; }
    void rows(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
              std::size_t stride, const Task& task) override {
        constexpr std::size_t kManyLanes = 128;  // their vectors should stay in a near cache
        const std::size_t most = columns + (triangle ? count - 1 : 0);
        plan_.see(first, count);
        plan_.plan(list_.first(corpus_.limit(most)), task);
        trees_ = group(most, plan_.steps().size(), [&](std::size_t tree) { return plan_.step_of(corpus_.root(tree)); });
        for (std::size_t done = 0; done < count;) {
            std::size_t some = 1;
            std::size_t lanes = corpus_.nodes(first + done).size();
            while (done + some < count && lanes + corpus_.nodes(first + done + some).size() <= kManyLanes)
                lanes += corpus_.nodes(first + done + some++).size();
            const std::size_t begin = columns + (triangle ? done : 0);
            sweep(first + done, some, begin, triangle, values + done * stride, stride, task);
            done += some;
        }
    }

private:
    void sweep(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
               std::size_t stride, const Task& task) {
        sweep_.load(first, count);
        const auto roots = sweep_.roots();
        for (std::size_t i = 0; i < count; ++i)
            std::fill_n(values + i * stride, columns + (triangle ? i : 0), Real(0.0));
        const auto found = [&](std::size_t step, const Real* sums) {
            for (std::uint32_t column : trees_[step])
                for (std::size_t i = 0; i < count; ++i)
                    if (column < columns + (triangle ? i : 0)) values[i * stride + column] = sums[roots[i]];
        };
        std::size_t step_count = 0;
        for (std::size_t column = 0; column < columns + (triangle ? count - 1 : 0); ++column)
            if (const std::uint32_t step = plan_.step_of(corpus_.root(column)); step != kNone)
                step_count = std::max<std::size_t>(step_count, step + 1);
        sweep_.run(plan_, step_count, found, task);
    }

    const Corpus& corpus_;
    ElasticSweep<Real> sweep_;
    ElasticColumns plan_;
    std::span<const Node> list_;
    Grouping trees_;  // columns by the step of their root
};

template <class Real>
class ElasticRows final : public Rows<Real> {
public:
    ElasticRows(const Corpus& corpus, std::size_t columns, const ElasticParameters& parameters)
        : corpus_(corpus), parameters_(parameters), list_(corpus.limit(columns)) {
        std::iota(list_.begin(), list_.end(), 0);
    }

    std::unique_ptr<RowWorker<Real>> worker() const override {
        return std::make_unique<ElasticCorpusWorker<Real>>(corpus_, parameters_, list_);
    }

private:
    const Corpus& corpus_;
    ElasticParameters parameters_;
    std::vector<Node> list_;
};

template <class Real>
class ElasticPairWorker final : public PairWorker<Real> {
public:
    ElasticPairWorker(const Corpus& corpus, const ElasticParameters& parameters, PairAlgorithm algorithm)
        : corpus_(corpus),
          sweep_(corpus, parameters, algorithm == PairAlgorithm::quadratic),
          plan_(corpus, *parameters.similarity) {}

    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        if (a != loaded_) {
            sweep_.load(a, 1);
            plan_.see(a, 1);
        }
        loaded_ = a;
        plan_.plan(corpus_.nodes(b), task);
        const std::uint32_t last = plan_.step_of(corpus_.root(b));
        Real result(0.0);
        if (last == kNone) return result;
        const std::uint32_t root = sweep_.roots()[0];
        const auto found = [&](std::size_t step, const Real* sums) {
            if (step == last) result = sums[root];
        };
        sweep_.run(plan_, last + 1, found, task);
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
std::unique_ptr<Rows<Real>> elastic_rows(const Corpus& corpus, std::size_t columns,
                                         const ElasticParameters& parameters) {
    return std::make_unique<ElasticRows<Real>>(corpus, columns, parameters);
}
template std::unique_ptr<Rows<double>> elastic_rows(const Corpus&, std::size_t, const ElasticParameters&);
template std::unique_ptr<Rows<Wide>> elastic_rows(const Corpus&, std::size_t, const ElasticParameters&);

template <class Real>
std::unique_ptr<PairValues<Real>> elastic_pairs(const Corpus& corpus, const ElasticParameters& parameters,
                                                PairAlgorithm algorithm) {
    return std::make_unique<ElasticPairs<Real>>(corpus, parameters, algorithm);
}
template std::unique_ptr<PairValues<double>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);
template std::unique_ptr<PairValues<Wide>> elastic_pairs(const Corpus&, const ElasticParameters&, PairAlgorithm);

}  // namespace treekernels
