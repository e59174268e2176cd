// On-line learners and support vector machines for Python.
#include "bind/models/model.hpp"
#include "bind/summand_source.hpp"
#include "core/errors.hpp"
#include "learners/online.hpp"
#include "learners/svm.hpp"
#include "learners/votes.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kBriefVotes = 1 << 20;  // that are counted in no time

template <class T>
using Column = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::device::cpu>;
using UpdateArrays = std::tuple<Column<std::uint64_t>, Column<std::uint32_t>, Column<std::uint32_t>,
                                Column<std::uint32_t>, Column<double>>;

// The members of updates as arrays, where they are: by now it is too late for memory to run out.
UpdateArrays arrays_of(std::unique_ptr<std::vector<Update>> updates) {
    std::vector<Update>& all = *updates;
    const nb::capsule owner(updates.get(), [](void* p) noexcept { delete static_cast<std::vector<Update>*>(p); });
    updates.release();
    const auto column = [&]<class T>(T Update::* member) {
        static_assert(sizeof(Update) % sizeof(T) == 0);
        T* first = all.empty() ? nullptr : &(all.front().*member);
        return Column<T>(first, {all.size()}, owner, {static_cast<std::int64_t>(sizeof(Update) / sizeof(T))});
    };
    return {column(&Update::time), column(&Update::example), column(&Update::to), column(&Update::from),
            column(&Update::amount)};
}

// What Python would raise for a failure of the core.
nb::object exception_of(const std::exception_ptr& failure) {
    const auto made = [](nb::handle type, const char* message) { return nb::borrow(type)(message); };
    try {
        std::rethrow_exception(failure);
    } catch (nb::python_error& error) {
        return nb::borrow(error.value());
    } catch (const std::bad_alloc&) {
        return made(PyExc_MemoryError, "there is no memory for a larger model");
    } catch (const Overflow& error) {
        return made(nb::module_::import_("treekernels._native").attr("Overflow"), error.what());
    } catch (const std::exception& error) {
        return made(PyExc_RuntimeError, error.what());
    }
}

// Learns, and gives the loss, the time, the updates, and why it ended before all examples were seen, None if it did
// not: what was learned until then is learned, and has to be noted before anything is raised.
std::tuple<double, std::uint64_t, UpdateArrays, nb::object> learn(
    const Sources& given_sources, Rule rule, double C, std::size_t classes, bool mean,
    const ConstVector<std::uint32_t>& labels, const ConstVector<std::uint32_t>& order, std::uint64_t time,
    unsigned threads, const nb::object& progress, const std::optional<ConstVector<double>>& weights) {
    const std::vector<SummandSource*> sources = sources_of(given_sources);
    if (weights && weights->size() != labels.size()) throw nb::value_error("there is not one weight for each example");
    const auto given = weights ? span_of(*weights) : std::span<const double>();
    for (std::uint32_t label : span_of(labels))
        if (label >= classes) throw nb::value_error("there is no such class");
    for (std::uint32_t example : span_of(order))
        if (example >= labels.size()) throw nb::index_error("there is no such example");
    const OnlineParameters parameters{rule, C, classes, mean};
    auto updates = std::make_unique<std::vector<Update>>();
    double loss = 0.0;
    nb::object failure = nb::none();
    bool begun = false;
    try {
        const auto brief = [&] { return order.size() < 1000 && all_brief(sources); };
        run_locked(locks_of(sources), brief, order.size(), progress, [&](Task& task) {
            const auto summands = make_summands(sources, labels.size(), output_count(classes) * (mean ? 2 : 1),
                                                std::max(1U, threads), task);
            // All are looked at before anything is learned, so that a failure leaves the model as it was.
            for (const auto& summand : summands) summand->look_at(span_of(order), rule != Rule::perceptron, task);
            begun = true;
            learn_online(summands, parameters, span_of(labels), given, span_of(order), time, loss, *updates, task);
        });
    } catch (...) {
        if (!begun) throw;
        failure = exception_of(std::current_exception());
    }
    return {loss, time, arrays_of(std::move(updates)), failure};
}

// Counts the votes of models on examples; `kernel` has a row for each of them.
void count(const ConstVector<std::uint32_t>& columns, WholeMatrix<const double> alphas,
           const ConstVector<double>& lasted, WholeMatrix<const double> kernel, WholeMatrix<double> votes,
           unsigned threads) {
    check_shape(alphas, lasted.size(), votes.shape(1));
    if (columns.size() != lasted.size() || votes.shape(0) != kernel.shape(0) || votes.shape(1) == 0)
        throw nb::value_error("the votes have another shape than the models");
    for (std::uint32_t column : span_of(columns))
        if (column >= kernel.shape(1)) throw nb::index_error("there is no such support example");
    const VotingModels models{span_of(columns), {alphas.data(), alphas.size()}, span_of(lasted), votes.shape(1)};
    const bool brief = lasted.size() * votes.shape(0) < kBriefVotes;
    const auto execution = brief ? brief_execution() : execution_of(threads, nb::none());
    const GilReleased released;
    count_votes(models, {kernel.data(), kernel.size()}, kernel.shape(1), span_of_all(votes), execution);
}

// A solver with the sources that it reads. A thread that drives it waits for the others.
struct Solver {
    Solver(const Sources& from, WholeMatrix<double> target, WholeMatrix<double> bound, bool regression, double epsilon,
           bool bias, std::uint64_t seed, unsigned threads)
        : sources(sources_of(from)) {
        const std::size_t examples = target.shape(0), outputs = target.shape(1);
        check_shape(target, examples, outputs);
        check_shape(bound, examples, outputs);
        const auto brief = [&] { return all_brief(sources); };
        run_locked(locks_of(sources), brief, 1, nb::none(), [&](Task& task) {
            const SvmProblem problem{examples, outputs, span_of_all(target), span_of_all(bound), regression,
                                     epsilon,  bias};
            svm = std::make_unique<Svm>(make_summands(sources, examples, outputs, std::max(1U, threads), task), problem,
                                        seed, task);
        });
    }
    // Changes the solver.
    template <class Work>
    void run(std::uint64_t total, const nb::object& progress, Work work) {
        const Locks locks = locks_of(sources).write(mutex);
        const auto brief = [&] { return all_brief(sources); };
        run_locked(locks, brief, total, progress, work);
    }
    // Looks at it.
    template <class Work>
    auto ask(Work work) const {
        return look_up(Locks().read(mutex), [&] { return work(*svm); });
    }
    std::vector<SummandSource*> sources;
    std::unique_ptr<Svm> svm;
    mutable SharedMutex mutex;
};

}  // namespace

void bind_learners(nb::module_& m) {
    nb::enum_<Rule>(m, "Rule")
        .value("perceptron", Rule::perceptron)
        .value("passive_aggressive", Rule::passive_aggressive)
        .value("passive_aggressive_squared", Rule::passive_aggressive_squared);
    m.def("learn_online", &learn, "summands"_a, "rule"_a, "C"_a, "classes"_a, "mean"_a, "labels"_a, "order"_a, "time"_a,
          "threads"_a = 1, "progress"_a.none() = nb::none(), "weights"_a.none() = nb::none());
    m.def("count_votes", &count, "columns"_a, "alphas"_a, "lasted"_a, "kernel"_a, "votes"_a.noconvert(), "threads"_a);

    nb::class_<Solver>(m, "Svm", "Support vector machines by dual coordinate descent.")
        .def(nb::init<const Sources&, WholeMatrix<double>, WholeMatrix<double>, bool, double, bool, std::uint64_t,
                      unsigned>(),
             "summands"_a, "target"_a, "bound"_a, "regression"_a, "epsilon"_a, "bias"_a, "seed"_a, "threads"_a = 1,
             nb::keep_alive<1, 2>())
        .def(
            "resume",
            [](Solver& solver, WholeMatrix<double> beta, const ConstVector<double>& bias, std::uint64_t epoch) {
                solver.run(1, nb::none(), [&](Task& task) {
                    if (beta.size() != solver.svm->beta().size() || bias.size() != solver.svm->multipliers().size())
                        throw std::invalid_argument("the coefficients are of another problem");
                    solver.svm->resume({beta.data(), beta.size()}, span_of(bias), epoch, task);
                });
            },
            "beta"_a, "bias"_a, "epoch"_a)
        .def(
            "start_at",
            [](Solver& solver, WholeMatrix<double> beta) {
                solver.run(1, nb::none(), [&](Task&) {
                    if (beta.size() != solver.svm->beta().size())
                        throw std::invalid_argument("the coefficients are of another problem");
                    solver.svm->start_at({beta.data(), beta.size()});
                });
            },
            "beta"_a)
        .def(
            "epoch",
            [](Solver& solver, const nb::object& progress) {
                double violation = 0.0;
                const auto active = solver.ask([](const Svm& svm) { return svm.active(); });
                solver.run(active, progress, [&](Task& task) {
                    solver.svm->epoch(task);
                    violation = solver.svm->violation();
                });
                return violation;
            },
            "progress"_a.none() = nb::none())
        .def("wake_all", [](Solver& solver) { solver.run(1, nb::none(), [&](Task&) { solver.svm->wake_all(); }); })
        .def(
            "gaps",
            [](Solver& solver, bool all) {
                std::vector<Svm::Gap> gaps;
                solver.run(1, nb::none(), [&](Task& task) { gaps = solver.svm->gaps(all, task); });
                std::vector<std::tuple<double, double, double, double>> result;
                for (const auto& gap : gaps) result.emplace_back(gap.primal, gap.dual, gap.imbalance, gap.bias);
                return result;
            },
            "all"_a = true)
        .def("beta",
             [](const Solver& solver) { return to_numpy(solver.ask([](const Svm& svm) { return svm.beta(); })); })
        .def(
            "multipliers",
            [](const Solver& solver) { return to_numpy(solver.ask([](const Svm& svm) { return svm.multipliers(); })); })
        .def_prop_ro("active",
                     [](const Solver& solver) { return solver.ask([](const Svm& svm) { return svm.active(); }); })
        .def_prop_ro("epochs",
                     [](const Solver& solver) { return solver.ask([](const Svm& svm) { return svm.epochs(); }); });
}

}  // namespace treekernels
