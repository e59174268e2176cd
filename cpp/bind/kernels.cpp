// The tree kernels for Python: parameters and nothing else. One entry for each kernel of kernels/tree_kernel.hpp.
#include "bind/bind.hpp"
#include "core/memory/give_back.hpp"
#include "core/trees/document_frequencies.hpp"
#include "kernels/features/feature_lists.hpp"
#include "kernels/tree_kernel.hpp"

namespace treekernels {

namespace {

using LabelNumbers = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::float_>>;
using ProductionNumbers = nb::typed<nb::list, nb::typed<nb::tuple, nb::typed<nb::list, nb::str>, nb::float_>>;
using SimilarLabels = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::float_>>;

// A table as Python holds it: kernels share what is in it, and know nothing of Python.
struct SharedTable {
    std::shared_ptr<const FactorTable> table;
};
std::shared_ptr<const FactorTable> table_of(const SharedTable* shared) { return shared ? shared->table : nullptr; }

// The text and the number of a pair.
std::pair<std::string, double> text_and_number(nb::handle item) {
    const auto pair = nb::cast<nb::tuple>(item);
    return {std::string(utf8_of(pair[0])), nb::cast<double>(pair[1])};
}

SharedTable make_table(double default_weight, const ProductionNumbers& productions, const LabelNumbers& labels,
                       const LabelNumbers& decays) {
    auto table = std::make_shared<FactorTable>(default_weight);
    std::vector<std::string> texts;
    for (nb::handle item : productions) {
        const auto pair = nb::cast<nb::tuple>(item);
        texts.clear();
        for (nb::handle text : pair[0]) texts.emplace_back(utf8_of(text));
        table->set_production_weight(texts, nb::cast<double>(pair[1]));
    }
    for (nb::handle item : labels) {
        const auto [label, weight] = text_and_number(item);
        table->set_label_weight(label, weight);
    }
    for (nb::handle item : decays) {
        const auto [label, decay] = text_and_number(item);
        table->set_decay(label, decay);
    }
    return {std::move(table)};
}

std::shared_ptr<const SimilarTexts> similar_texts(const SimilarLabels& items) {
    auto texts = std::make_shared<SimilarTexts>();
    for (nb::handle item : items) {
        const auto triple = nb::cast<nb::tuple>(item);
        texts->emplace_back(utf8_of(triple[0]), utf8_of(triple[1]), nb::cast<double>(triple[2]));
    }
    return texts;
}

// Trees that stand for the productions, or labels, of some trees, and in how many of them each occurs.
auto count_documents(const Dag& dag, const ConstVector<Node>& roots, bool labels, Dag& keys) {
    DocumentFrequencies found;
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()).write(keys.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        found = document_frequencies(dag, span_of(roots), labels, keys, task);
    });
    return std::pair(to_numpy(std::move(found.keys)), to_numpy(std::move(found.counts)));
}

// Kept by Python and by kernels.
struct SharedFeatureWeights {
    std::shared_ptr<const FeatureWeights> weights;
};

SharedFeatureWeights make_feature_weights(double unseen, const Dag& dag, const ConstVector<Node>& keys,
                                          const ConstVector<double>& weights) {
    std::shared_ptr<const FeatureWeights> made;
    const auto brief = [&] { return keys.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task&) {
        check_nodes(dag, span_of(keys));
        made = std::make_shared<FeatureWeights>(unseen, dag, span_of(keys), span_of(weights));
    });
    return {std::move(made)};
}

auto count_features(const FeatureKernel& kernel, const Dag& dag, const ConstVector<Node>& roots, Dag& keys,
                    const ConstVector<std::uint32_t>& classes) {
    FeatureFrequencies found;
    const auto brief = [&] { return dag.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()).write(keys.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        // Millions of features need room of their own: what reading has left behind would be added to it.
        if (!brief()) give_back_memory();
        found = feature_frequencies(kernel.parameters, dag, span_of(roots), span_of(classes), keys, task);
        if (!brief()) give_back_memory();
    });
    return std::tuple(to_numpy(std::move(found.keys)), to_numpy(std::move(found.counts)),
                      to_numpy(std::move(found.spreads)));
}

SharedTable table_of_frequencies(double default_weight, const Dag& dag, const ConstVector<Node>& keys,
                                 const ConstVector<std::uint64_t>& counts, double documents,
                                 const LabelNumbers& decays) {
    auto table = std::make_shared<FactorTable>(default_weight);
    for (nb::handle item : decays) {
        const auto [label, decay] = text_and_number(item);
        table->set_decay(label, decay);
    }
    const auto brief = [&] { return keys.size() < kBriefNodes; };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task&) {
        check_nodes(dag, span_of(keys));
        table->set_frequencies(dag, span_of(keys), span_of(counts), documents);
    });
    return {std::move(table)};
}

}  // namespace

void bind_kernels(nb::module_& m) {
    nb::enum_<CountDamping>(m, "CountDamping")
        .value("linear", CountDamping::linear)
        .value("log", CountDamping::log)
        .value("binary", CountDamping::binary);
    nb::class_<SharedTable>(m, "FactorTable", "Weights of productions and labels, and decays by label.")
        .def(nb::new_(&make_table), "default_weight"_a, "productions"_a, "labels"_a, "decays"_a)
        .def_static("of_frequencies", &table_of_frequencies, "default_weight"_a, "dag"_a, "keys"_a, "counts"_a,
                    "documents"_a, "decays"_a);
    m.def("document_frequencies", &count_documents, "dag"_a, "roots"_a, "labels"_a, "keys"_a);
    nb::class_<SubtreeKernel>(m, "SubtreeKernel")
        .def(
            "__init__",
            [](SubtreeKernel* self, double decay, double leaf_weight, CountDamping counts, const SharedTable* factors) {
                new (self) SubtreeKernel{{decay, leaf_weight, counts, table_of(factors)}};
            },
            "decay"_a, "leaf_weight"_a, "counts"_a = CountDamping::linear, "factors"_a.none() = nb::none());
    nb::class_<SubsetKernel>(m, "SubsetKernel")
        .def(
            "__init__",
            [](SubsetKernel* self, double decay, double leaf_weight, CountDamping counts, const SharedTable* factors,
               double cut_weight) {
                new (self) SubsetKernel{{decay, leaf_weight, counts, table_of(factors), {}, cut_weight}};
            },
            "decay"_a, "leaf_weight"_a, "counts"_a = CountDamping::linear, "factors"_a.none() = nb::none(),
            "cut_weight"_a = 1.0);
    nb::class_<PartialKernel>(m, "PartialKernel")
        .def(
            "__init__",
            [](PartialKernel* self, double decay, double vertical_decay, bool span, const SimilarLabels& similarity,
               CountDamping counts, const SharedTable* factors) {
                new (self)
                    PartialKernel{decay, vertical_decay, span, similar_texts(similarity), counts, table_of(factors)};
            },
            "decay"_a, "vertical_decay"_a, "span"_a, "similarity"_a, "counts"_a = CountDamping::linear,
            "factors"_a.none() = nb::none());
    nb::class_<ElasticKernel>(m, "ElasticKernel")
        .def(
            "__init__",
            [](ElasticKernel* self, double decay, const SimilarLabels& similarity) {
                new (self) ElasticKernel{decay, similar_texts(similarity)};
            },
            "decay"_a, "similarity"_a);
    nb::class_<SharedFeatureWeights>(m, "FeatureWeights", "Weights of features that can be counted.")
        .def(nb::new_(&make_feature_weights), "unseen"_a, "dag"_a, "keys"_a, "weights"_a);
    nb::class_<FeatureKernel>(m, "FeatureKernel")
        .def(
            "__init__",
            [](FeatureKernel* self, const LabelNumbers& weights, double path_decay, double subtree_decay,
               std::optional<std::uint32_t> max_length, std::uint32_t stem, std::uint32_t base, CountDamping counts,
               const SharedFeatureWeights* learned) {
                FeatureParameters parameters{};
                for (nb::handle item : weights) {
                    const auto [name, weight] = text_and_number(item);
                    const auto named = std::ranges::find(kFeatureNames, name);
                    if (name.empty() || named == kFeatureNames.end())
                        throw std::invalid_argument("there is no such kind of feature");
                    parameters.weights[static_cast<std::size_t>(named - kFeatureNames.begin())] = weight;
                }
                parameters.path_decay = path_decay;
                parameters.subtree_decay = subtree_decay;
                parameters.max_length = max_length.value_or(kNone);
                parameters.stem = stem;
                parameters.base = base;
                parameters.damping = counts;
                if (learned) parameters.learned = learned->weights;
                new (self) FeatureKernel{std::move(parameters)};
            },
            "weights"_a, "path_decay"_a = 1.0, "subtree_decay"_a = 1.0, "max_length"_a.none() = nb::none(),
            "stem"_a = 2, "base"_a = 3, "counts"_a = CountDamping::linear, "learned"_a.none() = nb::none());
    m.def("feature_frequencies", &count_features, "kernel"_a, "dag"_a, "roots"_a, "keys"_a, "classes"_a,
          "Trees that stand for the features that two trees or more have, how many have each and, if the trees have "
          "classes, in how many classes it is.");
    m.def("has_weighted_forest", &has_weighted_forest, "kernel"_a);
}

}  // namespace treekernels
