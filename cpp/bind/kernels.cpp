// The tree kernels for Python: parameters and nothing else. One entry for each kernel of kernels/tree_kernel.hpp.
#include "bind/bind.hpp"
#include "kernels/tree_kernel.hpp"

namespace treekernels {

void bind_kernels(nb::module_& m) {
    nb::class_<SubtreeKernel>(m, "SubtreeKernel")
        .def(
            "__init__",
            [](SubtreeKernel* self, double decay, double leaf_weight) {
                new (self) SubtreeKernel{{decay, leaf_weight}};
            },
            "decay"_a, "leaf_weight"_a);
    nb::class_<SubsetKernel>(m, "SubsetKernel")
        .def(
            "__init__",
            [](SubsetKernel* self, double decay, double leaf_weight) { new (self) SubsetKernel{{decay, leaf_weight}}; },
            "decay"_a, "leaf_weight"_a);
    nb::class_<PartialKernel>(m, "PartialKernel")
        .def(
            "__init__",
            [](PartialKernel* self, double decay, double vertical_decay, bool span, SimilarTexts similarity) {
                new (self) PartialKernel{decay, vertical_decay, span, std::move(similarity)};
            },
            "decay"_a, "vertical_decay"_a, "span"_a, "similarity"_a);
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
