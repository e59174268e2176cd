// Derivatives of Gram matrices for Python.
#include "bind/calls/few_trees.hpp"
#include "kernels/tree_gradient.hpp"

namespace treekernels {

namespace {

using Tensor = nb::ndarray<double, nb::ndim<3>, nb::device::cpu>;
// The names of parameters, and the label whose decay is meant, or None.
using ParameterNames = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::object>>;

GradientPlaces places_of(const ParameterNames& names) {
    GradientPlaces places;
    for (nb::handle item : names) {
        const auto pair = nb::cast<nb::tuple>(item);
        const std::string_view name = utf8_of(pair[0]);
        const auto place = static_cast<std::uint32_t>(places.count++);
        if (!pair[1].is_none())
            places.labels.emplace_back(std::string(utf8_of(pair[1])), place);
        else if (name == "decay")
            places.decay = place;
        else if (name == "vertical_decay")
            places.vertical_decay = place;
        else if (name == "cut_weight")
            places.cut_weight = place;
        else
            throw nb::value_error("there are no derivatives by this parameter");
    }
    return places;
}

void fill_gradient_of(const Dag& dag, const ConstVector<Node>& roots, TreeKernel kernel, const ParameterNames& names,
                      bool normalize, Tensor out, unsigned threads, const nb::object& progress) {
    GradientPlaces places = places_of(names);
    if (out.shape(0) != roots.size() || out.shape(1) != roots.size() || out.shape(2) != places.count)
        throw nb::value_error("the result has another shape");
    if ((places.count > 1 && out.stride(2) != 1) || out.stride(0) < 0 || out.stride(1) < 0)
        throw nb::value_error("the derivatives of a value must be side by side");
    const GradientView view{out.data(), static_cast<std::size_t>(out.stride(0)),
                            static_cast<std::size_t>(out.stride(1))};
    std::optional<Corpus> corpus;
    LabelPlaces resolved;
    bool done = false;
    const auto brief = [&] { return is_brief(dag, span_of(roots)); };
    run_locked(Locks().read(dag.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::productions);
        const bool short_work = is_brief(few.dag(), few.roots(), kBriefComparison);
        corpus.emplace(few.dag(), few.roots(), std::span<const Node>(), short_work ? 1U : std::max(1U, threads), task,
                       count_damping(kernel));
        resolve_labels(kernel, few.dag());
        resolved = label_places(kernel, std::move(places), few.dag());
        if (!short_work) return;
        fill_tree_gradient(*corpus, kernel, resolved, normalize, view, brief_execution());
        done = true;
    });
    if (done) return;
    const auto execution = execution_of(threads, progress);
    const GilReleased released;
    fill_tree_gradient(*corpus, kernel, resolved, normalize, view, execution);
}

}  // namespace

void bind_gradients(nb::module_& m) {
    m.def("fill_gradient", &fill_gradient_of, "dag"_a, "roots"_a, "kernel"_a, "parameters"_a, "normalize"_a,
          "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none(),
          "The derivatives of a Gram matrix by the logarithms of some parameters.");
}

}  // namespace treekernels
