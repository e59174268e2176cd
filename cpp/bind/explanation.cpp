// For explanations: the distinct subtrees of a DAG as arrays, and what is counted, spread and bounded on them.
#include "bind/bind.hpp"
#include "explanation/growth_bounds.hpp"
#include "explanation/partial_bounds.hpp"
#include "explanation/subtrees.hpp"
#include "kernels/features/kernel.hpp"
#include "kernels/features/model_features.hpp"

namespace treekernels {

namespace {

template <class T>
using ArrayOf = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Subtrees subtrees_of(const Dag& dag) {
    std::optional<Subtrees> result;
    const Locks locks = Locks().read(dag.mutex());
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) { result.emplace(dag, task); });
    return std::move(*result);
}

Subtrees subtrees_below(const Dag& dag, const ConstVector<Node>& roots, const Dag& known) {
    std::optional<Subtrees> result;
    const Locks locks = Locks().read(dag.mutex()).read(known.mutex());
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        result.emplace(dag, span_of(roots), known, task);
    });
    return std::move(*result);
}

// Runs `work(task)` on the arrays, which need no lock.
template <class Work>
void run_on(const Subtrees& subtrees, Work work) {
    run_locked(Locks(), [&] { return subtrees.size() < kBriefNodes; }, 1, nb::none(), work);
}

// The arrays belong to the object: nothing is copied, and they keep it alive.
template <auto array>
ArrayOf<Index> view(nb::handle_t<Subtrees> self) {
    const auto values = (nb::cast<const Subtrees&>(self).*array)();
    return ArrayOf<Index>(values.data(), {values.size()}, self);
}

void spread(const Subtrees& subtrees, Rows values) {
    if (values.shape(0) != subtrees.size()) throw nb::value_error("a row of values for each subtree is needed");
    run_on(subtrees, [&](Task& task) { spread_down(subtrees, {values.data(), values.size()}, values.shape(1), task); });
}

Vector<double> production_counts_of(const Subtrees& subtrees) {
    std::vector<double> counts;
    run_on(subtrees, [&](Task& task) { counts = production_counts(subtrees, task); });
    return to_numpy(std::move(counts));
}

std::pair<Vector<Index>, Vector<Index>> places_of(const Subtrees& subtrees) {
    ProductionPlaces found;
    run_on(subtrees, [&](Task&) { found = places_by_production(subtrees); });
    return {to_numpy(std::move(found.offsets)), to_numpy(std::move(found.places))};
}

Vector<Index> roots_with(const Subtrees& subtrees, const ConstVector<Index>& offsets,
                         const ConstVector<Index>& members) {
    std::vector<Index> counts;
    run_on(subtrees,
           [&](Task& task) { counts = count_roots_with(subtrees, span_of(offsets), span_of(members), task); });
    return to_numpy(std::move(counts));
}

std::pair<Vector<double>, Vector<double>> bounds_of(const Subtrees& subtrees, double each, double alone) {
    PartialBounds bounds;
    // At once only if nothing can take long: a node with many children takes the square of their number.
    const auto brief = [&] { return subtrees.children().size() < 1000; };
    run_locked(Locks(), brief, 1, nb::none(),
               [&](Task& task) { bounds = partial_bounds(subtrees, each, alone, task); });
    return {to_numpy(std::move(bounds.several)), to_numpy(std::move(bounds.best))};
}

Vector<double> path_bounds_of(const Subtrees& subtrees, double each) {
    std::vector<double> bounds;
    run_on(subtrees, [&](Task& task) { bounds = path_bounds(subtrees, each, task); });
    return to_numpy(std::move(bounds));
}

Vector<double> label_peaks_of(const Subtrees& subtrees) {
    constexpr std::size_t kMost = std::size_t{1} << 26;  // a gigabyte
    std::vector<double> peaks;
    run_on(subtrees, [&](Task& task) { peaks = label_peaks(subtrees, kMost, task); });
    return to_numpy(std::move(peaks));
}

std::vector<std::string> label_texts(const Dag& dag, const ConstVector<Index>& labels) {
    return look_up(Locks().read(dag.mutex()), [&] {
        std::vector<std::string> texts;
        texts.reserve(labels.size());
        for (Index label : span_of(labels)) {
            if (label < 0 || static_cast<std::size_t>(label) >= dag.label_count())
                throw nb::index_error("no such label");
            texts.emplace_back(dag.label_text(static_cast<Label>(label)));
        }
        return texts;
    });
}

Index label_number(const Dag& dag, const nb::str& given) {
    const std::string_view text = utf8_of(given);
    return look_up(Locks().read(dag.mutex()), [&] {
        const Label label = dag.find_label(text);
        return label == kNone ? Index{-1} : Index{label};
    });
}

std::vector<std::string> production_labels(const Dag& dag, Production production) {
    return look_up(Locks().read(dag.mutex()), [&] {
        if (production >= dag.production_count()) throw nb::index_error("no such production");
        const Node node = dag.production_node(production);
        std::vector<std::string> texts{std::string(dag.label_text(dag.label(node)))};
        for (Node child : dag.children(node)) texts.emplace_back(dag.label_text(dag.label(child)));
        return texts;
    });
}

std::unique_ptr<ModelFeatures> features_of(const FeatureKernel& kernel, const Dag& dag,
                                           const ConstVector<Node>& nodes) {
    std::unique_ptr<ModelFeatures> result;
    const auto brief = [&] { return nodes.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(nodes));
        result = std::make_unique<ModelFeatures>(kernel.parameters, dag, span_of(nodes), task);
    });
    return result;
}

std::vector<std::string> labels_of_features(const ModelFeatures& features) {
    std::vector<std::string> texts;
    for (Label label = 0; label < features.labels().label_count(); ++label)
        texts.emplace_back(features.labels().label_text(label));
    return texts;
}

Vector<Node> feature_keys_of(const ModelFeatures& features, const ConstVector<std::uint32_t>& numbers, Dag& keys) {
    std::vector<Node> roots;
    run_locked(
        Locks().write(keys.mutex()), [&] { return numbers.size() < kBriefNodes; }, 1, nb::none(),
        [&](Task&) { roots = features.keys(span_of(numbers), keys); });
    return to_numpy(std::move(roots));
}

Vector<std::uint8_t> features_with(const ModelFeatures& features, const ConstVector<std::uint8_t>& labels) {
    std::vector<std::uint8_t> found;
    run_locked(
        Locks(), [&] { return features.size() < kBriefNodes; }, 1, nb::none(),
        [&](Task&) { found = features.with_labels(span_of(labels)); });
    return to_numpy(std::move(found));
}

Vector<double> feature_counts_of(const ModelFeatures& features, const Dag& dag, Node root) {
    std::vector<double> counts;
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, {&root, 1});
        counts = features.counts(dag, root, task);
    });
    return to_numpy(std::move(counts));
}

Vector<std::uint64_t> trees_with_features(const ModelFeatures& features, const Dag& dag,
                                          const ConstVector<Node>& roots) {
    std::vector<std::uint64_t> trees;
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        trees = features.trees_with(dag, span_of(roots), task);
    });
    return to_numpy(std::move(trees));
}

}  // namespace

void bind_explanation(nb::module_& m) {
    nb::class_<Subtrees>(m, "Subtrees", "The distinct subtrees of a DAG or of some trees as arrays that never change.")
        .def_static("of", &subtrees_of, "dag"_a)
        .def_static("below", &subtrees_below, "dag"_a, "roots"_a, "known"_a)
        .def_prop_ro("labels", &view<&Subtrees::labels>)
        .def_prop_ro("productions", &view<&Subtrees::productions>)
        .def_prop_ro("child_offsets", &view<&Subtrees::child_offsets>)
        .def_prop_ro("children", &view<static_cast<std::span<const Index> (Subtrees::*)() const>(&Subtrees::children)>)
        .def_prop_ro("numbers", &view<&Subtrees::numbers>)
        .def_prop_ro("roots", &view<&Subtrees::roots>)
        .def("spread", &spread, "values"_a.noconvert())
        .def("production_counts", &production_counts_of)
        .def("places_by_production", &places_of)
        .def("count_roots_with", &roots_with, "offsets"_a, "members"_a)
        .def("partial_bounds", &bounds_of, "each"_a, "alone"_a)
        .def("path_bounds", &path_bounds_of, "each"_a)
        .def("label_peaks", &label_peaks_of)
        .def("__len__", &Subtrees::size);
    nb::class_<ModelFeatures>(
        m, "ModelFeatures", "The features that a model has weights for, numbered as the state of its forest has them.")
        .def(nb::new_(&features_of), "kernel"_a, "dag"_a, "nodes"_a)
        .def("__len__", &ModelFeatures::size)
        .def("weights", [](const ModelFeatures& features) { return to_numpy(features.weights()); })
        .def("labels", &labels_of_features)
        .def("keys", &feature_keys_of, "numbers"_a, "keys"_a)
        .def("with_labels", &features_with, "labels"_a)
        .def("counts", &feature_counts_of, "dag"_a, "root"_a)
        .def("trees_with", &trees_with_features, "dag"_a, "roots"_a);
    m.def("label_texts", &label_texts, "dag"_a, "labels"_a);
    m.def("label_number", &label_number, "dag"_a, "text"_a);
    m.def("production_labels", &production_labels, "dag"_a, "production"_a);
}

}  // namespace treekernels
