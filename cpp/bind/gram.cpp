// Gram matrices for Python.
#include "bind/calls/few_trees.hpp"
#include "kernels/tree_gram.hpp"

namespace treekernels {

namespace {

// The trees of a matrix: its columns, and its rows if they are others, which may be in a DAG of their own.
struct MatrixTrees {
    const Dag& column_dag;
    std::span<const Node> columns;
    const Dag& row_dag;
    std::span<const Node> rows;

    bool brief(std::size_t most) const { return is_brief(column_dag, columns, most) && is_brief(row_dag, rows, most); }
    void check() const {
        check_nodes(column_dag, columns);
        check_nodes(row_dag, rows);
    }

    // Calls `use` with a DAG that has all of them, and the columns and rows there.
    template <class Use>
    void bring_together(const Task& task, Use use) const {
        if (&column_dag == &row_dag) {
            std::vector<Node> all(columns.begin(), columns.end());
            all.insert(all.end(), rows.begin(), rows.end());
            const FewTrees few(column_dag, all, KeptOrder::productions);
            return use(few.dag(), few.roots().first(columns.size()), few.roots().subspan(columns.size()));
        }
        const FewTrees few_columns(column_dag, columns, KeptOrder::productions);
        const FewTrees few_rows(row_dag, rows, KeptOrder::productions);
        Dag both;
        const auto new_columns = both.import(few_columns.dag(), few_columns.roots(), task);
        const auto new_rows = both.import(few_rows.dag(), few_rows.roots(), task);
        use(both, std::span(new_columns), std::span(new_rows));
    }
};

Bound<Gram> make_gram(const Dag& dag, const ConstVector<Node>& columns, const Dag* row_dag,
                      const std::optional<ConstVector<Node>>& rows, TreeKernel kernel, Algorithm algorithm,
                      bool normalize, bool diagonal_only, unsigned threads, const nb::object& progress) {
    const MatrixTrees trees{dag, span_of(columns), row_dag ? *row_dag : dag,
                            rows ? span_of(*rows) : std::span<const Node>()};
    std::optional<Corpus> corpus;
    Bound<Gram> result{nullptr, false};
    const auto make = [&](const Execution& execution) {
        result.matrix = std::make_unique<Gram>(TreeSource(std::move(*corpus), std::move(kernel), algorithm),
                                               columns.size(), !rows, normalize, diagonal_only, execution);
    };
    const Locks locks = Locks().read(trees.column_dag.mutex()).read(trees.row_dag.mutex());
    const auto brief = [&] { return trees.brief(kBriefNodes); };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        trees.check();
        result.brief = trees.brief(kBriefComparison);
        const unsigned counting = result.brief ? 1U : std::max(1U, threads);
        trees.bring_together(task, [&](const Dag& both, std::span<const Node> first, std::span<const Node> then) {
            corpus.emplace(both, first, then, counting, task, count_damping(kernel));
            resolve_labels(kernel, both);
        });
        if (result.brief) make(brief_execution());
    });
    if (!result.brief) {
        const auto execution = execution_of(threads, progress);
        const GilReleased released;
        make(execution);
    }
    return result;
}

}  // namespace

void bind_gram(nb::module_& m) {
    nb::enum_<Algorithm>(m, "Algorithm")
        .value("corpus", Algorithm::corpus)
        .value("ftk", Algorithm::ftk)
        .value("qtk", Algorithm::qtk);

    nb::class_<Bound<Gram>> gram(m, "Gram", "The matrix of a tree kernel between the trees of one or two forests.");
    gram.def(nb::new_(&make_gram), "dag"_a, "columns"_a, "row_dag"_a.none(), "rows"_a.none(), "kernel"_a, "algorithm"_a,
             "normalize"_a, "diagonal_only"_a, "threads"_a, "progress"_a.none() = nb::none());
    bind_matrix(gram);
}

}  // namespace treekernels
