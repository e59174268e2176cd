// Distributed partial trees for Python.
#include "embedding/partial_vectors.hpp"

#include "bind/calls/few_trees.hpp"

namespace treekernels {

namespace {

template <class T>
void transform(const PartialVectors<T>& vectors, const Dag& dag, const ConstVector<Node>& roots, Matrix<T> out,
               unsigned threads, const nb::object& progress) {
    const auto view = view_of(out, roots.size(), vectors.dimension());
    std::optional<Corpus> corpus;
    LabelStreams streams;
    const auto brief = [&] { return is_brief(dag, span_of(roots)); };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::productions);
        corpus.emplace(few.dag(), few.roots(), std::span<const Node>(), std::max(1U, threads), task);
        streams = vectors.streams(*corpus, few.dag());
    });
    const auto execution = execution_of(threads, progress);
    const GilReleased released;
    vectors.transform(*corpus, streams, view, execution);
}

template <class T>
void bind_vectors(nb::module_& m, const char* name) {
    nb::class_<PartialVectors<T>>(m, name, "Makes vectors of partial trees.")
        .def(
            "__init__",
            [](PartialVectors<T>* self, CompositionKind composition, Permutations permutations, std::size_t dimension,
               double decay, double vertical_decay, bool span, bool normalize, bool own_heads, std::uint64_t seed) {
                new (self) PartialVectors<T>(
                    {composition, permutations, dimension, decay, vertical_decay, span, normalize, own_heads, seed});
            },
            "composition"_a, "permutations"_a, "dimension"_a, "decay"_a, "vertical_decay"_a, "span"_a, "normalize"_a,
            "own_heads"_a, "seed"_a)
        .def("transform", &transform<T>, "dag"_a, "roots"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none());
}

}  // namespace

void bind_partial_vectors(nb::module_& m) {
    bind_vectors<float>(m, "PartialVectors32");
    bind_vectors<double>(m, "PartialVectors64");
}

}  // namespace treekernels
