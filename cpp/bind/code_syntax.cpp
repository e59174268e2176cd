// The syntax trees of tree-sitter as trees of a DAG, in one pass of a cursor of its Python package.
//
// Only what that package documents is used: its objects are asked by name, as Python would do it.
#include <array>
#include <string_view>

#include "bind/bind.hpp"

namespace treekernels {

namespace {

nb::object attribute(nb::handle object, const nb::object& name) {
    PyObject* value = PyObject_GetAttr(object.ptr(), name.ptr());
    if (value == nullptr) throw nb::python_error();
    return nb::steal(value);
}

bool is_true(nb::handle object) {
    const int answer = PyObject_IsTrue(object.ptr());
    if (answer < 0) throw nb::python_error();
    return answer == 1;
}

nb::object interned(const char* text) { return nb::steal(PyUnicode_InternFromString(text)); }

// A cursor of tree-sitter, which walks over a tree and makes an object of the node where it is.
class SyntaxCursor {
public:
    explicit SyntaxCursor(const nb::object& node)
        : cursor_(node.attr("walk")()),
          down_(cursor_.attr("goto_first_child")),
          on_(cursor_.attr("goto_next_sibling")),
          up_(cursor_.attr("goto_parent")) {}

    bool down() const { return call(down_); }
    bool on() const { return call(on_); }
    bool up() const { return call(up_); }
    nb::object node() const { return attribute(cursor_, node_); }
    bool is_in_field(std::initializer_list<const char*> names) const {
        const nb::object field = attribute(cursor_, field_name_);
        return !field.is_none() && std::ranges::any_of(names, [&](const char* name) {
            return PyUnicode_CompareWithASCIIString(field.ptr(), name) == 0;
        });
    }

private:
    static bool call(const nb::object& method) {
        PyObject* answer = PyObject_CallNoArgs(method.ptr());
        if (answer == nullptr) throw nb::python_error();
        return is_true(nb::steal(answer));
    }

    nb::object cursor_, down_, on_, up_;
    nb::object node_ = interned("node"), field_name_ = interned("field_name");
};

// Which nodes of a kind stand in the tree, as `treekernels.io.reading.code.syntax_kinds` says.
enum class Taken { kNever, kAlways, kAsOperator };
enum class Shown { kNever, kAlways, kUnlessDeclared };  // the text of a leaf

struct SyntaxKind {
    bool is_known = false;
    std::string label;
    Taken taken = Taken::kNever;
    Shown shown = Shown::kNever;
    bool declares = false;  // whether names directly below are declared
    bool is_name = false;
    bool is_wanted = false;  // whether `find` looks for such nodes
    Label number = kNone;    // of the label in the DAG
};

class CodeSyntax {
public:
    // `describe` takes the first node of each kind, and returns the members of its SyntaxKind.
    CodeSyntax(nb::object dag, nb::object describe, nb::object as_label, std::size_t longest)
        : dag_object_(std::move(dag)),
          dag_(nb::cast<Dag&>(dag_object_)),
          describe_(std::move(describe)),
          as_label_(std::move(as_label)),
          longest_(longest),
          kinds_(1 << 16) {}

    // The tree of a node. Names in `declared` are left out where that matters.
    Node add(const nb::object& root, const nb::object& declared) {
        text_.clear();
        items_.clear();
        declared_ = declared;
        // Only a tree with mistakes has nodes that the parser missed.
        has_missing_ = is_true(root.attr("has_error"));
        flatten(root);
        declared_.reset();
        return intern();
    }

    // The names that a source declares: those below a kind of node that `declares`.
    nb::typed<nb::set, nb::str> declared_names(const nb::object& root) {
        nb::set names;
        walk(root,
             [&](const SyntaxCursor& cursor, const nb::object& node, const SyntaxKind& kind, const SyntaxKind* parent) {
                 if (parent == nullptr || !parent->declares || !kind.is_name) return;
                 if (cursor.is_in_field({"type", "value", "function", "object"})) return;
                 names.add(attribute(node, text_name_).attr("decode")("utf-8", "replace"));
             });
        return names;
    }

    // The nodes that are wanted, those inside of others too, in the order of the source.
    nb::typed<nb::list, nb::object> find(const nb::object& root) {
        nb::list nodes;
        walk(root, [&](const SyntaxCursor&, const nb::object& node, const SyntaxKind& kind, const SyntaxKind*) {
            if (kind.is_wanted) nodes.append(node);
        });
        return nodes;
    }

private:
    // A node, after those below it: a kind, or else a text.
    struct Item {
        SyntaxKind* kind;
        std::size_t begin;
        std::uint32_t size;
        std::uint32_t arity;
    };
    struct Open {
        SyntaxKind* kind;
        std::uint32_t children;
    };

    SyntaxKind& kind_of(const nb::object& node) {
        const nb::object id = attribute(node, kind_id_);
        const std::size_t number = PyLong_AsSize_t(id.ptr());
        if (number >= kinds_.size()) throw nb::index_error("a kind of node without a number");
        SyntaxKind& kind = kinds_[number];
        if (!kind.is_known) describe(node, kind);
        return kind;
    }

    void describe(const nb::object& node, SyntaxKind& kind) {
        const auto [label, taken, shown, declares, is_name, is_wanted] =
            nb::cast<std::tuple<std::string, int, int, bool, bool, bool>>(describe_(node));
        kind = {true, label, static_cast<Taken>(taken), static_cast<Shown>(shown), declares, is_name, is_wanted, kNone};
    }

    template <class Visit>
    void walk(const nb::object& root, Visit visit) {
        SyntaxCursor cursor(root);
        std::vector<const SyntaxKind*> open;
        while (true) {
            listen();
            const nb::object node = cursor.node();
            const SyntaxKind& kind = kind_of(node);
            visit(cursor, node, kind, open.empty() ? nullptr : open.back());
            if (cursor.down()) {
                open.push_back(&kind);
                continue;
            }
            while (!cursor.on()) {
                if (open.empty()) return;
                cursor.up();
                open.pop_back();
            }
        }
    }

    void flatten(const nb::object& root) {
        SyntaxCursor cursor(root);
        std::vector<Open> open;
        const auto count = [&] {
            if (!open.empty()) ++open.back().children;
        };
        const auto begin = [&](const nb::object& node, SyntaxKind& kind) {
            if (cursor.down()) {
                open.push_back({&kind, 0});
                return true;
            }
            add_leaf(node, kind);
            count();
            return false;
        };
        if (!begin(root, kind_of(root))) return;
        bool is_first = true;
        while (true) {  // at a child of the last open node
            listen();
            const nb::object node = cursor.node();
            SyntaxKind& kind = kind_of(node);
            bool taken = kind.taken == Taken::kAlways;
            if (kind.taken == Taken::kAsOperator) {
                taken = cursor.is_in_field({"operator"});
                if (!taken && is_first) {
                    if (cursor.on()) {
                        is_first = false;
                        continue;
                    }
                    taken = true;  // the only child, such as the name of a type
                }
            }
            if (taken && begin(node, kind)) {
                is_first = true;
                continue;
            }
            while (!cursor.on()) {
                items_.push_back({open.back().kind, 0, 0, open.back().children});
                open.pop_back();
                if (open.empty()) return;
                cursor.up();
                count();
            }
            is_first = false;
        }
    }

    void add_leaf(const nb::object& node, SyntaxKind& kind) {
        if (has_missing_ && is_true(attribute(node, is_missing_))) {
            add_text("MISSING " + kind.label);
            return;
        }
        const bool has_text = kind.shown != Shown::kNever && add_text_of(node, kind);
        items_.push_back({&kind, 0, 0, has_text ? 1U : 0U});
    }

    bool add_text_of(const nb::object& node, const SyntaxKind& kind) {
        const nb::object bytes = attribute(node, text_name_);
        if (bytes.is_none()) return false;  // the tree was not made of a text
        char* data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) < 0) throw nb::python_error();
        const std::string_view text(data, static_cast<std::size_t>(size));
        if (text.empty()) return false;
        const bool plain =
            text.size() <= longest_ && std::ranges::all_of(text, [](char c) { return c > '\0' && c <= '\x7e'; });
        if (plain && kind.shown == Shown::kAlways) {
            add_text(text);
            return true;
        }
        const nb::object word = bytes.attr("decode")("utf-8", "replace");
        if (kind.shown == Shown::kUnlessDeclared) {
            const int is_declared = PySet_Contains(declared_.ptr(), word.ptr());
            if (is_declared < 0) throw nb::python_error();
            if (is_declared == 1) return false;
        }
        add_text(plain ? text : utf8_of(kept_ = as_label_(word)));
        return true;
    }

    void add_text(std::string_view text) {
        items_.push_back({nullptr, text_.size(), static_cast<std::uint32_t>(text.size()), 0});
        text_.append(text);
    }

    Node intern() {
        std::vector<Node> open;
        const Locks locks = Locks().write(dag_.mutex());
        const auto brief = [&] { return items_.size() < kBriefNodes; };
        run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
            for (std::size_t at = 0; at < items_.size(); ++at) {
                if (at % 4096 == 0) task.check();
                const Item& item = items_[at];
                const std::size_t first = open.size() - item.arity;
                const Label label = label_of(item);
                const Node made = dag_.intern_node(label, std::span<const Node>(open).subspan(first));
                open.resize(first);
                open.push_back(made);
            }
        });
        return open.back();
    }

    Label label_of(const Item& item) {
        if (item.kind == nullptr) return dag_.intern_label(std::string_view(text_).substr(item.begin, item.size));
        if (item.kind->number == kNone) item.kind->number = dag_.intern_label(item.kind->label);
        return item.kind->number;
    }

    void listen() {
        if (++steps_ % 65536 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    }

    nb::object dag_object_;
    Dag& dag_;
    nb::object describe_, as_label_;
    std::size_t longest_;
    std::vector<SyntaxKind> kinds_;
    nb::object kind_id_ = interned("kind_id"), text_name_ = interned("text"), is_missing_ = interned("is_missing");
    nb::object declared_, kept_;
    bool has_missing_ = false;
    std::string text_;
    std::vector<Item> items_;
    std::size_t steps_ = 0;
};

}  // namespace

void bind_code_syntax(nb::module_& m) {
    nb::class_<CodeSyntax>(m, "CodeSyntax", "Makes trees of the nodes of tree-sitter.")
        .def(nb::init<nb::object, nb::object, nb::object, std::size_t>(), "dag"_a, "describe"_a, "as_label"_a,
             "longest"_a)
        .def("add", &CodeSyntax::add, "node"_a, "declared"_a = nb::set())
        .def("declared_names", &CodeSyntax::declared_names, "node"_a)
        .def("find", &CodeSyntax::find, "node"_a);
}

}  // namespace treekernels
