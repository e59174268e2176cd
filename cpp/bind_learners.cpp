// Weighted forests and the learners on them, for Python.
#include <algorithm>

#include "bindings.hpp"
#include "failures.hpp"
#include "online.hpp"
#include "svm.hpp"

namespace treekernels {

namespace {

template <class T>
using WholeMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ForestParameters parameters_of(Kind kind, double decay, double leaf_weight) {
    if (kind != Kind::subtree && kind != Kind::subset) throw nb::value_error("this kernel has no weighted forest");
    return {kind == Kind::subset ? ForestKind::subset : ForestKind::subtree, decay, leaf_weight};
}

// A forest and how its kernel takes part in a sum.
struct Model {
    Model(Kind kind, double decay, double leaf_weight, bool normalize, double weight, std::size_t columns)
        : term{parameters_of(kind, decay, leaf_weight), normalize, weight},
          forest(make_forest(term.parameters, columns)) {
        if (columns == 0) throw nb::value_error("a forest needs at least one column");
    }
    TreeTerm term;
    std::unique_ptr<WeightedForest> forest;
};

std::span<double> span_of_all(WholeMatrix<double>& matrix) { return {matrix.data(), matrix.size()}; }

template <class T>
void check_shape(const WholeMatrix<T>& matrix, std::size_t rows, std::size_t columns) {
    if (matrix.shape(0) != rows || matrix.shape(1) != columns) throw nb::value_error("a matrix has another shape");
}

// Fails if one of the trees is too large to be added or scored.
void check_trees(Model& model, const Dag& dag, const ConstVector<Node>& roots) {
    watched(roots.size() < 100, roots.size(), nb::none(), [&](Task& task) {
        const ReadLock reading(dag.mutex());
        check_nodes(dag, span_of(roots));
        const auto part = forest_part(*model.forest, model.term, dag, span_of(roots));
        for (std::size_t i = 0; i < roots.size(); ++i) part->check(i, task);
    });
}

void add_trees(Model& model, const Dag& dag, const ConstVector<Node>& roots, WholeMatrix<double> alphas) {
    const std::size_t columns = model.forest->columns();
    check_shape(alphas, roots.size(), columns);
    watched(roots.size() < 100, roots.size(), nb::none(), [&](Task& task) {
        const ReadLock reading(dag.mutex());
        check_nodes(dag, span_of(roots));
        const auto part = forest_part(*model.forest, model.term, dag, span_of(roots));
        for (std::size_t i = 0; i < roots.size(); ++i) part->add(i, alphas.data() + i * columns, task);
    });
}

void score_trees(const Model& model, const Dag& dag, const ConstVector<Node>& roots, WholeMatrix<double> out,
                 unsigned threads, const nb::object& progress) {
    const std::size_t columns = model.forest->columns();
    check_shape(out, roots.size(), columns);
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    // Neighbours often share subtrees, which a thread scores once: so not too few together.
    const std::size_t block_size =
        std::clamp<std::size_t>(roots.size() / (16 * std::size_t{execution.threads}), 16, 1024);
    Counter blocks((roots.size() + block_size - 1) / block_size);
    Task task(roots.size());
    const auto work = [&](Task& shared) {
        const ReadLock reading(dag.mutex());
        check_nodes(dag, span_of(roots));
        // Only reads: the forest is not added to.
        const auto part = forest_part(*model.forest, model.term, dag, span_of(roots));
        for (std::size_t block; blocks.take(block);) {
            const std::size_t begin = block * block_size, end = std::min(roots.size(), begin + block_size);
            for (std::size_t i = begin; i < end; ++i) {
                part->score(i, out.data() + i * columns, shared);
                shared.advance(1);
            }
        }
    };
    if (roots.size() < 16 && execution.threads == 1)
        work(task);
    else
        run_watched(task, execution.threads, work, execution.watch);
}

using StateArrays = std::tuple<Vector<Node>, Vector<double>, Vector<double>, Vector<double>>;

StateArrays state_of(const Model& model) {
    ForestState state = model.forest->state();
    return {to_numpy(std::move(state.nodes)), to_numpy(std::move(state.weights)),
            to_numpy(std::move(state.productions)), to_numpy(std::move(state.labels))};
}

// What a part is made of, kept alive by Python until it is used.
class PartSource {
public:
    virtual ~PartSource() = default;
    virtual std::unique_ptr<Part> make(std::size_t columns, const Task& task) = 0;
    virtual std::size_t size() const = 0;
    virtual const Dag* dag() const { return nullptr; }
};

class ForestSource final : public PartSource {
public:
    ForestSource(Model& model, const Dag& dag, ConstVector<Node> roots)
        : model_(model), dag_(dag), roots_(std::move(roots)) {}
    std::unique_ptr<Part> make(std::size_t columns, const Task&) override {
        if (columns != model_.forest->columns()) throw std::invalid_argument("the forest has other columns");
        check_nodes(dag_, span_of(roots_));
        return forest_part(*model_.forest, model_.term, dag_, span_of(roots_));
    }
    std::size_t size() const override { return roots_.size(); }
    const Dag* dag() const override { return &dag_; }

private:
    Model& model_;
    const Dag& dag_;
    ConstVector<Node> roots_;
};

class RespondingSource final : public PartSource {
public:
    RespondingSource(const Dag& dag, ConstVector<Node> roots, Kind kind, double decay, double leaf_weight,
                     bool normalize, double weight, std::size_t bytes)
        : dag_(dag),
          roots_(std::move(roots)),
          term_{parameters_of(kind, decay, leaf_weight), normalize, weight},
          bytes_(bytes) {}
    std::unique_ptr<Part> make(std::size_t columns, const Task& task) override {
        check_nodes(dag_, span_of(roots_));
        return responding_part(term_, columns, dag_, span_of(roots_), bytes_, task);
    }
    std::size_t size() const override { return roots_.size(); }
    const Dag* dag() const override { return &dag_; }

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

class LinearSource final : public PartSource {
public:
    LinearSource(WholeMatrix<double> weights, ConstVector<std::int64_t> offsets, ConstVector<std::int32_t> features,
                 ConstVector<double> values, double weight)
        : weights_(std::move(weights)),
          arrays_{std::move(offsets), std::move(features), std::move(values)},
          weight_(weight) {}
    std::unique_ptr<Part> make(std::size_t columns, const Task&) override {
        check_shape(weights_, weights_.shape(0), columns);
        return linear_part(span_of_all(weights_), columns, weight_, arrays_.rows(weights_.shape(0)));
    }
    std::size_t size() const override { return arrays_.offsets.size() - 1; }

private:
    WholeMatrix<double> weights_;
    SparseArrays arrays_;
    double weight_;
};

class PolynomialSource final : public PartSource {
public:
    PolynomialSource(std::size_t features, ConstVector<std::int64_t> offsets, ConstVector<std::int32_t> indices,
                     ConstVector<double> values, double degree, double gamma, double coef0, double weight)
        : features_(features),
          arrays_{std::move(offsets), std::move(indices), std::move(values)},
          kernel_{degree, gamma, coef0, weight} {}
    std::unique_ptr<Part> make(std::size_t columns, const Task&) override {
        return polynomial_part(kernel_, columns, features_, arrays_.rows(features_));
    }
    std::size_t size() const override { return arrays_.offsets.size() - 1; }

private:
    std::size_t features_;
    SparseArrays arrays_;
    Polynomial kernel_;
};

template <class T>
class MatrixSource final : public PartSource {
public:
    MatrixSource(WholeMatrix<T> gram, WholeMatrix<double> scores)
        : gram_(std::move(gram)), scores_(std::move(scores)) {}
    std::unique_ptr<Part> make(std::size_t columns, const Task&) override {
        check_shape(gram_, size(), size());
        check_shape(scores_, size(), columns);
        return matrix_part<T>({gram_.data(), gram_.size()}, span_of_all(scores_), columns);
    }
    std::size_t size() const override { return gram_.shape(0); }

private:
    WholeMatrix<T> gram_;
    WholeMatrix<double> scores_;
};

// The parts made, and locks on what they read.
struct Parts {
    Parts(const std::vector<PartSource*>& sources, std::size_t examples, std::size_t columns, const Task& task) {
        lock(sources);
        for (PartSource* source : sources) {
            if (source->size() != examples) throw std::invalid_argument("the parts differ in their examples");
            parts.push_back(source->make(columns, task));
        }
    }
    void lock(const std::vector<PartSource*>& sources) {
        std::vector<const Dag*> dags;
        for (const PartSource* source : sources)
            if (const Dag* dag = source->dag()) dags.push_back(dag);
        std::ranges::sort(dags);
        const auto repeated = std::ranges::unique(dags);
        dags.erase(repeated.begin(), repeated.end());
        for (const Dag* dag : dags) locks.emplace_back(dag->mutex());
    }
    std::vector<ReadLock> locks;
    std::vector<std::unique_ptr<Part>> parts;
};

using UpdateArrays = std::tuple<Vector<std::uint64_t>, Vector<std::uint32_t>, Vector<std::uint32_t>,
                                Vector<std::uint32_t>, Vector<double>>;

// Learns, and gives the loss, the time, the updates, and whether it was interrupted: what was learned until then is
// learned.
std::tuple<double, std::uint64_t, UpdateArrays, bool> learn(const std::vector<PartSource*>& sources, Rule rule,
                                                            double C, std::size_t classes, bool mean,
                                                            const ConstVector<std::uint32_t>& labels,
                                                            const ConstVector<std::uint32_t>& order, std::uint64_t time,
                                                            const nb::object& progress) {
    for (std::uint32_t label : span_of(labels))
        if (label >= classes) throw nb::value_error("there is no such class");
    for (std::uint32_t example : span_of(order))
        if (example >= labels.size()) throw nb::index_error("there is no such example");
    const OnlineParameters parameters{rule, C, classes, mean};
    std::vector<Update> updates;
    double loss = 0.0;
    bool interrupted = false;
    try {
        watched(order.size() < 16, order.size(), progress, [&](Task& task) {
            const Parts made(sources, labels.size(), score_columns(classes) * (mean ? 2 : 1), task);
            // All are looked at before anything is learned, so that a failure leaves the model as it was.
            for (std::uint32_t example : span_of(order))
                for (const auto& part : made.parts) part->check(example, task);
            learn_online(made.parts, parameters, span_of(labels), span_of(order), time, loss, updates, task);
        });
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        interrupted = true;
    }
    std::vector<std::uint64_t> times;
    std::vector<std::uint32_t> examples, to, from;
    std::vector<double> amounts;
    for (const Update& update : updates) {
        times.push_back(update.time);
        examples.push_back(update.example);
        to.push_back(update.to);
        from.push_back(update.from);
        amounts.push_back(update.amount);
    }
    return {loss,
            time,
            {to_numpy(std::move(times)), to_numpy(std::move(examples)), to_numpy(std::move(to)),
             to_numpy(std::move(from)), to_numpy(std::move(amounts))},
            interrupted};
}

// A solver with the sources that it reads.
struct Solver {
    Solver(std::vector<PartSource*> from, WholeMatrix<double> target, const ConstVector<double>& bound, bool regression,
           double epsilon, bool bias, std::uint64_t seed)
        : sources(std::move(from)) {
        const std::size_t examples = target.shape(0), columns = target.shape(1);
        check_shape(target, examples, columns);
        if (bound.size() != examples) throw nb::value_error("as many bounds as examples are needed");
        watched(false, 1, nb::none(), [&](Task& task) {
            Parts made(sources, examples, columns, task);
            const SvmProblem problem{examples, columns, span_of_all(target), span_of(bound), regression, epsilon, bias};
            svm = std::make_unique<Svm>(std::move(made.parts), problem, seed, task);
        });
    }
    template <class Work>
    void run(std::uint64_t total, const nb::object& progress, Work work) {
        watched(false, total, progress, [&](Task& task) {
            Parts reading({}, 0, 0, task);
            reading.lock(sources);
            work(task);
        });
    }
    std::vector<PartSource*> sources;
    std::unique_ptr<Svm> svm;
};

}  // namespace

void bind_learners(nb::module_& m) {
    nb::class_<Model>(m, "WeightedForest", "The distinct subtrees of a model, with weights.")
        .def(nb::init<Kind, double, double, bool, double, std::size_t>(), "kind"_a, "decay"_a, "leaf_weight"_a,
             "normalize"_a, "weight"_a, "columns"_a)
        .def("check", &check_trees, "dag"_a, "roots"_a)
        .def("add", &add_trees, "dag"_a, "roots"_a, "alphas"_a)
        .def("score", &score_trees, "dag"_a, "roots"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def("state", &state_of)
        .def(
            "restore",
            [](Model& model, const Dag& dag, const ConstVector<Node>& nodes, const ConstVector<double>& weights,
               const ConstVector<double>& productions, const ConstVector<double>& labels) {
                const auto copy = [](const auto& array) {
                    return std::vector(array.data(), array.data() + array.size());
                };
                ForestState state{copy(nodes), copy(weights), copy(productions), copy(labels)};
                const ReadLock reading(dag.mutex());
                check_nodes(dag, span_of(nodes));
                // Labels get the same numbers as there: leaves keep their weights by label.
                Dag& own = model.forest->dag();
                if (own.size() > 0) throw nb::value_error("only an empty forest can be restored");
                for (Label label = 0; label < dag.label_count(); ++label) own.intern_label(dag.label_text(label));
                state.nodes = own.import(dag, span_of(nodes), Task(0));
                model.forest->restore(state);
            },
            "dag"_a, "nodes"_a, "weights"_a, "productions"_a, "labels"_a)
        .def_prop_ro(
            "dag", [](Model& model) -> Dag& { return model.forest->dag(); }, nb::rv_policy::reference_internal)
        .def_prop_ro("columns", [](const Model& model) { return model.forest->columns(); })
        .def("__len__", [](const Model& model) { return model.forest->size(); });

    nb::class_<PartSource>(m, "Part", "One summand of a kernel, with the examples of a batch.");
    nb::class_<ForestSource, PartSource>(m, "ForestPart")
        .def(nb::init<Model&, const Dag&, ConstVector<Node>>(), "forest"_a, "dag"_a, "roots"_a, nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>());
    nb::class_<RespondingSource, PartSource>(m, "RespondingPart")
        .def(nb::init<const Dag&, ConstVector<Node>, Kind, double, double, bool, double, std::size_t>(), "dag"_a,
             "roots"_a, "kind"_a, "decay"_a, "leaf_weight"_a, "normalize"_a, "weight"_a, "bytes"_a,
             nb::keep_alive<1, 2>());
    nb::class_<LinearSource, PartSource>(m, "LinearPart")
        .def(nb::init<WholeMatrix<double>, ConstVector<std::int64_t>, ConstVector<std::int32_t>, ConstVector<double>,
                      double>(),
             "weights"_a.noconvert(), "offsets"_a, "features"_a, "values"_a, "weight"_a);
    nb::class_<PolynomialSource, PartSource>(m, "PolynomialPart")
        .def(nb::init<std::size_t, ConstVector<std::int64_t>, ConstVector<std::int32_t>, ConstVector<double>, double,
                      double, double, double>(),
             "n_features"_a, "offsets"_a, "features"_a, "values"_a, "degree"_a, "gamma"_a, "coef0"_a, "weight"_a);
    nb::class_<MatrixSource<double>, PartSource>(m, "MatrixPart")
        .def(nb::init<WholeMatrix<double>, WholeMatrix<double>>(), "gram"_a, "scores"_a);
    nb::class_<MatrixSource<float>, PartSource>(m, "FloatMatrixPart")
        .def(nb::init<WholeMatrix<float>, WholeMatrix<double>>(), "gram"_a, "scores"_a);

    nb::enum_<Rule>(m, "Rule")
        .value("perceptron", Rule::perceptron)
        .value("passive_aggressive", Rule::passive_aggressive)
        .value("passive_aggressive_squared", Rule::passive_aggressive_squared);
    m.def("learn_online", &learn, "parts"_a, "rule"_a, "C"_a, "classes"_a, "mean"_a, "labels"_a, "order"_a, "time"_a,
          "progress"_a.none() = nb::none());

    nb::class_<Solver>(m, "Svm", "Support vector machines by dual coordinate descent.")
        .def(nb::init<std::vector<PartSource*>, WholeMatrix<double>, const ConstVector<double>&, bool, double, bool,
                      std::uint64_t>(),
             "parts"_a, "target"_a, "bound"_a, "regression"_a, "epsilon"_a, "bias"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def(
            "resume",
            [](Solver& solver, WholeMatrix<double> beta, const ConstVector<double>& bias, std::uint64_t epoch) {
                if (beta.size() != solver.svm->beta().size() || bias.size() != solver.svm->multipliers().size())
                    throw nb::value_error("the coefficients are of another problem");
                solver.run(1, nb::none(), [&](Task& task) {
                    solver.svm->resume({beta.data(), beta.size()}, span_of(bias), epoch, task);
                });
            },
            "beta"_a, "bias"_a, "epoch"_a)
        .def(
            "epoch",
            [](Solver& solver, const nb::object& progress) {
                solver.run(solver.svm->active(), progress, [&](Task& task) { solver.svm->epoch(task); });
                return solver.svm->violation();
            },
            "progress"_a.none() = nb::none())
        .def("gaps",
             [](Solver& solver) {
                 std::vector<Svm::Gap> gaps;
                 solver.run(1, nb::none(), [&](Task& task) { gaps = solver.svm->gaps(task); });
                 std::vector<std::tuple<double, double, double, double>> result;
                 for (const auto& gap : gaps) result.emplace_back(gap.primal, gap.dual, gap.imbalance, gap.bias);
                 return result;
             })
        .def("beta", [](const Solver& solver) { return to_numpy(solver.svm->beta()); })
        .def("multipliers", [](const Solver& solver) { return to_numpy(solver.svm->multipliers()); })
        .def_prop_ro("active", [](const Solver& solver) { return solver.svm->active(); })
        .def_prop_ro("epochs", [](const Solver& solver) { return solver.svm->epochs(); });
}

}  // namespace treekernels
