// Python's own syntax trees (objects of its module `ast`) as trees of a DAG, in one pass over the objects.
#include <string_view>
#include <unordered_map>

#include "bind/bind.hpp"

namespace treekernels {

namespace {

// What is asked of an object goes through here: nanobind's attributes would raise where there is nothing.
nb::object attribute_or_none(nb::handle object, nb::handle name) {
    PyObject* value = PyObject_GetAttr(object.ptr(), name.ptr());
    if (value == nullptr) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
        PyErr_Clear();
        return nb::none();
    }
    return nb::steal(value);
}

// The classes of `ast`, and what of a source is taken over; as `treekernels.io.readers.code.python` says.
struct SyntaxRules {
    nb::object node, context, constant;
    nb::tuple wanted;     // the classes of nodes that become a tree each; none for the root alone
    bool fields;          // whether fields become nodes
    bool all_names;       // whether all names are leaves
    nb::object declared;  // otherwise those that are not in here, or none at all
    bool literals;        // whether constants are leaves
    nb::object as_label;  // turns any text into a label
    std::size_t longest;  // texts of so many bytes are labels as they are, if they have no NUL
    std::size_t deepest;  // levels
};

// Nodes, children before parents, with labels by number.
class FlatSyntax {
public:
    explicit FlatSyntax(const SyntaxRules& rules) : rules_(rules) {}

    void read(const nb::object& root) {
        open(root);
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.items.is_valid()) {
                if (frame.next_item < PyList_Size(frame.items.ptr())) {
                    PyObject* item = PyList_GetItem(frame.items.ptr(), frame.next_item++);
                    if (item == nullptr) throw nb::python_error();
                    add(nb::borrow(item));
                    continue;
                }
                frame.items.reset();
            }
            if (frame.in_field) end_field(frame);
            if (frame.next_field == frame.kind->fields.size()) {
                close();
                continue;
            }
            const Field& field = frame.kind->fields[frame.next_field++];
            const nb::object value = attribute_or_none(frame.node, field.name);
            if (rules_.fields) {
                frame.in_field = true;
                frame.field_children = frame.children;
                frame.children = 0;
            }
            if (frame.kind->is_constant) {
                if (field.is_value && inside_ > 0) add_leaf(constant_text(value));
            } else if (PyList_Check(value.ptr())) {
                frame.items = value;
                frame.next_item = 0;
            } else {
                add(value);
            }
        }
    }

    std::vector<std::string> texts;      // of labels
    std::vector<std::uint32_t> labels;   // of nodes
    std::vector<std::uint32_t> arities;  // of nodes
    std::vector<std::size_t> ends;       // where each wanted tree ends
    nb::list roots;                      // their objects

private:
    struct Field {
        nb::object name;
        std::uint32_t label;
        bool is_value;
    };
    struct Kind {
        bool is_node, is_context, is_constant, is_wanted;
        std::uint32_t label;
        std::vector<Field> fields;
    };
    struct Frame {
        nb::object node;
        const Kind* kind;
        nb::object items;  // a list whose items are being read
        Py_ssize_t next_item = 0;
        std::size_t next_field = 0;
        std::uint32_t children = 0;
        std::uint32_t field_children = 0;  // those before the field that is being read
        bool in_field = false;
    };

    void open(const nb::object& node) {
        const Kind& kind = kind_of(node);
        if (kind.is_wanted) ++inside_;
        if (inside_ > 0 && ++depth_ > rules_.deepest) throw std::length_error("too deep");
        frames_.push_back({node, &kind, {}, 0, 0, 0, 0, false});
    }

    void close() {
        const Frame frame = std::move(frames_.back());
        frames_.pop_back();
        if (inside_ == 0) return;
        --depth_;
        put(frame.kind->label, frame.children);
        if (frame.kind->is_wanted) {
            --inside_;
            ends.push_back(labels.size());
            roots.append(frame.node);
        }
        if (!frames_.empty()) ++frames_.back().children;
        if (labels.size() % 65536 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    }

    void end_field(Frame& frame) {
        const std::uint32_t below = frame.children;
        frame.in_field = false;
        frame.children = frame.field_children;
        if (below == 0 || inside_ == 0) return;
        put(frame.kind->fields[frame.next_field - 1].label, below);
        ++frame.children;
    }

    void add(const nb::object& item) {
        if (item.is_none()) return;
        const Kind& kind = kind_of(item);
        if (kind.is_context) return;
        if (kind.is_node) return open(item);
        if (inside_ == 0) return;
        const nb::object text = PyUnicode_Check(item.ptr()) ? item : nb::object(nb::str(item));
        if (rules_.all_names || shows_name(text)) add_leaf(text);
    }

    bool shows_name(const nb::object& name) const {
        if (rules_.declared.is_none()) return false;
        const int found = PySet_Contains(rules_.declared.ptr(), name.ptr());
        if (found < 0) throw nb::python_error();
        return found == 0;
    }

    nb::object constant_text(const nb::object& value) const {
        const bool kept = rules_.literals || value.is_none() || value.ptr() == Py_Ellipsis || PyBool_Check(value.ptr());
        if (!kept) return nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()))).attr("__name__");
        return nb::repr(value);
    }

    void add_leaf(const nb::object& text) {
        put(label_of(text), 0);
        ++frames_.back().children;
    }

    void put(std::uint32_t label, std::uint32_t arity) {
        labels.push_back(label);
        arities.push_back(arity);
    }

    std::uint32_t label_of(const nb::object& text) {
        Py_ssize_t size = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (bytes == nullptr) PyErr_Clear();  // halves of characters
        const std::string_view view(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(size));
        const bool plain =
            bytes != nullptr && !view.empty() && view.size() <= rules_.longest && view.find('\0') == view.npos;
        if (!plain) return number_of(nb::cast<std::string>(rules_.as_label(text)));
        return number_of(std::string(view));
    }

    std::uint32_t number_of(std::string text) {
        const auto [place, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts.size()));
        if (is_new) texts.push_back(place->first);
        return place->second;
    }

    const Kind& kind_of(const nb::object& object) {
        PyTypeObject* type = Py_TYPE(object.ptr());
        const auto found = kinds_.find(type);
        return found != kinds_.end() ? found->second : kinds_.emplace(type, new_kind(type)).first->second;
    }

    Kind new_kind(PyTypeObject* type) {
        const nb::handle self(reinterpret_cast<PyObject*>(type));
        const auto is = [&](nb::handle classes) {
            const int answer = PyObject_IsSubclass(self.ptr(), classes.ptr());
            if (answer < 0) throw nb::python_error();
            return answer == 1;
        };
        Kind kind{is(rules_.node), is(rules_.context), is(rules_.constant), false, 0, {}};
        if (!kind.is_node) return kind;
        kind.is_wanted = rules_.wanted.size() == 0 ? kinds_.empty() : is(rules_.wanted);
        kind.label = label_of(self.attr("__name__"));
        for (nb::handle name : self.attr("_fields")) {
            const bool is_value = nb::cast<std::string>(name) == "value";
            kind.fields.push_back({nb::borrow(name), label_of(nb::borrow(name)), is_value});
        }
        return kind;
    }

    const SyntaxRules& rules_;
    std::unordered_map<PyTypeObject*, Kind> kinds_;
    std::unordered_map<std::string, std::uint32_t, TextHash> numbers_;
    std::vector<Frame> frames_;
    std::size_t inside_ = 0;  // trees that are open
    std::size_t depth_ = 0;   // nodes of them
};

using Objects = nb::typed<nb::list, nb::object>;
using Classes = nb::typed<nb::tuple, nb::object, nb::ellipsis>;

// The roots of all wanted trees, and their objects; nothing where a tree is too deep.
std::optional<std::pair<Vector<Node>, Objects>> add_python_syntax(
    Dag& dag, const nb::object& root, const nb::object& node, const nb::object& context, const nb::object& constant,
    const Classes& wanted, bool fields, bool all_names, const nb::object& declared, bool literals,
    const nb::object& as_label, std::size_t longest, std::size_t deepest) {
    const SyntaxRules rules{node,     context,  constant, wanted,  fields, all_names,
                            declared, literals, as_label, longest, deepest};
    FlatSyntax flat(rules);
    try {
        flat.read(root);
    } catch (const std::length_error&) {
        return std::nullopt;
    }
    std::vector<Node> roots;
    const Locks locks = Locks().write(dag.mutex());
    const auto brief = [&] { return flat.labels.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        std::vector<Label> labels;
        for (const std::string& text : flat.texts) labels.push_back(dag.intern_label(text));
        std::vector<Node> open;
        std::size_t next_end = 0;
        for (std::size_t at = 0; at < flat.labels.size(); ++at) {
            if (at % 4096 == 0) task.check();
            const std::size_t first = open.size() - flat.arities[at];
            const Node made = dag.intern_node(labels[flat.labels[at]], std::span<const Node>(open).subspan(first));
            open.resize(first);
            open.push_back(made);
            while (next_end < flat.ends.size() && flat.ends[next_end] == at + 1) {
                roots.push_back(made);
                ++next_end;
            }
        }
    });
    return std::pair{to_numpy(std::move(roots)), Objects(flat.roots)};
}

}  // namespace

void bind_syntax(nb::module_& m) {
    m.def("add_python_syntax", &add_python_syntax, "dag"_a, "root"_a, "node"_a, "context"_a, "constant"_a, "wanted"_a,
          "fields"_a, "all_names"_a, "declared"_a.none(), "literals"_a, "as_label"_a, "longest"_a, "deepest"_a);
}

}  // namespace treekernels
