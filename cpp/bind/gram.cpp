// Gram matrices for Python.
#include "bind/bind.hpp"
#include "kernels/tree_gram.hpp"

namespace treekernels {

namespace {

std::shared_ptr<Gram> make_gram(const Dag& dag, const ConstVector<Node>& columns,
                                const std::optional<ConstVector<Node>>& rows, TreeKernel kernel, Algorithm algorithm,
                                bool normalize, bool diagonal_only, unsigned threads, const nb::object& progress) {
    std::optional<Corpus> corpus;
    run_interruptibly(dag.size() < kBriefNodes, 1, nb::none(), [&](Task& task) {
        const ReadLock reading(dag.mutex());
        const std::span<const Node> row_roots = rows ? span_of(*rows) : std::span<const Node>();
        check_nodes(dag, span_of(columns));
        check_nodes(dag, row_roots);
        corpus.emplace(dag, span_of(columns), row_roots, std::max(1U, threads), task);
        resolve_labels(kernel, dag);
    });
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    return std::make_shared<Gram>(TreeSource(std::move(*corpus), std::move(kernel), algorithm), columns.size(), !rows,
                                  normalize, diagonal_only, execution);
}

}  // namespace

void bind_gram(nb::module_& m) {
    nb::enum_<Algorithm>(m, "Algorithm")
        .value("corpus", Algorithm::corpus)
        .value("ftk", Algorithm::ftk)
        .value("qtk", Algorithm::qtk);

    nb::class_<Gram> gram(m, "Gram", "The matrix of a tree kernel between the trees of one or two forests.");
    gram.def(nb::new_(&make_gram), "dag"_a, "columns"_a, "rows"_a.none(), "kernel"_a, "algorithm"_a, "normalize"_a,
             "diagonal_only"_a, "threads"_a, "progress"_a.none() = nb::none());
    bind_matrix(gram);
}

}  // namespace treekernels
