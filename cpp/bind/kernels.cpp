// The tree kernels for Python: parameters and nothing else. One entry for each kernel of kernels/tree_kernel.hpp.
#include "bind/bind.hpp"
#include "core/document_frequencies.hpp"
#include "kernels/tree_kernel.hpp"

namespace treekernels {

namespace {

using ProductionWeight = std::pair<std::vector<std::string>, double>;
using LabelNumbers = std::vector<std::pair<std::string, double>>;
using SharedTable = std::shared_ptr<FactorTable>;

SharedTable make_table(double default_weight, const std::vector<ProductionWeight>& productions,
                       const LabelNumbers& labels, const LabelNumbers& decays) {
    auto table = std::make_shared<FactorTable>(default_weight);
    for (const auto& [production, weight] : productions) table->set_production_weight(production, weight);
    for (const auto& [label, weight] : labels) table->set_label_weight(label, weight);
    for (const auto& [label, decay] : decays) table->set_decay(label, decay);
    return table;
}

// The labels of each production, or each label alone, that occurs in some of the trees, and in how many.
std::pair<std::vector<std::vector<std::string>>, std::vector<std::uint64_t>> document_frequencies(
    const Dag& dag, const ConstVector<Node>& roots, bool labels) {
    std::vector<std::vector<std::string>> texts;
    std::vector<std::uint64_t> found;
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const auto counts =
            labels ? label_frequencies(dag, span_of(roots), task) : production_frequencies(dag, span_of(roots), task);
        for (std::uint32_t key = 0; key < counts.size(); ++key) {
            if (counts[key] == 0) continue;
            found.push_back(counts[key]);
            auto& text = texts.emplace_back();
            const Node node = labels ? kNone : dag.production_node(key);
            text.emplace_back(dag.label_text(labels ? key : dag.label(node)));
            if (labels) continue;
            for (Node child : dag.children(node)) text.emplace_back(dag.label_text(dag.label(child)));
        }
    });
    return {std::move(texts), std::move(found)};
}

}  // namespace

void bind_kernels(nb::module_& m) {
    nb::enum_<CountDamping>(m, "CountDamping")
        .value("linear", CountDamping::linear)
        .value("log", CountDamping::log)
        .value("binary", CountDamping::binary);
    nb::class_<FactorTable>(m, "FactorTable", "Weights of productions and labels, and decays by label.")
        .def(nb::new_(&make_table), "default_weight"_a, "productions"_a, "labels"_a, "decays"_a);
    m.def("document_frequencies", &document_frequencies, "dag"_a, "roots"_a, "labels"_a);
    nb::class_<SubtreeKernel>(m, "SubtreeKernel")
        .def(
            "__init__",
            [](SubtreeKernel* self, double decay, double leaf_weight, CountDamping counts, SharedTable factors) {
                new (self) SubtreeKernel{{decay, leaf_weight, counts, std::move(factors)}};
            },
            "decay"_a, "leaf_weight"_a, "counts"_a = CountDamping::linear, "factors"_a.none() = nb::none());
    nb::class_<SubsetKernel>(m, "SubsetKernel")
        .def(
            "__init__",
            [](SubsetKernel* self, double decay, double leaf_weight, CountDamping counts, SharedTable factors) {
                new (self) SubsetKernel{{decay, leaf_weight, counts, std::move(factors)}};
            },
            "decay"_a, "leaf_weight"_a, "counts"_a = CountDamping::linear, "factors"_a.none() = nb::none());
    nb::class_<PartialKernel>(m, "PartialKernel")
        .def(
            "__init__",
            [](PartialKernel* self, double decay, double vertical_decay, bool span, SimilarTexts similarity,
               CountDamping counts, SharedTable factors) {
                new (self)
                    PartialKernel{decay, vertical_decay, span, std::move(similarity), counts, std::move(factors)};
            },
            "decay"_a, "vertical_decay"_a, "span"_a, "similarity"_a, "counts"_a = CountDamping::linear,
            "factors"_a.none() = nb::none());
    nb::class_<ElasticKernel>(m, "ElasticKernel")
        .def(
            "__init__",
            [](ElasticKernel* self, double decay, SimilarTexts similarity) {
                new (self) ElasticKernel{decay, std::move(similarity)};
            },
            "decay"_a, "similarity"_a);
    nb::class_<SubpathKernel>(m, "SubpathKernel")
        .def(
            "__init__",
            [](SubpathKernel* self, double decay, std::optional<std::uint32_t> max_length) {
                new (self) SubpathKernel{{decay, max_length.value_or(kNone)}};
            },
            "decay"_a, "max_length"_a.none());
    m.def("has_weighted_forest", &has_weighted_forest, "kernel"_a);
}

}  // namespace treekernels
