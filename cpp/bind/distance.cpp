// Edit distances for Python.
#include "bind/bind.hpp"
#include "distance/costs.hpp"
#include "distance/distances.hpp"
#include "distance/mapping.hpp"

namespace treekernels {

namespace {

template <class T>
std::vector<T> copy_of(const ConstVector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

std::unique_ptr<EditCosts> make_costs(const ConstVector<double>& remove, const ConstVector<double>& insert,
                                      double rename, const ConstVector<Label>& from, const ConstVector<Label>& to,
                                      const ConstVector<double>& costs, const ConstVector<std::uint32_t>& groups,
                                      const ConstVector<std::uint64_t>& offsets,
                                      const ConstVector<std::uint32_t>& tokens, std::optional<Label> nothing) {
    if (from.size() != to.size() || from.size() != costs.size())
        throw nb::value_error("pairs have two labels and a cost");
    std::vector<RenameCost> pairs(from.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {from.data()[i], to.data()[i], costs.data()[i]};
    return std::make_unique<EditCosts>(copy_of(remove), copy_of(insert), rename, std::move(pairs),
                                       LabelTexts{copy_of(groups), copy_of(offsets), copy_of(tokens)},
                                       nothing.value_or(kNone));
}

// Does `work(request, task)` while the DAG stays as it is.
template <class Work>
void run_request(const Dag& dag, const ConstVector<Node>& a, const ConstVector<Node>& b, const EditCosts& costs,
                 double most, double most_bytes, std::size_t total, const nb::object& progress, Work work,
                 const LabelLists* lists = nullptr) {
    const auto brief = [&] {
        return total <= 4 && is_brief(dag, span_of(a), kBriefComparison) && is_brief(dag, span_of(b), kBriefComparison);
    };
    Locks locks;
    locks.read(dag.mutex());
    if (lists) locks.read(lists->mutex());
    run_locked(locks, brief, total, progress, [&](Task& task) {
        check_nodes(dag, span_of(a));
        check_nodes(dag, span_of(b));
        work(DistanceRequest{dag, costs, most, most_bytes}, task);
    });
}

template <class T>
void fill_matrix(const Dag& dag, const ConstVector<Node>& rows, const ConstVector<Node>& columns, bool symmetric,
                 const EditCosts& costs, double most, Matrix<T> out, double most_bytes, unsigned threads,
                 const nb::object& progress) {
    if (symmetric && rows.size() != columns.size()) throw nb::value_error("the matrix is not square");
    const auto view = view_of(out, rows.size(), columns.size());
    run_request(dag, rows, columns, costs, most, most_bytes, rows.size() * columns.size(), progress,
                [&](const DistanceRequest& request, Task& task) {
                    fill_distances(request, span_of(rows), span_of(columns), symmetric, view, threads, task);
                });
}

Vector<double> paired(const Dag& dag, const ConstVector<Node>& a, const ConstVector<Node>& b, const EditCosts& costs,
                      double most, double most_bytes, unsigned threads, const nb::object& progress) {
    if (a.size() != b.size()) throw nb::value_error("as many trees on either side are needed");
    std::vector<double> result;
    run_request(dag, a, b, costs, most, most_bytes, a.size(), progress,
                [&](const DistanceRequest& request, Task& task) {
                    result = pair_distances(request, span_of(a), span_of(b), threads, task);
                });
    return to_numpy(std::move(result));
}

std::tuple<Vector<std::uint64_t>, Vector<std::uint32_t>, Vector<double>> neighbors(
    const Dag& dag, const ConstVector<Node>& queries, const ConstVector<Node>& trees, const EditCosts& costs,
    const LabelLists& lists, bool among, std::size_t count, double most, double most_bytes, unsigned threads,
    const nb::object& progress) {
    if (among && queries.size() > trees.size()) throw nb::value_error("there are more queries than trees");
    Neighbors found;
    const auto find = [&](const DistanceRequest& request, Task& task) {
        if (costs.is_unit() && lists.count() < trees.size())
            throw std::invalid_argument("these are the labels of fewer trees");
        found = find_neighbors(request, span_of(queries), span_of(trees), lists, among, count, threads, task);
    };
    run_request(dag, queries, trees, costs, most, most_bytes, queries.size(), progress, find, &lists);
    return {to_numpy(std::move(found.offset)), to_numpy(std::move(found.tree)), to_numpy(std::move(found.distance))};
}

void add_labels(LabelLists& lists, const Dag& dag, const ConstVector<Node>& roots) {
    const auto brief = [&] { return is_brief(dag, span_of(roots)); };
    run_locked(Locks().read(dag.mutex()).write(lists.mutex()), brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const std::size_t before = lists.count();
        try {
            for (Node root : span_of(roots)) lists.add(dag, root, task);
        } catch (...) {
            lists.shorten(before);
            throw;
        }
    });
}

std::pair<Vector<std::uint32_t>, Vector<std::uint32_t>> mapping(const Dag& dag, const ConstVector<Node>& a,
                                                                const ConstVector<Node>& b, const EditCosts& costs,
                                                                double most_bytes) {
    if (a.size() != 1 || b.size() != 1) throw nb::value_error("two trees are needed");
    std::vector<std::uint32_t> from, to;
    run_request(dag, a, b, costs, 0.0, most_bytes, 1, nb::none(), [&](const DistanceRequest&, Task& task) {
        TreeDistance distance(costs, most_bytes);
        PreparedTree one, two;
        one.assign(dag, a.data()[0], task);
        two.assign(dag, b.data()[0], task);
        for (const auto& [x, y] : best_mapping(distance, one, two, task)) {
            from.push_back(x);
            to.push_back(y);
        }
    });
    return {to_numpy(std::move(from)), to_numpy(std::move(to))};
}

// All nodes of a tree in preorder: labels, and how many nodes each subtree has.
std::pair<Vector<Label>, Vector<std::uint32_t>> written_out(const Dag& dag, Node root) {
    FlatTree tree;
    const ConstVector<Node> roots(&root, {1});
    read_trees(dag, roots, [&](Task& task) { treekernels::flatten(dag, root, tree, task); });
    return {to_numpy(std::move(tree.label)), to_numpy(std::move(tree.size))};
}

}  // namespace

void bind_distance(nb::module_& m) {
    nb::class_<EditCosts>(m, "EditCosts", "What it costs to insert, delete and rename a node, by labels of one DAG.")
        .def(nb::new_([] { return std::make_unique<EditCosts>(); }))
        .def(nb::new_(&make_costs), "remove"_a, "insert"_a, "rename"_a, "pair_from"_a, "pair_to"_a, "pair_costs"_a,
             "groups"_a, "offsets"_a, "tokens"_a, "nothing"_a.none())
        .def_prop_ro("is_symmetric", &EditCosts::is_symmetric);
    m.def("fill_distances", &fill_matrix<double>, "dag"_a, "rows"_a, "columns"_a, "symmetric"_a, "costs"_a, "most"_a,
          "out"_a.noconvert(), "most_bytes"_a, "threads"_a, "progress"_a.none() = nb::none());
    m.def("fill_distances", &fill_matrix<float>, "dag"_a, "rows"_a, "columns"_a, "symmetric"_a, "costs"_a, "most"_a,
          "out"_a.noconvert(), "most_bytes"_a, "threads"_a, "progress"_a.none() = nb::none());
    m.def("pair_distances", &paired, "dag"_a, "a"_a, "b"_a, "costs"_a, "most"_a, "most_bytes"_a, "threads"_a,
          "progress"_a.none() = nb::none());
    nb::class_<LabelLists>(m, "LabelLists", "The labels of some trees of one DAG, which show that many are far apart.")
        .def(nb::new_([] { return std::make_unique<LabelLists>(); }))
        .def("add", &add_labels, "dag"_a, "roots"_a);
    m.def("nearest_trees", &neighbors, "dag"_a, "queries"_a, "trees"_a, "costs"_a, "labels"_a, "among"_a, "count"_a,
          "most"_a, "most_bytes"_a, "threads"_a, "progress"_a.none() = nb::none());
    m.def("edit_mapping", &mapping, "dag"_a, "a"_a, "b"_a, "costs"_a, "most_bytes"_a);
    m.def("write_out", &written_out, "dag"_a, "root"_a);
}

}  // namespace treekernels
