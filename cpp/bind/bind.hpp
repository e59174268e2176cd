// What the files that bind the core to Python share. Each of them binds one part, in a function declared at the end.
//
// Python objects are touched in those files and nowhere else; all real work is done without the GIL.
//
// Every object may be used from several Python threads. Gram matrices, kernels and embeddings do not change once they
// are made. The others have a lock (core/locks.hpp), which readers share and for which a writer waits:
//   a DAG;  a model, whose lock is that of its own DAG, since they grow together;  a source of summands;  a solver.
// These rules keep threads from waiting for each other:
//   - A piece of work lists all that it reads and changes, and locks it in the order of the addresses.
//   - A thread that holds a lock never waits for the GIL, and none waits for a lock with the GIL.
//   - Brief work is done by the calling thread, if all its locks are free at once. Otherwise a thread of its own waits
//     for them and does the work, while the calling thread, which holds none, listens for Ctrl-C.
//   - A lock is let go by its destructor: an exception leaves none behind.
//
// What turns an argument into C++ must not fail for want of memory, since nanobind could not say so: texts and lists
// are taken as Python has them, and results that are shared come by value or as a std::unique_ptr.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bind/calls/gil.hpp"
#include "core/dag.hpp"
#include "core/memory/matrix_view.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using ConstVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

using Texts = nb::typed<nb::list, nb::str>;

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

inline void check_nodes(const Dag& dag, std::span<const Node> nodes) {
    for (Node node : nodes)
        if (node >= dag.size()) throw nb::index_error("no such subtree");
}

inline constexpr std::size_t kBriefNodes = 10000;
inline constexpr std::size_t kBriefBytes = 100000;
// Trees of so many nodes in all are compared with each other in some milliseconds by any kernel.
inline constexpr std::size_t kBriefComparison = 512;

// Lets Ctrl-C and a progress callback in, ten times a second.
inline Execution execution_of(unsigned threads, nb::object progress) {
    return {std::max(1U, threads), [progress = std::move(progress)](Task& task) {
                const GilTaken gil;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!progress.is_none()) Ending::call_python([&] { progress(task.done(), task.total()); });
            }};
}

// Without anybody to be told: for brief work, which is done by the calling thread.
inline Execution brief_execution() { return {1, nullptr}; }

// Does `work` with the locks held: at once if they are free and it is `brief`, which is asked when they are held, or
// else on a thread of its own, so that Ctrl-C is heard meanwhile.
template <class Brief, class Work>
void run_locked(const Locks& locks, Brief brief, std::uint64_t total, nb::object progress, Work work) {
    const auto execution = execution_of(1, std::move(progress));
    const GilReleased released;
    Task task(total);
    if (const auto held = locks.try_lock(); held && brief()) return work(task);
    const auto wait_and_work = [&](Task& shared) {
        const auto held = locks.lock(shared);
        work(shared);
    };
    run_watched(task, 1, wait_and_work, execution.watch);
}

// The same for what takes no time at all, so that it need not let go of the GIL unless it has to wait.
template <class Work>
auto look_up(const Locks& locks, Work work) {
    std::optional<decltype(work())> result;
    if (const auto held = locks.try_lock()) return work();
    run_locked(locks, [] { return true; }, 1, nb::none(), [&](Task&) { result.emplace(work()); });
    return std::move(*result);
}

// Whether the trees have so few nodes, however often they share one, that work on them is brief.
inline bool is_brief(const Dag& dag, std::span<const Node> roots, std::size_t most = kBriefNodes) {
    if (roots.size() > most) return false;
    std::vector<Node> open(roots.begin(), roots.end());
    for (std::size_t seen = 1; !open.empty(); ++seen) {
        const Node node = open.back();
        open.pop_back();
        if (node >= dag.size()) continue;  // an error, which somebody else will find
        const auto children = dag.children(node);
        if (seen + open.size() + children.size() > most) return false;
        open.insert(open.end(), children.begin(), children.end());
    }
    return true;
}

// Does something that reads some trees of a DAG.
template <class Work>
void read_trees(const Dag& dag, const ConstVector<Node>& roots, Work work) {
    const Locks locks = Locks().read(dag.mutex());
    const auto brief = [&] { return is_brief(dag, span_of(roots)); };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        work(task);
    });
}

inline std::string_view utf8_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
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

// A Gram matrix as Python holds it.
template <class Matrix>
struct Bound {
    std::unique_ptr<Matrix> matrix;
    bool brief;  // whether to compute all of it takes no time

    Execution execution(unsigned threads, const nb::object& progress) const {
        return brief ? brief_execution() : execution_of(threads, progress);
    }
};

template <class T, class Gram>
void fill(const Bound<Gram>& gram, Matrix<T> out, unsigned threads, const nb::object& progress) {
    const auto view = view_of(out, gram.matrix->row_count(), gram.matrix->column_count());
    const auto execution = gram.execution(threads, progress);
    const GilReleased released;
    gram.matrix->fill(view, execution);
}

template <class T, class Gram>
void fill_rows(const Bound<Gram>& gram, std::size_t first, std::size_t last, Matrix<T> out, unsigned threads,
               const nb::object& progress) {
    if (first > last || last > gram.matrix->row_count()) throw nb::index_error("there are no such rows");
    const auto view = view_of(out, last - first, gram.matrix->column_count());
    const auto execution = gram.execution(threads, progress);
    const GilReleased released;
    gram.matrix->fill_rows(first, last, view, execution);
}

// The methods of every kind of Gram matrix.
template <class Gram>
void bind_matrix(nb::class_<Bound<Gram>>& matrices) {
    matrices.def("diagonal", [](const Bound<Gram>& gram) { return to_numpy(gram.matrix->diagonal()); })
        .def("fill", &fill<double, Gram>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill", &fill<float, Gram>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<double, Gram>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<float, Gram>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def_prop_ro("shape", [](const Bound<Gram>& gram) {
            return std::pair(gram.matrix->row_count(), gram.matrix->column_count());
        });
}

void bind_forest(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_gram(nb::module_& m);
void bind_gradients(nb::module_& m);
void bind_weighted_forest(nb::module_& m);
void bind_summands(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_structures(nb::module_& m);
void bind_explanation(nb::module_& m);
void bind_distributed(nb::module_& m);
void bind_partial_vectors(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_reader_writer_lock(nb::module_& m);
void bind_search(nb::module_& m);

}  // namespace treekernels
