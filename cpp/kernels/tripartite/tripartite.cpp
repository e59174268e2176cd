#include "kernels/tripartite/tripartite.hpp"

#include "gram/gram_engine.hpp"
#include "kernels/tripartite/alternatives.hpp"
#include "kernels/tripartite/rows.hpp"
#include "kernels/tripartite/tables/table_worker.hpp"

namespace treekernels {

namespace {

template <class Real, class Worker>
class OrderedWorker final : public PairWorker<Real> {
public:
    OrderedWorker(const AnchoredPairs& examples, double decay) : value_(examples, decay) {}
    // The later example first, so that both halves of a symmetric matrix have the same bits.
    Real operator()(std::size_t a, std::size_t b, const Task& task) override {
        return value_(std::max(a, b), std::min(a, b), task);
    }

private:
    Worker value_;
};

template <class Real>
class SentencePairs final : public PairValues<Real> {
public:
    explicit SentencePairs(const PairsSource& source) : source_(source) {}
    std::unique_ptr<PairWorker<Real>> worker() const override { return source_.worker<Real>(); }
    double self_memory(std::size_t) const override { return 0.0; }

private:
    const PairsSource& source_;
};

}  // namespace

template <class Real>
Norms<Real> PairsSource::norms(const Task&) const {
    return [this] {  // a pair with itself
        return [pair = std::shared_ptr<PairWorker<Real>>(worker<Real>())](std::size_t example, const Task& task) {
            return (*pair)(example, example, task);
        };
    };
}
template Norms<double> PairsSource::norms(const Task&) const;
template Norms<Wide> PairsSource::norms(const Task&) const;

template <class Real>
std::unique_ptr<PairWorker<Real>> PairsSource::worker() const {
    switch (algorithm_) {
        case PairsAlgorithm::tables:
            return std::make_unique<OrderedWorker<Real, TableWorker<Real>>>(*examples_, decay_);
        case PairsAlgorithm::inclusion_exclusion:
            return std::make_unique<OrderedWorker<Real, InclusionExclusionWorker<Real, false>>>(*examples_, decay_);
        case PairsAlgorithm::inclusion_exclusion_anew:
            return std::make_unique<OrderedWorker<Real, InclusionExclusionWorker<Real, true>>>(*examples_, decay_);
        case PairsAlgorithm::maximum:
            return std::make_unique<OrderedWorker<Real, MaximumWorker<Real>>>(*examples_, decay_);
    }
    return nullptr;
}

template <class Real>
std::unique_ptr<Rows<Real>> PairsSource::rows(std::size_t columns, unsigned threads, const Task& task) const {
    if (algorithm_ == PairsAlgorithm::tables) return tripartite_rows<Real>(*examples_, columns, decay_, threads, task);
    return std::make_unique<PairRows<Real>>(std::make_unique<SentencePairs<Real>>(*this));
}

template std::unique_ptr<PairWorker<double>> PairsSource::worker() const;
template std::unique_ptr<PairWorker<Wide>> PairsSource::worker() const;

template std::unique_ptr<Rows<double>> PairsSource::rows(std::size_t, unsigned, const Task&) const;
template std::unique_ptr<Rows<Wide>> PairsSource::rows(std::size_t, unsigned, const Task&) const;

TREEKERNELS_COMPILE_GRAM(PairsSource)

}  // namespace treekernels
