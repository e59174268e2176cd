// The Python face of the core. Python objects are touched here and nowhere else; all real work is done without the GIL.
//
// Whoever holds a DAG's lock never waits for the GIL: locks are taken by threads that do nothing but the work, while
// the calling thread, which holds none, listens for Ctrl-C.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "brackets.hpp"
#include "dag.hpp"
#include "failures.hpp"
#include "gram.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace treekernels;

namespace {

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using ConstVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

using Texts = nb::typed<nb::list, nb::str>;

using ReadLock = std::shared_lock<std::shared_mutex>;
using WriteLock = std::unique_lock<std::shared_mutex>;

template <class T>
std::span<const T> span_of(const ConstVector<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
Vector<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Vector<T>(kept->data(), {kept->size()}, owner);
}

void check_nodes(const Dag& dag, std::span<const Node> nodes) {
    for (Node node : nodes)
        if (node >= dag.size()) throw nb::index_error("no such subtree");
}

// Lets Ctrl-C and a progress callback in, ten times a second.
Execution execution_of(unsigned threads, nb::object progress) {
    return {std::max(1U, threads), [progress = std::move(progress)](Task& task) {
                const nb::gil_scoped_acquire gil;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!progress.is_none()) progress(task.done(), task.total());
            }};
}

// Runs something on a thread of its own, so that Ctrl-C is heard meanwhile; at once if it is `brief`.
void watched(bool brief, std::uint64_t total, nb::object progress, const std::function<void(Task&)>& work) {
    const auto execution = execution_of(1, std::move(progress));
    const nb::gil_scoped_release released;
    Task task(total);
    brief ? work(task) : run_watched(task, 1, work, execution.watch);
}
constexpr std::size_t kBriefNodes = 10000;
constexpr std::size_t kBriefBytes = 100000;

std::string_view utf8_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

using Failure = std::tuple<std::size_t, std::size_t, std::string>;  // which text, byte offset, reason

std::pair<Vector<Node>, std::optional<Failure>> parse(Dag& dag, const Texts& texts, const nb::object& progress) {
    // The list is the caller's own copy: it keeps the texts alive.
    std::vector<std::string_view> views;
    views.reserve(texts.size());
    std::size_t bytes = 0;
    for (nb::handle text : texts) {
        views.push_back(utf8_of(text));
        bytes += views.back().size();
    }
    std::vector<Node> roots;
    std::optional<Failure> failure;
    watched(bytes < kBriefBytes, views.size(), progress, [&](Task& task) {
        BracketReader reader(dag);
        roots.reserve(views.size());
        for (std::string_view text : views) {
            task.check();
            try {
                roots.push_back(reader.read(text));
            } catch (const ParseFailure& error) {
                failure.emplace(roots.size(), error.offset, error.what());
                return;
            }
            task.advance(1);
        }
    });
    return {to_numpy(std::move(roots)), failure};
}

// Trees as one list of nodes, children before parents: each takes the last `arity` that have no parent yet.
Vector<Node> add_postorder(Dag& dag, const Texts& labels, const ConstVector<std::uint32_t>& arities) {
    if (labels.size() != arities.size()) throw nb::value_error("as many labels as arities are needed");
    std::vector<Node> open;
    std::size_t at = 0;
    for (nb::handle label : labels) {
        const std::size_t arity = arities.data()[at++];
        if (arity > open.size()) throw nb::value_error("a node has more children than there are");
        const std::span<const Node> children(open.data() + open.size() - arity, arity);
        const Node node = dag.intern_node(dag.intern_label(utf8_of(label)), children);
        open.resize(open.size() - arity);
        open.push_back(node);
    }
    return to_numpy(std::move(open));
}

Vector<Node> import_nodes(Dag& dag, const Dag& other, const ConstVector<Node>& roots) {
    if (&dag == &other) throw nb::value_error("a forest cannot import from itself");
    std::vector<Node> result;
    const auto work = [&](Task& task) {
        // Both at once: two forests may be importing from each other.
        ReadLock reading(other.mutex(), std::defer_lock);
        WriteLock writing(dag.mutex(), std::defer_lock);
        std::lock(reading, writing);
        check_nodes(other, span_of(roots));
        result = dag.import(other, span_of(roots), task);
    };
    watched(other.size() < kBriefNodes, 1, nb::none(), work);
    return to_numpy(std::move(result));
}

std::tuple<nb::bytes, Vector<std::uint64_t>, Vector<Label>, Vector<std::uint64_t>, Vector<Node>, Vector<Node>>
export_dag(const Dag& dag, const ConstVector<Node>& roots) {
    DagArrays arrays;
    std::vector<Node> new_roots;
    {
        const nb::gil_scoped_release released;
        const ReadLock reading(dag.mutex());
        check_nodes(dag, span_of(roots));
        arrays = export_arrays(dag, span_of(roots), new_roots);
    }
    return {nb::bytes(arrays.label_text.data(), arrays.label_text.size()),
            to_numpy(std::move(arrays.label_offsets)),
            to_numpy(std::move(arrays.node_labels)),
            to_numpy(std::move(arrays.child_offsets)),
            to_numpy(std::move(arrays.children)),
            to_numpy(std::move(new_roots))};
}

std::shared_ptr<Dag> dag_from_arrays(const nb::bytes& label_text, const ConstVector<std::uint64_t>& label_offsets,
                                     const ConstVector<Label>& node_labels,
                                     const ConstVector<std::uint64_t>& child_offsets,
                                     const ConstVector<Node>& children) {
    const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.size()); };
    const DagArrays arrays{std::string(label_text.c_str(), label_text.size()), copy(label_offsets), copy(node_labels),
                           copy(child_offsets), copy(children)};
    auto dag = std::make_shared<Dag>();
    Dag::fill_from(*dag, arrays);
    for (Label label = 0; label < dag->label_count(); ++label) {
        const std::string_view text = dag->label_text(label);
        PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
        if (!decoded) {
            PyErr_Clear();
            throw nb::value_error("not a forest: a label is not UTF-8");
        }
        Py_DECREF(decoded);
    }
    return dag;
}

std::pair<Vector<std::uint64_t>, Vector<std::uint64_t>> sizes(const Dag& dag, const ConstVector<Node>& roots) {
    TreeSizes result;
    {
        const nb::gil_scoped_release released;
        const ReadLock reading(dag.mutex());
        check_nodes(dag, span_of(roots));
        result = tree_sizes(dag, span_of(roots));
    }
    return {to_numpy(std::move(result.nodes)), to_numpy(std::move(result.depth))};
}

// How many different subtrees, labels and productions the trees have.
std::tuple<std::size_t, std::size_t, std::size_t> census(const Dag& dag, const ConstVector<Node>& roots) {
    const nb::gil_scoped_release released;
    const ReadLock reading(dag.mutex());
    check_nodes(dag, span_of(roots));
    Reach reach(dag);
    for (Node root : span_of(roots)) reach.add(root);
    std::vector<bool> labels(dag.label_count()), productions(dag.production_count());
    for (Node node : reach.nodes()) {
        labels[dag.label(node)] = true;
        if (!dag.is_leaf(node)) productions[dag.production(node)] = true;
    }
    return {reach.nodes().size(), static_cast<std::size_t>(std::ranges::count(labels, true)),
            static_cast<std::size_t>(std::ranges::count(productions, true))};
}

template <class Function>
auto with_node(const Dag& dag, Node node, Function function) {
    const ReadLock reading(dag.mutex());
    check_nodes(dag, {&node, 1});
    return function(dag, node);
}

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
        corpus.emplace(dag, span_of(columns), row_roots, task);
        for (const auto& [a, b, value] : similarity) {
            // Labels that no tree has do not matter.
            const Label known_a = dag.find_label(a), known_b = dag.find_label(b);
            if (known_a != kNone && known_b != kNone) parameters.similarity.push_back({known_a, known_b, value});
        }
    });
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    return std::make_shared<Gram>(std::move(*corpus), columns.size(), !rows, std::move(parameters), normalize,
                                  diagonal_only, execution);
}

template <class T>
MatrixView<T> view_of(Matrix<T>& out, std::size_t rows, std::size_t columns) {
    if (out.shape(0) != rows || out.shape(1) != columns) throw nb::value_error("the result has another shape");
    if (rows > 0 && columns > 1 && out.stride(1) != 1)
        throw nb::value_error("the rows of the result must be contiguous");
    if (columns > 0 && rows > 1 && out.stride(0) < static_cast<std::int64_t>(columns))
        throw nb::value_error("the rows of the result must not overlap");
    return {out.data(), static_cast<std::size_t>(rows > 1 ? out.stride(0) : 0)};
}

template <class T>
void fill(const Gram& gram, Matrix<T> out, unsigned threads, const nb::object& progress) {
    const auto view = view_of(out, gram.row_count(), gram.column_count());
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    gram.fill(view, execution);
}

template <class T>
void fill_rows(const Gram& gram, std::size_t first, std::size_t last, Matrix<T> out, unsigned threads,
               const nb::object& progress) {
    if (first > last || last > gram.row_count()) throw nb::index_error("there are no such rows");
    const auto view = view_of(out, last - first, gram.column_count());
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    gram.fill_rows(first, last, view, execution);
}

}  // namespace

NB_MODULE(_native, m) {
    // Python need not free everything when it ends.
    nb::set_leak_warnings(false);
    m.doc() = "The C++ core of treekernels. Not a public interface.";
    nb::exception<Overflow>(m, "Overflow", PyExc_OverflowError);
    nb::exception<TooLarge>(m, "TooLarge", PyExc_MemoryError);

    nb::enum_<Kind>(m, "Kind")
        .value("subtree", Kind::subtree)
        .value("subset", Kind::subset)
        .value("partial", Kind::partial)
        .value("elastic", Kind::elastic);
    nb::enum_<Algorithm>(m, "Algorithm")
        .value("corpus", Algorithm::corpus)
        .value("ftk", Algorithm::ftk)
        .value("qtk", Algorithm::qtk);

    nb::class_<Dag>(m, "Dag", "The DAG of distinct subtrees.")
        .def(nb::init<>())
        .def_static("from_arrays", &dag_from_arrays, "label_text"_a, "label_offsets"_a, "node_labels"_a,
                    "child_offsets"_a, "children"_a)
        .def("export_arrays", &export_dag, "roots"_a)
        .def("parse", &parse, "texts"_a, "progress"_a.none() = nb::none())
        .def("add_postorder", &add_postorder, "labels"_a, "arities"_a)
        .def("import_nodes", &import_nodes, "other"_a, "roots"_a)
        .def("sizes", &sizes, "roots"_a)
        .def("census", &census, "roots"_a)
        .def(
            "label",
            [](const Dag& dag, Node node) {
                return with_node(dag, node, [](const Dag& d, Node n) { return std::string(d.label_text(d.label(n))); });
            },
            "node"_a)
        .def(
            "children",
            [](const Dag& dag, Node node) {
                return with_node(dag, node, [](const Dag& d, Node n) {
                    return std::vector<Node>(d.children(n).begin(), d.children(n).end());
                });
            },
            "node"_a)
        .def(
            "brackets",
            [](const Dag& dag, Node node) {
                return with_node(dag, node, [](const Dag& d, Node n) { return to_brackets(d, n); });
            },
            "node"_a)
        .def("__len__", &Dag::size);

    nb::class_<Gram>(m, "Gram", "The matrix of a tree kernel between the trees of one or two forests.")
        .def(nb::new_(&make_gram), "dag"_a, "columns"_a, "rows"_a.none(), "kind"_a, "algorithm"_a, "decay"_a,
             "vertical_decay"_a, "leaf_weight"_a, "span"_a, "similarity"_a, "normalize"_a, "diagonal_only"_a,
             "threads"_a, "progress"_a.none() = nb::none())
        .def("diagonal", [](const Gram& gram) { return to_numpy(gram.diagonal()); })
        .def("fill", &fill<double>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill", &fill<float>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<double>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<float>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def_prop_ro("shape", [](const Gram& gram) { return std::pair(gram.row_count(), gram.column_count()); });
}
