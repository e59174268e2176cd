// Tree surgery for Python. All functions leave the DAG that they are given as it is, and make a new one.
#include "bind/bind.hpp"
#include "structures/binarize.hpp"
#include "structures/enclose.hpp"
#include "structures/lexicalize.hpp"
#include "structures/outline.hpp"
#include "structures/prune.hpp"
#include "structures/rewrite.hpp"

namespace treekernels {

namespace {

using Result = std::pair<std::unique_ptr<Dag>, Vector<Node>>;
using Numbers = ConstVector<std::uint32_t>;

// Runs `work(to, task)`, which gives the new roots.
template <class Work>
Result made(const Dag& from, const ConstVector<Node>& roots, Work work) {
    auto to = std::make_unique<Dag>();
    std::vector<Node> result;
    read_trees(from, roots, [&](Task& task) { result = work(*to, task); });
    auto roots_there = to_numpy(std::move(result));
    return {std::move(to), std::move(roots_there)};
}

// The labels of the trees: their texts, their numbers in the DAG, and where they occur.
std::tuple<std::vector<std::string>, Vector<Label>, Vector<std::uint8_t>> label_roles(const Dag& dag,
                                                                                      const ConstVector<Node>& roots) {
    constexpr std::uint8_t at_leaf = 1, at_inner = 2;
    std::vector<std::string> texts;
    std::vector<Label> labels;
    std::vector<std::uint8_t> roles;
    read_trees(dag, roots, [&](Task& task) {
        Reach reach(dag, &task);
        for (Node root : span_of(roots)) reach.add(root);
        std::vector<std::uint8_t> role(dag.label_count());
        for (Node node : reach.nodes()) role[dag.label(node)] |= dag.is_leaf(node) ? at_leaf : at_inner;
        for (Label label = 0; label < role.size(); ++label) {
            if (!role[label]) continue;
            texts.emplace_back(dag.label_text(label));
            labels.push_back(label);
            roles.push_back(role[label]);
        }
    });
    return {std::move(texts), to_numpy(std::move(labels)), to_numpy(std::move(roles))};
}

// The productions of the trees: their numbers, their labels, and the labels of the children, cut by offsets.
std::tuple<Vector<Production>, Vector<Label>, Vector<std::uint64_t>, Vector<Label>> productions(
    const Dag& dag, const ConstVector<Node>& roots) {
    std::vector<Production> found;
    std::vector<Label> labels, children;
    std::vector<std::uint64_t> offsets{0};
    read_trees(dag, roots, [&](Task& task) {
        Reach reach(dag, &task);
        for (Node root : span_of(roots)) reach.add(root);
        std::vector<bool> seen(dag.production_count());
        for (Node node : reach.nodes()) {
            if (dag.is_leaf(node) || seen[dag.production(node)]) continue;
            seen[dag.production(node)] = true;
            found.push_back(dag.production(node));
            labels.push_back(dag.label(node));
            for (Node child : dag.children(node)) children.push_back(dag.label(child));
            offsets.push_back(children.size());
        }
    });
    return {to_numpy(std::move(found)), to_numpy(std::move(labels)), to_numpy(std::move(offsets)),
            to_numpy(std::move(children))};
}

// `old` lists the labels of the trees, and `leaf` and `inner` what becomes of each at such nodes: a place in `texts`,
// -1 to drop the node, -2 to splice it.
Result rewritten(const Dag& dag, const ConstVector<Node>& roots, const ConstVector<Label>& old,
                 const ConstVector<std::int64_t>& leaf, const ConstVector<std::int64_t>& inner, const Texts& texts,
                 bool drop_emptied, const nb::str& empty) {
    if (leaf.size() != old.size() || inner.size() != old.size())
        throw nb::value_error("as many rules as labels are needed");
    std::vector<std::string_view> views;
    for (nb::handle text : texts) views.push_back(utf8_of(text));
    const std::string_view empty_text = utf8_of(empty);
    return made(dag, roots, [&](Dag& to, Task& task) {
        std::vector<Label> labels;
        for (std::string_view text : views) labels.push_back(to.intern_label(text));
        const auto rule = [&](std::int64_t place) {
            if (place == -2) return kSplice;
            if (place < -2 || place >= static_cast<std::int64_t>(labels.size())) throw nb::index_error("no such label");
            return place < 0 ? kDrop : labels[static_cast<std::size_t>(place)];
        };
        Rewriting rewriting{std::vector<Label>(dag.label_count(), kDrop), std::vector<Label>(dag.label_count(), kDrop),
                            drop_emptied, to.intern_label(empty_text)};
        for (std::size_t at = 0; at < old.size(); ++at) {
            if (old.data()[at] >= dag.label_count()) throw nb::index_error("no such label");
            rewriting.leaf[old.data()[at]] = rule(leaf.data()[at]);
            rewriting.inner[old.data()[at]] = rule(inner.data()[at]);
        }
        return rewrite(dag, span_of(roots), rewriting, to, task);
    });
}

Result binarized(const Dag& dag, const ConstVector<Node>& roots, bool right, std::optional<std::size_t> horizontal) {
    return made(dag, roots, [&](Dag& to, Task& task) {
        return binarize(dag, span_of(roots), right, horizontal.value_or(~std::size_t{0}), to, task);
    });
}

Result pruned(const Dag& dag, const ConstVector<Node>& roots, std::uint64_t depth) {
    if (depth < 1) throw nb::value_error("a tree has a depth of at least 1");
    return made(dag, roots, [&](Dag& to, Task& task) { return prune_depth(dag, span_of(roots), depth, to, task); });
}

// `heads` gives for each of the `productions` the place of the head among the children.
Result lexicalized(const Dag& dag, const ConstVector<Node>& roots, const ConstVector<Production>& of,
                   const Numbers& heads, bool tag, const nb::str& separator) {
    if (of.size() != heads.size()) throw nb::value_error("as many heads as productions are needed");
    const std::string between(utf8_of(separator));
    return made(dag, roots, [&](Dag& to, Task& task) {
        std::vector<std::uint32_t> head_child(dag.production_count(), kNone);
        for (std::size_t at = 0; at < of.size(); ++at) {
            if (of.data()[at] >= head_child.size()) throw nb::index_error("no such production");
            head_child[of.data()[at]] = heads.data()[at];
        }
        return lexicalize(dag, span_of(roots), head_child, tag, between, to, task);
    });
}

Choices choices_of(const Numbers& trees, const ConstVector<std::uint64_t>& offsets, const Numbers& nodes, bool words) {
    const auto cuts = span_of(offsets);
    if (cuts.size() != trees.size() + 1 || cuts.front() != 0 || cuts.back() != nodes.size() ||
        !std::ranges::is_sorted(cuts))
        throw nb::value_error("the offsets do not fit");
    return {span_of(trees), cuts, span_of(nodes), words};
}

Result enclosed(const Dag& dag, const ConstVector<Node>& roots, const Numbers& trees,
                const ConstVector<std::uint64_t>& offsets, const Numbers& nodes, bool words, Keep keep) {
    const Choices choices = choices_of(trees, offsets, nodes, words);
    return made(dag, roots, [&](Dag& to, Task& task) { return enclose(dag, span_of(roots), choices, keep, to, task); });
}

Result marked(const Dag& dag, const ConstVector<Node>& roots, const Numbers& trees,
              const ConstVector<std::uint64_t>& offsets, const Numbers& nodes, bool words, const std::string& suffix) {
    const Choices choices = choices_of(trees, offsets, nodes, words);
    return made(dag, roots, [&](Dag& to, Task& task) { return mark(dag, span_of(roots), choices, suffix, to, task); });
}

// The nodes of a tree from the root on: subtrees, parents (the largest number for none), stops, and spans of leaves.
std::tuple<Vector<Node>, Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<std::uint32_t>>
outlined(const Dag& dag, Node root) {
    Outline outline;
    const Locks locks = Locks().read(dag.mutex());
    const auto brief = [&] { return is_brief(dag, {&root, 1}); };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) {
        check_nodes(dag, {&root, 1});
        check_outlines(dag, {&root, 1});
        outline.fill(dag, root, task);
    });
    return {to_numpy(std::move(outline.node)), to_numpy(std::move(outline.parent)), to_numpy(std::move(outline.stop)),
            to_numpy(std::move(outline.begin)), to_numpy(std::move(outline.end))};
}

// The labels of nodes.
std::vector<std::string> labels_of(const Dag& dag, const ConstVector<Node>& nodes) {
    std::vector<std::string> texts;
    texts.reserve(nodes.size());
    const Locks locks = Locks().read(dag.mutex());
    const auto brief = [&] { return nodes.size() < kBriefNodes; };
    run_locked(locks, brief, 1, nb::none(), [&](Task&) {
        check_nodes(dag, span_of(nodes));
        for (Node node : span_of(nodes)) texts.emplace_back(dag.label_text(dag.label(node)));
    });
    return texts;
}

}  // namespace

void bind_structures(nb::module_& m) {
    nb::enum_<Keep>(m, "Keep").value("paths", Keep::paths).value("between", Keep::between).value("all", Keep::all);
    m.def("label_roles", &label_roles, "dag"_a, "roots"_a);
    m.def("productions", &productions, "dag"_a, "roots"_a);
    m.def("labels_of", &labels_of, "dag"_a, "nodes"_a);
    m.def("outline", &outlined, "dag"_a, "root"_a);
    m.def("rewrite", &rewritten, "dag"_a, "roots"_a, "old"_a, "leaf"_a, "inner"_a, "texts"_a, "drop_emptied"_a,
          "empty"_a);
    m.def("binarize", &binarized, "dag"_a, "roots"_a, "right"_a, "horizontal"_a.none());
    m.def("prune_depth", &pruned, "dag"_a, "roots"_a, "depth"_a);
    m.def("lexicalize", &lexicalized, "dag"_a, "roots"_a, "of"_a, "heads"_a, "tag"_a, "separator"_a);
    m.def("enclose", &enclosed, "dag"_a, "roots"_a, "trees"_a, "offsets"_a, "nodes"_a, "words"_a, "keep"_a);
    m.def("mark", &marked, "dag"_a, "roots"_a, "trees"_a, "offsets"_a, "nodes"_a, "words"_a, "suffix"_a);
}

}  // namespace treekernels
