// Weighted forests for Python.
#include "bind/few_trees.hpp"
#include "bind/model_changes.hpp"
#include "learners/visits.hpp"

namespace treekernels {

namespace {

// So many are worth a layout of the forest for them.
constexpr std::size_t kFewTrees = 64;

// What the coefficient of each tree is multiplied with before it is added: 1 / sqrt(K(tree, tree)) if the kernel is
// normalised. Fails if one of the trees is too large to be added or scored.
Vector<double> factors_of(Model& model, const Dag& dag, const ConstVector<Node>& roots) {
    std::vector<double> factors(roots.size());
    const Locks locks = Locks().read(dag.mutex()).read(model.mutex());
    const auto brief = [&] { return is_brief(model, dag, roots); };
    run_locked(locks, brief, roots.size(), nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const auto summand = forest_summand(*model.forest, model.term, dag, span_of(roots));
        for (std::size_t i = 0; i < roots.size(); ++i) factors[i] = summand->factor(i, task);
    });
    return to_numpy(std::move(factors));
}

// Of a forest that scores in batches. What the threads share is made with the locks held, and needs none of them later.
void score_batch(const Model& model, const Dag& dag, std::span<const Node> roots, double* out, const Locks& locks,
                 const Execution& execution) {
    std::unique_ptr<ScoredBatch> batch;
    std::vector<double> factors(roots.size());
    const auto prepare = [&](Task& task) {
        const auto held = locks.lock(task);
        check_nodes(dag, roots);
        const auto summand = forest_summand(*model.forest, model.term, dag, roots);
        for (std::size_t i = 0; i < roots.size(); ++i) factors[i] = model.term.weight * summand->factor(i, task);
        batch = model.forest->batch(dag, roots, task);
    };
    Task preparation(1);
    run_watched(preparation, 1, prepare, execution.watch);
    constexpr std::size_t kBlock = 256;
    const std::size_t outputs = model.forest->outputs();
    Counter blocks((roots.size() + kBlock - 1) / kBlock);
    Task task(roots.size());
    const auto work = [&](Task& shared) {
        const auto scorer = batch->scorer();
        const Locks reading = Locks().read(dag.mutex());
        const auto held = reading.lock(shared);
        TreeView view(dag, count_damping(model.term.kernel));
        std::vector<double> scores(outputs);
        for (std::size_t block; blocks.take(block);) {
            for (std::size_t i = block * kBlock; i < std::min(roots.size(), (block + 1) * kBlock); ++i) {
                std::ranges::fill(scores, 0.0);
                scorer->score(view(roots[i]), scores.data(), shared);
                for (std::size_t k = 0; k < outputs; ++k) out[i * outputs + k] += factors[i] * scores[k];
                shared.advance(1);
            }
        }
    };
    run_watched(task, execution.threads, work, execution.watch);
}

// Of a forest that can be laid out for many trees. The threads work on parts of a block of trees, so that they share
// most of what trees have in common.
void score_frozen(const Model& model, const Dag& dag, std::span<const Node> roots, double* out, const Locks& locks,
                  const Execution& execution) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    const std::size_t outputs = model.forest->outputs();
    Task task(roots.size());
    const auto work = [&](Task& shared) {
        const auto held = locks.lock(shared);
        check_nodes(dag, roots);
        std::vector<double> factors(roots.size()), scores;
        const std::size_t parts = std::clamp<std::size_t>(roots.size() / kFewTrees, 1, execution.threads);
        run_parts(parts, [&](std::size_t part) {
            const std::size_t begin = roots.size() * part / parts, end = roots.size() * (part + 1) / parts;
            const auto summand = forest_summand(*model.forest, model.term, dag, roots);
            for (std::size_t i = begin; i < end; ++i) factors[i] = model.term.weight * summand->factor(i, shared);
        });
        const auto frozen = model.frozen(shared);
        ParallelScorer scorer(*frozen, dag, outputs, execution.threads);
        for (std::size_t begin = 0; begin < roots.size(); begin += kBlock) {
            const auto block = roots.subspan(begin, std::min(kBlock, roots.size() - begin));
            scores.assign(block.size() * outputs, 0.0);
            scorer.add_scores(block, scores.data(), shared);
            for (std::size_t at = 0; at < scores.size(); ++at)
                out[begin * outputs + at] += factors[begin + at / outputs] * scores[at];
            shared.advance(block.size());
        }
    };
    run_watched(task, 1, work, execution.watch);
}

void score_trees(const Model& model, const Dag& dag, const ConstVector<Node>& roots, WholeMatrix<double> out,
                 unsigned threads, const nb::object& progress) {
    const std::size_t outputs = model.forest->outputs();
    check_shape(out, roots.size(), outputs);
    const auto execution = execution_of(threads, progress);
    const Locks locks = Locks().read(dag.mutex()).read(model.mutex());
    const GilReleased released;
    if (model.forest->in_batches()) return score_batch(model, dag, span_of(roots), out.data(), locks, execution);
    if (model.forest->freezes() && roots.size() >= kFewTrees)
        return score_frozen(model, dag, span_of(roots), out.data(), locks, execution);
    // Neighbours often share subtrees, which a thread scores once: so not too few together.
    const std::size_t block_size =
        std::clamp<std::size_t>(roots.size() / (16 * std::size_t{execution.threads}), 16, 1024);
    Counter blocks((roots.size() + block_size - 1) / block_size);
    Task task(roots.size());
    const auto work = [&](const Dag& source, std::span<const Node> trees, Task& shared) {
        // Only reads: the forest is not added to.
        const auto summand = forest_summand(*model.forest, model.term, source, trees);
        for (std::size_t block; blocks.take(block);) {
            const std::size_t begin = block * block_size, end = std::min(roots.size(), begin + block_size);
            for (std::size_t i = begin; i < end; ++i) {
                summand->score(i, out.data() + i * outputs, shared);
                shared.advance(1);
            }
        }
    };
    if (const auto held = locks.try_lock(); held && is_brief(model, dag, roots)) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::subtrees);
        return work(few.dag(), few.roots(), task);
    }
    bool better_frozen = false;
    const auto look = [&](Task& shared) {
        const auto held = locks.lock(shared);
        check_nodes(dag, span_of(roots));
        better_frozen = model.forest->better_frozen(dag, span_of(roots), shared);
    };
    Task looking(1);
    run_watched(looking, 1, look, execution.watch);
    if (better_frozen) return score_frozen(model, dag, span_of(roots), out.data(), locks, execution);
    // A thread holds its locks until all blocks are taken, so that all of them see the same model.
    const auto wait_and_work = [&](Task& shared) {
        const auto held = locks.lock(shared);
        check_nodes(dag, span_of(roots));
        work(dag, span_of(roots), shared);
    };
    run_watched(task, execution.threads, wait_and_work, execution.watch);
}

// Lays the forest out for many trees, so that the first ones to be scored need not wait for it.
void prepare(const Model& model) {
    if (!model.forest->freezes()) return;
    const auto brief = [&] { return model.forest->size() < kBriefNodes; };
    run_locked(Locks().read(model.mutex()), brief, 1, nb::none(), [&](Task& task) { model.frozen(task); });
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
