// Weighted forests for Python.
#include "bind/calls/few_trees.hpp"
#include "bind/models/model_changes.hpp"
#include "learners/summands/tree_scales.hpp"
#include "learners/visits.hpp"

namespace treekernels {

namespace {

// What the coefficient of each tree is multiplied with before it is added: 1 / sqrt(K(tree, tree)) if the kernel is
// normalised. Fails if one of the trees is too large to be added or scored.
Vector<double> factors_of(Model& model, const Dag& dag, const ConstVector<Node>& roots) {
    std::vector<double> factors(roots.size());
    const Locks locks = Locks().read(dag.mutex()).read(model.mutex());
    const auto brief = [&] { return is_brief(model, dag, roots); };
    run_locked(locks, brief, roots.size(), nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        TreeScales scales(model.term, dag, span_of(roots));
        for (std::size_t i = 0; i < roots.size(); ++i) factors[i] = scales.scale(roots(i), task);
    });
    return to_numpy(std::move(factors));
}

// Adds what trees score. The threads work on parts of a block of trees, so that they share most of what trees have in
// common.
void add_scores(const Model& model, const Dag& dag, std::span<const Node> roots, double* out, unsigned threads,
                Task& task) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    const std::size_t outputs = model.forest->outputs();
    TreeScales scales(model.term, dag, roots);
    if (model.term.normalize) scales.measure(model.term, dag, {roots.begin(), roots.end()}, threads, task);
    const auto frozen = model.forest->frozen(dag, roots, task);
    ParallelScorer scorer(*frozen, dag, outputs, threads);
    std::vector<double> scores;
    for (std::size_t begin = 0; begin < roots.size(); begin += kBlock) {
        const auto block = roots.subspan(begin, std::min(kBlock, roots.size() - begin));
        scores.assign(block.size() * outputs, 0.0);
        scorer.add_scores(block, scores.data(), task, {}, &task);
        for (std::size_t i = 0; i < block.size(); ++i) {
            const double factor = model.term.weight * scales.scale(block[i], task);
            for (std::size_t k = 0; k < outputs; ++k)
                out[(begin + i) * outputs + k] += factor * scores[i * outputs + k];
        }
    }
}

// Whether to score trees takes no time: if they are few, the size of a model matters little once it is laid out.
bool scores_briefly(const Model& model, const Dag& dag, const ConstVector<Node>& roots) {
    constexpr std::size_t kBriefModel = 1'000'000;
    if (model.forest->in_batches()) return false;
    const bool at_once = model.forest->size() < kBriefModel && model.forest->is_laid_out();
    return (at_once || model.forest->size() < kBriefNodes) && is_brief(dag, span_of(roots), kBriefComparison);
}

void score_trees(const Model& model, const Dag& dag, const ConstVector<Node>& roots, WholeMatrix<double> out,
                 unsigned threads, const nb::object& progress) {
    check_shape(out, roots.size(), model.forest->outputs());
    const auto execution = execution_of(threads, progress);
    const Locks locks = Locks().read(dag.mutex()).read(model.mutex());
    const GilReleased released;
    Task task(roots.size());
    if (const auto held = locks.try_lock(); held && scores_briefly(model, dag, roots)) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::subtrees);
        return add_scores(model, few.dag(), few.roots(), out.data(), 1, task);
    }
    const auto wait_and_score = [&](Task& shared) {
        const auto held = locks.lock(shared);
        check_nodes(dag, span_of(roots));
        add_scores(model, dag, span_of(roots), out.data(), execution.threads, shared);
    };
    run_watched(task, 1, wait_and_score, execution.watch);
}

// Lays the forest out for many trees, so that the first ones to be scored need not wait for it.
void prepare(const Model& model) {
    const auto brief = [&] { return model.forest->size() < kBriefNodes; };
    run_locked(Locks().read(model.mutex()), brief, 1, nb::none(), [&](Task& task) { model.forest->prepare(task); });
}

// Says that learning is done.
void settle_model(Model& model) {
    const auto brief = [] { return true; };
    run_locked(Locks().write(model.mutex()), brief, 1, nb::none(), [&](Task&) { model.forest->settle(); });
}

// The size of the forest's DAG and what the forest has beside it, both of the same moment. The DAG may grow later on,
// but its first nodes stay what they are.
using StateArrays = std::tuple<std::size_t, Vector<Node>, Vector<double>, Vector<double>, Vector<double>>;

StateArrays state_of(const Model& model) {
    std::size_t size = 0;
    ForestState state;
    const auto brief = [&] { return model.forest->size() < kBriefNodes; };
    run_locked(Locks().read(model.mutex()), brief, 1, nb::none(), [&](Task&) {
        size = model.forest->dag().size();
        state = model.forest->state();
    });
    return {size, to_numpy(std::move(state.nodes)), to_numpy(std::move(state.weights)),
            to_numpy(std::move(state.productions)), to_numpy(std::move(state.labels))};
}

void restore(Model& model, const Dag& dag, const ConstVector<Node>& nodes, const ConstVector<double>& weights,
             const ConstVector<double>& productions, const ConstVector<double>& labels) {
    const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.size()); };
    ForestState state{copy(nodes), copy(weights), copy(productions), copy(labels)};
    const Locks locks = Locks().read(dag.mutex()).write(model.mutex());
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(nodes));
        // Labels get the same numbers as there: leaves keep their weights by label.
        Dag& own = model.forest->dag();
        if (own.size() > 0) throw std::invalid_argument("only an empty forest can be restored");
        for (Label label = 0; label < dag.label_count(); ++label) own.intern_label(dag.label_text(label));
        state.nodes = own.import(dag, span_of(nodes), task);
        model.forest->restore(state);
    });
}

}  // namespace

void bind_weighted_forest(nb::module_& m) {
    nb::class_<Change>(m, "Change", "What is about to happen to a weighted forest, and can no longer fail.");
    m.def("commit", &commit, "changes"_a, "Make changes of models, all of them.");
    nb::class_<Model>(m, "WeightedForest", "The distinct subtrees of a model, with weights.")
        .def(nb::init<TreeKernel, bool, double, std::size_t>(), "kernel"_a, "normalize"_a, "weight"_a, "outputs"_a)
        .def("factors", &factors_of, "dag"_a, "roots"_a)
        .def(
            "add",
            [](Model& model, const Dag& dag, const ConstVector<Node>& roots, WholeMatrix<double> alphas) {
                addition(model, dag, roots, std::move(alphas))->commit();
            },
            "dag"_a, "roots"_a, "alphas"_a)
        .def("addition", &addition, "dag"_a, "roots"_a, "alphas"_a, nb::keep_alive<0, 1>())
        .def("score", &score_trees, "dag"_a, "roots"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def("prepare", &prepare)
        .def("settle", &settle_model)
        .def_prop_ro("settled",
                     [](const Model& model) {
                         return look_up(Locks().read(model.mutex()), [&] { return model.forest->settled(); });
                     })
        .def("merging", &merging, "other"_a, "factors"_a, nb::keep_alive<0, 1>())
        .def("state", &state_of)
        .def("restore", &restore, "dag"_a, "nodes"_a, "weights"_a, "productions"_a, "labels"_a)
        .def_prop_ro(
            "dag", [](Model& model) -> Dag& { return model.forest->dag(); }, nb::rv_policy::reference_internal)
        .def_prop_ro("in_batches", [](const Model& model) { return model.forest->in_batches(); })
        .def_prop_ro("weighs_trees", [](const Model& model) { return model.forest->weighs_trees(); })
        .def_prop_ro("outputs", [](const Model& model) { return model.forest->outputs(); })
        .def("__len__", [](const Model& model) {
            return look_up(Locks().read(model.mutex()), [&] { return model.forest->size(); });
        });
}

}  // namespace treekernels
