// What the files that bind the core to Python share. Each of them binds one part, in a function declared at the end.
//
// Python objects are touched in those files and nowhere else; all real work is done without the GIL. Whoever holds a
// DAG's lock never waits for the GIL: locks are taken by threads that do nothing but the work, while the calling
// thread, which holds none, listens for Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "core/dag.hpp"
#include "gram/gram_matrix.hpp"

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

inline void check_nodes(const Dag& dag, std::span<const Node> nodes) {
    for (Node node : nodes)
        if (node >= dag.size()) throw nb::index_error("no such subtree");
}

// Lets Ctrl-C and a progress callback in, ten times a second.
inline Execution execution_of(unsigned threads, nb::object progress) {
    return {std::max(1U, threads), [progress = std::move(progress)](Task& task) {
                const nb::gil_scoped_acquire gil;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!progress.is_none()) progress(task.done(), task.total());
            }};
}

// Runs something on a thread of its own, so that Ctrl-C is heard meanwhile; at once if it is `brief`.
inline void run_interruptibly(bool brief, std::uint64_t total, nb::object progress,
                              const std::function<void(Task&)>& work) {
    const auto execution = execution_of(1, std::move(progress));
    const nb::gil_scoped_release released;
    Task task(total);
    brief ? work(task) : run_watched(task, 1, work, execution.watch);
}
inline constexpr std::size_t kBriefNodes = 10000;
inline constexpr std::size_t kBriefBytes = 100000;

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

template <class T, class Matrices>
void fill(const Matrices& gram, Matrix<T> out, unsigned threads, const nb::object& progress) {
    const auto view = view_of(out, gram.row_count(), gram.column_count());
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    gram.fill(view, execution);
}

template <class T, class Matrices>
void fill_rows(const Matrices& gram, std::size_t first, std::size_t last, Matrix<T> out, unsigned threads,
               const nb::object& progress) {
    if (first > last || last > gram.row_count()) throw nb::index_error("there are no such rows");
    const auto view = view_of(out, last - first, gram.column_count());
    const auto execution = execution_of(threads, progress);
    const nb::gil_scoped_release released;
    gram.fill_rows(first, last, view, execution);
}

// The methods of every kind of Gram matrix.
template <class Matrices>
void bind_matrix(nb::class_<Matrices>& matrices) {
    matrices.def("diagonal", [](const Matrices& gram) { return to_numpy(gram.diagonal()); })
        .def("fill", &fill<double, Matrices>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill", &fill<float, Matrices>, "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<double, Matrices>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def("fill_rows", &fill_rows<float, Matrices>, "first"_a, "last"_a, "out"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def_prop_ro("shape", [](const Matrices& gram) { return std::pair(gram.row_count(), gram.column_count()); });
}

void bind_forest(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_gram(nb::module_& m);
void bind_weighted_forest(nb::module_& m);
void bind_summands(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_structures(nb::module_& m);
void bind_explanation(nb::module_& m);
void bind_distributed(nb::module_& m);
void bind_pairs(nb::module_& m);

}  // namespace treekernels
