// Distributed trees for Python.
#include "bind/bind.hpp"
#include "embedding/distributed_trees.hpp"

namespace treekernels {

namespace {

Vector<std::uint64_t> count_chains(const Dag& dag, const ConstVector<Node>& roots, std::uint32_t min_trees,
                                   unsigned length, const nb::object& progress) {
    std::vector<std::uint64_t> result;
    const Locks locks = Locks().read(dag.mutex());
    const auto brief = [&] { return is_brief(dag, span_of(roots)); };
    run_locked(locks, brief, roots.size(), progress, [&](Task& task) {
        check_nodes(dag, span_of(roots));
        result = frequent_chains(dag, span_of(roots), min_trees, length, task);
    });
    return to_numpy(std::move(result));
}

template <class T>
void transform(const Embedding<T>& embedding, const Dag& dag, const ConstVector<Node>& roots, Matrix<T> out,
               const std::optional<ConstVector<std::uint64_t>>& kept, std::size_t memory, std::size_t max_trees,
               unsigned threads, const nb::object& progress) {
    const auto view = view_of(out, roots.size(), embedding.dimension());
    read_trees(dag, roots, [](Task&) {});  // fails for what is no tree
    const auto execution = execution_of(threads, progress);
    const GilReleased released;
    std::optional<KeySet> keys;
    if (kept) keys.emplace(span_of(*kept));
    embedding.transform(dag, span_of(roots), keys ? &*keys : nullptr, memory, max_trees, view, execution);
}

template <class T>
Vector<T> compose(const Embedding<T>& embedding, const ConstVector<T>& a, const ConstVector<T>& b) {
    if (a.size() != embedding.dimension() || b.size() != embedding.dimension())
        throw nb::value_error("the vectors have another dimension");
    return to_numpy(embedding.compose(span_of(a), span_of(b)));
}

template <class T>
void bind_embedding(nb::module_& m, const char* name) {
    nb::class_<Embedding<T>>(m, name, "Makes vectors of trees.")
        .def(
            "__init__",
            [](Embedding<T>* self, CompositionKind composition, Permutations permutations, Fragments fragments,
               std::size_t dimension, double decay, bool normalize, bool own_heads, std::uint64_t seed,
               unsigned link_length) {
                new (self) Embedding<T>(
                    {composition, permutations, fragments, dimension, decay, normalize, own_heads, seed, link_length});
            },
            "composition"_a, "permutations"_a, "fragments"_a, "dimension"_a, "decay"_a, "normalize"_a, "own_heads"_a,
            "seed"_a, "link_length"_a)
        .def("transform", &transform<T>, "dag"_a, "roots"_a, "out"_a.noconvert(), "kept"_a.none(), "memory"_a,
             "max_trees"_a, "threads"_a, "progress"_a.none() = nb::none())
        .def(
            "label",
            [](const Embedding<T>& self, const nb::str& text, bool head) {
                return to_numpy(self.label(std::string(utf8_of(text)), head));
            },
            "text"_a, "head"_a)
        .def("compose", &compose<T>, "a"_a, "b"_a);
}

}  // namespace

void bind_distributed(nb::module_& m) {
    nb::enum_<CompositionKind>(m, "Composition")
        .value("sign", CompositionKind::sign)
        .value("product", CompositionKind::product)
        .value("convolution", CompositionKind::convolution);
    nb::enum_<Permutations>(m, "Permutations")
        .value("structured", Permutations::structured)
        .value("random", Permutations::random);
    nb::enum_<Fragments>(m, "Fragments")
        .value("subset", Fragments::subset)
        .value("subtree", Fragments::subtree)
        .value("whole", Fragments::whole);
    m.def("frequent_chains", &count_chains, "dag"_a, "roots"_a, "min_trees"_a, "length"_a,
          "progress"_a.none() = nb::none());
    bind_embedding<float>(m, "Embedding32");
    bind_embedding<double>(m, "Embedding64");
}

}  // namespace treekernels
