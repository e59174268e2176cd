// The summands of a kernel, for Python to put together.
#include <algorithm>

#include "bind/models/model.hpp"
#include "bind/summand_source.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kBriefExamples = 256;

class ForestSource final : public SummandSource {
public:
    ForestSource(Model& model, const Dag& dag, ConstVector<Node> roots)
        : model_(model), dag_(dag), roots_(std::move(roots)) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned threads, const Task&) override {
        if (outputs != model_.forest->outputs()) throw std::invalid_argument("the forest has other outputs");
        check_nodes(dag_, span_of(roots_));
        return forest_summand(*model_.forest, model_.term, dag_, span_of(roots_), threads);
    }
    std::size_t size() const override { return roots_.size(); }
    bool brief() const override {
        return model_.forest->size() < kBriefNodes && is_brief(dag_, span_of(roots_), kBriefComparison);
    }
    void list(Locks& locks) const override {
        SummandSource::list(locks);
        locks.read(dag_.mutex()).write(model_.mutex());
    }

private:
    Model& model_;
    const Dag& dag_;
    ConstVector<Node> roots_;
};

class RespondingSource final : public SummandSource {
public:
    RespondingSource(const Dag& dag, ConstVector<Node> roots, TreeKernel kernel, bool normalize, double weight,
                     std::size_t bytes)
        : dag_(dag), roots_(std::move(roots)), term_{std::move(kernel), normalize, weight}, bytes_(bytes) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned threads, const Task& task) override {
        check_nodes(dag_, span_of(roots_));
        return responding_summand(term_, outputs, dag_, span_of(roots_), bytes_, threads, task);
    }
    std::size_t size() const override { return roots_.size(); }
    bool brief() const override { return is_brief(dag_, span_of(roots_), kBriefComparison); }
    void list(Locks& locks) const override {
        SummandSource::list(locks);
        locks.read(dag_.mutex());
    }

private:
    const Dag& dag_;
    ConstVector<Node> roots_;
    TreeTerm term_;
    std::size_t bytes_;
};

struct SparseArrays {
    ConstVector<std::int64_t> offsets;
    ConstVector<std::int32_t> features;
    ConstVector<double> values;

    SparseRows rows(std::size_t feature_count) const {
        const SparseRows rows{span_of(offsets), span_of(features), span_of(values)};
        bool good = offsets.size() > 0 && features.size() == values.size() && rows.offsets.front() == 0 &&
                    std::ranges::is_sorted(rows.offsets) &&
                    rows.offsets.back() == static_cast<std::int64_t>(features.size());
        for (std::int32_t feature : rows.features)
            good = good && feature >= 0 && static_cast<std::size_t>(feature) < feature_count;
        if (!good) throw std::invalid_argument("not a sparse matrix");
        return rows;
    }
};

class LinearSource final : public SummandSource {
public:
    LinearSource(WholeMatrix<double> weights, ConstVector<std::int64_t> offsets, ConstVector<std::int32_t> features,
                 ConstVector<double> values, double weight)
        : weights_(std::move(weights)),
          arrays_{std::move(offsets), std::move(features), std::move(values)},
          weight_(weight) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned, const Task&) override {
        check_shape(weights_, weights_.shape(0), outputs);
        return linear_summand(span_of_all(weights_), outputs, weight_, arrays_.rows(weights_.shape(0)));
    }
    std::size_t size() const override { return arrays_.offsets.size() - 1; }
    bool brief() const override { return size() < kBriefExamples && arrays_.features.size() < kBriefNodes; }

private:
    WholeMatrix<double> weights_;
    SparseArrays arrays_;
    double weight_;
};

class PolynomialSource final : public SummandSource {
public:
    PolynomialSource(std::size_t features, ConstVector<std::int64_t> offsets, ConstVector<std::int32_t> indices,
                     ConstVector<double> values, double degree, double gamma, double coef0, double weight)
        : features_(features),
          arrays_{std::move(offsets), std::move(indices), std::move(values)},
          kernel_{degree, gamma, coef0, weight} {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned, const Task&) override {
        return polynomial_summand(kernel_, outputs, features_, arrays_.rows(features_));
    }
    std::size_t size() const override { return arrays_.offsets.size() - 1; }
    bool brief() const override { return size() < kBriefExamples && arrays_.features.size() < kBriefNodes; }

private:
    std::size_t features_;
    SparseArrays arrays_;
    Polynomial kernel_;
};

template <class T>
class MatrixSource final : public SummandSource {
public:
    MatrixSource(WholeMatrix<T> gram, WholeMatrix<double> scores)
        : gram_(std::move(gram)), scores_(std::move(scores)) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned, const Task&) override {
        check_shape(gram_, size(), size());
        check_shape(scores_, size(), outputs);
        return matrix_summand<T>({gram_.data(), gram_.size()}, span_of_all(scores_), outputs);
    }
    std::size_t size() const override { return gram_.shape(0); }
    bool brief() const override { return size() < kBriefExamples; }

private:
    WholeMatrix<T> gram_;
    WholeMatrix<double> scores_;
};

class KnownScoresSource final : public SummandSource {
public:
    KnownScoresSource(WholeMatrix<double> scores, double constant) : scores_(std::move(scores)), constant_(constant) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned, const Task&) override {
        check_shape(scores_, size(), outputs);
        return known_scores(span_of_all(scores_), outputs, constant_);
    }
    std::size_t size() const override { return scores_.shape(0); }
    bool brief() const override { return size() < kBriefExamples; }

private:
    WholeMatrix<double> scores_;
    double constant_;
};

class MissingSource final : public SummandSource {
public:
    MissingSource(SummandSource& whole, ConstVector<std::uint8_t> missing)
        : whole_(whole), missing_(std::move(missing)) {}
    std::unique_ptr<Summand> make(std::size_t outputs, unsigned threads, const Task& task) override {
        if (missing_.size() != whole_.size()) throw std::invalid_argument("it is not said of each example");
        return missing_summand(whole_.make(outputs, threads, task), span_of(missing_));
    }
    std::size_t size() const override { return whole_.size(); }
    bool brief() const override { return whole_.brief(); }
    void list(Locks& locks) const override {
        SummandSource::list(locks);
        whole_.list(locks);
    }

private:
    SummandSource& whole_;
    ConstVector<std::uint8_t> missing_;
};

}  // namespace

void bind_summands(nb::module_& m) {
    nb::class_<SummandSource>(m, "Summand", "One summand of a kernel, with the examples of a batch.");
    nb::class_<ForestSource, SummandSource>(m, "ForestSummand")
        .def(nb::init<Model&, const Dag&, ConstVector<Node>>(), "forest"_a, "dag"_a, "roots"_a, nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>());
    nb::class_<RespondingSource, SummandSource>(m, "RespondingSummand")
        .def(nb::init<const Dag&, ConstVector<Node>, TreeKernel, bool, double, std::size_t>(), "dag"_a, "roots"_a,
             "kernel"_a, "normalize"_a, "weight"_a, "bytes"_a, nb::keep_alive<1, 2>());
    nb::class_<LinearSource, SummandSource>(m, "LinearSummand")
        .def(nb::init<WholeMatrix<double>, ConstVector<std::int64_t>, ConstVector<std::int32_t>, ConstVector<double>,
                      double>(),
             "weights"_a.noconvert(), "offsets"_a, "features"_a, "values"_a, "weight"_a);
    nb::class_<PolynomialSource, SummandSource>(m, "PolynomialSummand")
        .def(nb::init<std::size_t, ConstVector<std::int64_t>, ConstVector<std::int32_t>, ConstVector<double>, double,
                      double, double, double>(),
             "n_features"_a, "offsets"_a, "features"_a, "values"_a, "degree"_a, "gamma"_a, "coef0"_a, "weight"_a);
    nb::class_<MatrixSource<double>, SummandSource>(m, "MatrixSummand")
        .def(nb::init<WholeMatrix<double>, WholeMatrix<double>>(), "gram"_a, "scores"_a);
    nb::class_<MatrixSource<float>, SummandSource>(m, "FloatMatrixSummand")
        .def(nb::init<WholeMatrix<float>, WholeMatrix<double>>(), "gram"_a, "scores"_a);
    nb::class_<KnownScoresSource, SummandSource>(m, "KnownScoresSummand")
        .def(nb::init<WholeMatrix<double>, double>(), "scores"_a, "constant"_a);
    nb::class_<MissingSource, SummandSource>(m, "MissingSummand")
        .def(nb::init<SummandSource&, ConstVector<std::uint8_t>>(), "summand"_a, "missing"_a, nb::keep_alive<1, 2>());
}

}  // namespace treekernels
