// Gram matrices for Python.
#include "bind/bind.hpp"
#include "kernels/tree_gram.hpp"

namespace treekernels {

namespace {

std::shared_ptr<Bound<Gram>> make_gram(const Dag& dag, const ConstVector<Node>& columns,
                                       const std::optional<ConstVector<Node>>& rows, TreeKernel kernel,
                                       Algorithm algorithm, bool normalize, bool diagonal_only, unsigned threads,
                                       const nb::object& progress) {
    const std::span<const Node> row_roots = rows ? span_of(*rows) : std::span<const Node>();
    std::optional<Corpus> corpus;
    auto result = std::make_shared<Bound<Gram>>();
    const auto make = [&](const Execution& execution) {
        result->matrix = std::make_unique<Gram>(TreeSource(std::move(*corpus), std::move(kernel), algorithm),
                                                columns.size(), !rows, normalize, diagonal_only, execution);
    };
    const auto few = [&](std::size_t most) {
        return is_brief(dag, span_of(columns), most) && is_brief(dag, row_roots, most);
    };
    const auto brief = [&] { return few(kBriefNodes); };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(columns));
        check_nodes(dag, row_roots);
        result->brief = few(kBriefComparison);
        corpus.emplace(dag, span_of(columns), row_roots, result->brief ? 1U : std::max(1U, threads), task);
        resolve_labels(kernel, dag);
        if (result->brief) make(brief_execution());
    });
    if (!result->brief) {
        const auto execution = execution_of(threads, progress);
        const nb::gil_scoped_release released;
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
    gram.def(nb::new_(&make_gram), "dag"_a, "columns"_a, "rows"_a.none(), "kernel"_a, "algorithm"_a, "normalize"_a,
             "diagonal_only"_a, "threads"_a, "progress"_a.none() = nb::none());
    bind_matrix(gram);
}

}  // namespace treekernels
