// The DAG of distinct subtrees for Python: texts and arrays in and out.
#include "bind/bind.hpp"
#include "core/brackets.hpp"

namespace treekernels {

namespace {

using Failure = std::tuple<std::size_t, std::size_t, std::string>;  // which text, byte offset, reason

std::pair<Vector<Node>, std::optional<Failure>> parse(Dag& dag, const Texts& texts, std::size_t longest_label,
                                                      const nb::object& progress) {
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
    const Locks locks = Locks().write(dag.mutex());
    const auto brief = [&] { return bytes < kBriefBytes; };
    run_locked(locks, brief, views.size(), progress, [&](Task& task) {
        BracketReader reader(dag, longest_label);
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
    std::vector<std::string_view> texts;  // kept alive by the list, which is the caller's own
    texts.reserve(labels.size());
    for (nb::handle label : labels) texts.push_back(utf8_of(label));
    std::vector<Node> open;
    const Locks locks = Locks().write(dag.mutex());
    const auto brief = [&] { return texts.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        for (std::size_t at = 0; at < texts.size(); ++at) {
            if (at % 4096 == 0) task.check();
            const std::size_t arity = arities.data()[at];
            if (arity > open.size()) throw std::invalid_argument("a node has more children than there are");
            const std::span<const Node> children(open.data() + open.size() - arity, arity);
            const Node node = dag.intern_node(dag.intern_label(texts[at]), children);
            open.resize(open.size() - arity);
            open.push_back(node);
        }
    });
    return to_numpy(std::move(open));
}

Vector<Node> import_nodes(Dag& dag, const Dag& other, const ConstVector<Node>& roots) {
    if (&dag == &other) throw nb::value_error("a forest cannot import from itself");
    std::vector<Node> result;
    const Locks locks = Locks().read(other.mutex()).write(dag.mutex());
    const auto brief = [&] { return is_brief(other, span_of(roots)); };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        check_nodes(other, span_of(roots));
        result = dag.import(other, span_of(roots), task);
    });
    return to_numpy(std::move(result));
}

std::tuple<nb::bytes, Vector<std::uint64_t>, Vector<Label>, Vector<std::uint64_t>, Vector<Node>, Vector<Node>>
export_dag(const Dag& dag, const ConstVector<Node>& roots) {
    DagArrays arrays;
    std::vector<Node> new_roots;
    read_trees(dag, roots, [&](Task&) { arrays = export_arrays(dag, span_of(roots), new_roots); });
    return {nb::bytes(arrays.label_text.data(), arrays.label_text.size()),
            to_numpy(std::move(arrays.label_offsets)),
            to_numpy(std::move(arrays.node_labels)),
            to_numpy(std::move(arrays.child_offsets)),
            to_numpy(std::move(arrays.children)),
            to_numpy(std::move(new_roots))};
}

std::unique_ptr<Dag> dag_from_arrays(const nb::bytes& label_text, const ConstVector<std::uint64_t>& label_offsets,
                                     const ConstVector<Label>& node_labels,
                                     const ConstVector<std::uint64_t>& child_offsets,
                                     const ConstVector<Node>& children) {
    const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.size()); };
    const DagArrays arrays{std::string(label_text.c_str(), label_text.size()), copy(label_offsets), copy(node_labels),
                           copy(child_offsets), copy(children)};
    auto dag = std::make_unique<Dag>();
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
    read_trees(dag, roots, [&](Task&) { result = tree_sizes(dag, span_of(roots)); });
    return {to_numpy(std::move(result.nodes)), to_numpy(std::move(result.depth))};
}

// How many different subtrees, labels and productions the trees have.
std::tuple<std::size_t, std::size_t, std::size_t> census(const Dag& dag, const ConstVector<Node>& roots) {
    std::size_t subtrees = 0;
    std::vector<bool> labels, productions;
    read_trees(dag, roots, [&](Task& task) {
        Reach reach(dag, &task);
        for (Node root : span_of(roots)) reach.add(root);
        labels.resize(dag.label_count());
        productions.resize(dag.production_count());
        for (Node node : reach.nodes()) {
            labels[dag.label(node)] = true;
            if (!dag.is_leaf(node)) productions[dag.production(node)] = true;
        }
        subtrees = reach.nodes().size();
    });
    return {subtrees, static_cast<std::size_t>(std::ranges::count(labels, true)),
            static_cast<std::size_t>(std::ranges::count(productions, true))};
}

template <class Function>
auto with_node(const Dag& dag, Node node, Function function) {
    return look_up(Locks().read(dag.mutex()), [&] {
        check_nodes(dag, {&node, 1});
        return function(dag, node);
    });
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Dag>(m, "Dag", "The DAG of distinct subtrees.")
        .def(nb::init<>())
        .def_static("from_arrays", &dag_from_arrays, "label_text"_a, "label_offsets"_a, "node_labels"_a,
                    "child_offsets"_a, "children"_a)
        .def("export_arrays", &export_dag, "roots"_a)
        .def("parse", &parse, "texts"_a, "longest_label"_a = static_cast<std::size_t>(-1),
             "progress"_a.none() = nb::none())
        .def("add_postorder", &add_postorder, "labels"_a, "arities"_a)
        .def("import_nodes", &import_nodes, "other"_a, "roots"_a)
        .def("sizes", &sizes, "roots"_a)
        .def("census", &census, "roots"_a)
        .def(
            "find_leaf",
            [](const Dag& dag, const nb::str& given) {
                const std::string_view label = utf8_of(given);
                const auto find = [&] { return dag.find_node(dag.find_label(label), {}); };
                const Node node = look_up(Locks().read(dag.mutex()), find);
                return node == kNone ? std::nullopt : std::optional<Node>(node);
            },
            "label"_a, "The node of a leaf, or None if there is none with this label.")
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
            [](const Dag& dag, Node node, std::size_t most_nodes) {
                return with_node(dag, node, [&](const Dag& d, Node n) { return to_brackets(d, n, most_nodes); });
            },
            "node"_a, "most_nodes"_a)
        .def(
            "brackets_prefix",
            [](const Dag& dag, Node node, std::size_t bytes) {
                const std::string text =
                    with_node(dag, node, [&](const Dag& d, Node n) { return brackets_prefix(d, n, bytes); });
                return nb::steal<nb::str>(
                    PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
            },
            "node"_a, "bytes"_a)
        .def("__len__", [](const Dag& dag) { return look_up(Locks().read(dag.mutex()), [&] { return dag.size(); }); });
}

}  // namespace treekernels
