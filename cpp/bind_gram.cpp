// Gram matrices for Python.
#include "bindings.hpp"

namespace treekernels {

namespace {

using SimilarLabels = std::vector<std::tuple<std::string, std::string, double>>;

std::shared_ptr<Gram> make_gram(const Dag& dag, const ConstVector<Node>& columns,
                                const std::optional<ConstVector<Node>>& rows, Kind kind, Algorithm algorithm,
                                double decay, double vertical_decay, double leaf_weight, bool span,
                                const SimilarLabels& similarity, bool normalize, bool diagonal_only, unsigned threads,
                                const nb::object& progress) {
    KernelParameters parameters{kind, algorithm, decay, vertical_decay, leaf_weight, span, {}};
    std::optional<Corpus> corpus;
    watched(dag.size() < kBriefNodes, 1, nb::none(), [&](Task& task) {
        const ReadLock reading(dag.mutex());
        const std::span<const Node> row_roots = rows ? span_of(*rows) : std::span<const Node>();
        check_nodes(dag, span_of(columns));
        check_nodes(dag, row_roots);
        corpus.emplace(dag, span_of(columns), row_roots, std::max(1U, threads), task);
        for (const auto& [a, b, value] : similarity) {
            // Labels that no tree has do not matter.
            const Label known_a = dag.find_label(a), known_b = dag.find_label(b);
            if (known_a != kNone && known_b != kNone) parameters.similarity.push_back({known_a, known_b, value});
        }
    });
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    return std::make_shared<Gram>(TreeSource(std::move(*corpus), std::move(parameters)), columns.size(), !rows,
                                  normalize, diagonal_only, execution);
}

}  // namespace

void bind_gram(nb::module_& m) {
    nb::enum_<Kind>(m, "Kind")
        .value("subtree", Kind::subtree)
        .value("subset", Kind::subset)
        .value("partial", Kind::partial)
        .value("elastic", Kind::elastic);
    nb::enum_<Algorithm>(m, "Algorithm")
        .value("corpus", Algorithm::corpus)
        .value("ftk", Algorithm::ftk)
        .value("qtk", Algorithm::qtk);

    nb::class_<Gram> gram(m, "Gram", "The matrix of a tree kernel between the trees of one or two forests.");
    gram.def(nb::new_(&make_gram), "dag"_a, "columns"_a, "rows"_a.none(), "kind"_a, "algorithm"_a, "decay"_a,
             "vertical_decay"_a, "leaf_weight"_a, "span"_a, "similarity"_a, "normalize"_a, "diagonal_only"_a,
             "threads"_a, "progress"_a.none() = nb::none());
    bind_matrix(gram);
}

}  // namespace treekernels
