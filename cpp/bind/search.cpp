// Indexes of trees for Python.
#include "bind/calls/few_trees.hpp"
#include "search/counted_index.hpp"
#include "search/tree_index.hpp"

namespace treekernels {

namespace {

// For each query where its hits begin, the items, and the values.
using Hits = std::tuple<Vector<std::uint64_t>, Vector<Item>, Vector<double>>;

Hits flatten(const std::vector<std::vector<Hit>>& results) {
    std::vector<std::uint64_t> offsets{0};
    std::vector<Item> items;
    std::vector<double> values;
    std::size_t count = 0;
    for (const auto& hits : results) count += hits.size();
    items.reserve(count);
    values.reserve(count);
    for (const auto& hits : results) {
        for (const Hit& hit : hits) {
            items.push_back(hit.item);
            values.push_back(hit.value);
        }
        offsets.push_back(items.size());
    }
    return {to_numpy(std::move(offsets)), to_numpy(std::move(items)), to_numpy(std::move(values))};
}

// Asks an index about trees of a DAG.
template <class Index, class Ask>
Hits ask(const Index& index, const Dag& dag, const ConstVector<Node>& roots, const nb::object& progress, Ask ask) {
    constexpr std::size_t kBriefSearch = std::size_t{1} << 22;
    std::vector<std::vector<Hit>> results;
    const Locks locks = Locks().read(index.mutex()).read(dag.mutex());
    const auto brief = [&] {
        return roots.size() * index.next_item() < kBriefSearch && is_brief(dag, span_of(roots), kBriefComparison);
    };
    run_locked(locks, brief, roots.size(), progress, [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::subtrees);
        results = ask(few.dag(), few.roots(), task);
    });
    return flatten(results);
}

void add(TreeIndex& index, const Dag& dag, const ConstVector<Node>& roots, unsigned threads,
         const nb::object& progress) {
    const Locks locks = Locks().write(index.mutex()).read(dag.mutex());
    const auto brief = [&] { return index.next_item() < 1000 && is_brief(dag, span_of(roots)); };
    run_locked(locks, brief, roots.size(), progress, [&](Task& task) {
        check_nodes(dag, span_of(roots));
        index.add(dag, span_of(roots), threads, task);
    });
}

void compact(TreeIndex& index, unsigned threads, Task& task) { index.compact(threads, task); }
void compact(CountedIndex& index, unsigned, const Task& task) { index.compact(task); }

template <class Index>
std::tuple<Vector<Item>, Vector<Item>, Vector<double>> pairs(Index& index, double threshold, std::size_t most,
                                                             unsigned threads, const nb::object& progress) {
    std::vector<Item> first, second;
    std::vector<double> values;
    const Locks locks = Locks().write(index.mutex());
    run_locked(
        locks, [] { return false; }, index.next_item(), progress,
        [&](Task& task) {
            compact(index, threads, task);
            const auto found = index.pairs(threshold, most, threads, task);
            first.reserve(found.size());
            second.reserve(found.size());
            values.reserve(found.size());
            for (const ItemPair& pair : found) {
                task.check();
                first.push_back(pair.first);
                second.push_back(pair.second);
                values.push_back(pair.value);
            }
        });
    return {to_numpy(std::move(first)), to_numpy(std::move(second)), to_numpy(std::move(values))};
}

// The arrays of a segment by name; what `visit(name, array)` gets is a reference.
template <class Arrays, class Visit>
void visit_arrays(Arrays& arrays, Visit visit) {
    visit("label_text", arrays.label_text);
    visit("label_offsets", arrays.label_offsets);
    visit("production_offsets", arrays.production_offsets);
    visit("production_labels", arrays.production_labels);
    visit("edges", arrays.edges);
    visit("ranges", arrays.ranges);
    visit("node_kinds", arrays.node_kinds);
    visit("child_offsets", arrays.child_offsets);
    visit("children", arrays.children);
    visit("column_roots", arrays.column_roots);
    visit("column_norms", arrays.column_norms);
    visit("large_columns", arrays.large_columns);
    visit("item_offsets", arrays.item_offsets);
    visit("items", arrays.items);
    visit("posting_offsets", arrays.posting_offsets);
    visit("posting_columns", arrays.posting_columns);
    visit("posting_weights", arrays.posting_weights);
}

using ArraysByName = nb::typed<nb::dict, nb::str, nb::object>;
using NamedArrays = nb::typed<nb::list, ArraysByName>;

// Views of the arrays, which keep their segment alive.
NamedArrays segments(const TreeIndex& index) {
    const auto held = look_up(Locks().read(index.mutex()), [&] { return index.segments(); });
    NamedArrays result;
    for (const auto& segment : held) {
        nb::dict by_name;
        auto* kept = new std::shared_ptr<const Segment>(segment);
        const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const Segment>*>(p); });
        visit_arrays(segment->arrays(), [&]<class T>(const char* name, std::span<const T> array) {
            by_name[name] = nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(array.data(), {array.size()}, owner));
        });
        result.append(by_name);
    }
    return result;
}

// Holds Python's arrays, and lets go of them with the GIL.
struct HeldArrays {
    nb::object arrays;
    ~HeldArrays() {
        const GilTaken gil;
        arrays.reset();
    }
};

void restore(TreeIndex& index, const NamedArrays& segments, const ConstVector<std::uint8_t>& removed) {
    std::vector<TreeIndex::SavedSegment> saved;
    for (nb::handle each : segments) {
        const auto by_name = nb::cast<nb::dict>(each);
        SegmentArrays arrays;
        nb::list held;
        visit_arrays(arrays, [&]<class T>(const char* name, std::span<const T>& array) {
            const auto given = nb::cast<ConstVector<T>>(by_name[name]);
            array = {given.data(), given.size()};
            held.append(nb::cast(given));
        });
        saved.emplace_back(arrays, std::make_shared<HeldArrays>(held));
    }
    std::vector<std::uint8_t> flags(removed.data(), removed.data() + removed.size());
    run_locked(
        Locks().write(index.mutex()), [] { return false; }, 1, nb::none(),
        [&](Task& task) { index.restore(saved, std::move(flags), task); });
}

// What both kinds of index have.
template <class Index>
void bind_asking(nb::class_<Index>& type) {
    type.def(
            "remove",
            [](Index& index, const ConstVector<Item>& items) {
                run_locked(
                    Locks().write(index.mutex()), [] { return true; }, 1, nb::none(),
                    [&](Task&) { index.remove(span_of(items)); });
            },
            "items"_a)
        .def(
            "search",
            [](const Index& index, const Dag& dag, const ConstVector<Node>& roots, std::size_t count, unsigned threads,
               const nb::object& progress) {
                return ask(index, dag, roots, progress, [&](const Dag& d, std::span<const Node> r, Task& task) {
                    return index.search(d, r, count, threads, task);
                });
            },
            "dag"_a, "roots"_a, "count"_a, "threads"_a, "progress"_a.none() = nb::none())
        .def(
            "within",
            [](const Index& index, const Dag& dag, const ConstVector<Node>& roots, double threshold, std::size_t most,
               unsigned threads, const nb::object& progress) {
                return ask(index, dag, roots, progress, [&](const Dag& d, std::span<const Node> r, Task& task) {
                    return index.within(d, r, threshold, most, threads, task);
                });
            },
            "dag"_a, "roots"_a, "threshold"_a, "most"_a, "threads"_a, "progress"_a.none() = nb::none())
        .def("pairs", &pairs<Index>, "threshold"_a, "most"_a, "threads"_a, "progress"_a.none() = nb::none())
        .def("removed",
             [](const Index& index) {
                 return to_numpy(look_up(Locks().read(index.mutex()), [&] {
                     return std::vector<std::uint8_t>(index.removed().begin(), index.removed().end());
                 }));
             })
        .def_prop_ro(
            "bytes",
            [](const Index& index) { return look_up(Locks().read(index.mutex()), [&] { return index.bytes(); }); })
        .def("__len__", [](const Index& index) {
            return look_up(Locks().read(index.mutex()), [&] { return index.item_count(); });
        });
}

void add_counted(CountedIndex& index, const Dag& dag, const ConstVector<Node>& roots, const nb::object& progress) {
    const Locks locks = Locks().write(index.mutex()).read(dag.mutex());
    const auto brief = [&] { return index.next_item() < 1000 && is_brief(dag, span_of(roots)); };
    run_locked(locks, brief, roots.size(), progress, [&](Task& task) {
        check_nodes(dag, span_of(roots));
        const FewTrees few(dag, span_of(roots), KeptOrder::subtrees);
        index.add(few.dag(), few.roots(), task);
    });
}

// Copies of all that an index consists of but what was removed.
ArraysByName counted_arrays(const CountedIndex& index) {
    std::vector<std::uint8_t> label_text, kinds;
    std::vector<std::uint64_t> label_offsets{0}, offsets;
    std::vector<std::uint32_t> firsts, rests, features, columns;
    std::vector<double> weights, counts;
    look_up(Locks().read(index.mutex()), [&] {
        const FeatureNames& names = index.names();
        for (Label label = 0; label < names.labels().label_count(); ++label) {
            const std::string_view text = names.labels().label_text(label);
            label_text.insert(label_text.end(), text.begin(), text.end());
            label_offsets.push_back(label_text.size());
        }
        for (Feature feature = 0; feature < names.size(); ++feature) {
            kinds.push_back(static_cast<std::uint8_t>(names.index().kind(feature)));
            firsts.push_back(names.index().first(feature));
            rests.push_back(names.index().rest(feature));
        }
        weights = names.weights();
        const FeatureVectorArrays vectors = index.vectors();
        offsets.assign(vectors.offsets.begin(), vectors.offsets.end());
        features.assign(vectors.features.begin(), vectors.features.end());
        counts.assign(vectors.counts.begin(), vectors.counts.end());
        columns.assign(index.columns().begin(), index.columns().end());
        return 0;
    });
    ArraysByName by_name;
    by_name["label_text"] = to_numpy(std::move(label_text));
    by_name["label_offsets"] = to_numpy(std::move(label_offsets));
    by_name["kinds"] = to_numpy(std::move(kinds));
    by_name["firsts"] = to_numpy(std::move(firsts));
    by_name["rests"] = to_numpy(std::move(rests));
    by_name["weights"] = to_numpy(std::move(weights));
    by_name["offsets"] = to_numpy(std::move(offsets));
    by_name["features"] = to_numpy(std::move(features));
    by_name["counts"] = to_numpy(std::move(counts));
    by_name["columns"] = to_numpy(std::move(columns));
    return by_name;
}

void restore_counted(CountedIndex& index, const ArraysByName& by_name, const ConstVector<std::uint8_t>& removed) {
    nb::list held;
    const auto array = [&]<class T>(const char* name, std::span<const T>& span) {
        const auto given = nb::cast<ConstVector<T>>(by_name[name]);
        span = {given.data(), given.size()};
        held.append(nb::cast(given));
    };
    CountedArrays arrays;
    array("label_text", arrays.names.label_text);
    array("label_offsets", arrays.names.label_offsets);
    array("kinds", arrays.names.kinds);
    array("firsts", arrays.names.firsts);
    array("rests", arrays.names.rests);
    array("weights", arrays.names.weights);
    array("offsets", arrays.vectors.offsets);
    array("features", arrays.vectors.features);
    array("counts", arrays.vectors.counts);
    array("columns", arrays.columns);
    std::vector<std::uint8_t> flags(removed.data(), removed.data() + removed.size());
    run_locked(
        Locks().write(index.mutex()), [] { return false; }, 1, nb::none(),
        [&](Task& task) { index.restore(arrays, std::move(flags), task); });
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<TreeIndex> trees(m, "TreeIndex", "An index of trees. It is made for kernels that `can_index` knows.");
    trees.def(nb::init<TreeKernel, bool>(), "kernel"_a, "normalize"_a)
        .def("add", &add, "dag"_a, "roots"_a, "threads"_a, "progress"_a.none() = nb::none())
        .def(
            "compact",
            [](TreeIndex& index, unsigned threads, const nb::object& progress) {
                run_locked(
                    Locks().write(index.mutex()), [] { return false; }, index.next_item(), progress,
                    [&](Task& task) { index.compact(threads, task); });
            },
            "threads"_a, "progress"_a.none() = nb::none())
        .def(
            "copy_trees",
            [](const TreeIndex& index, const ConstVector<Item>& items, Dag& dag) {
                std::vector<Node> roots;
                run_locked(
                    Locks().read(index.mutex()).write(dag.mutex()), [] { return true; }, 1, nb::none(),
                    [&](Task& task) { roots = index.copy_trees(span_of(items), dag, task); });
                return to_numpy(std::move(roots));
            },
            "items"_a, "dag"_a)
        .def("segments", &segments)
        .def("restore", &restore, "segments"_a, "removed"_a);
    bind_asking(trees);
    m.def("can_index", [](const TreeKernel& kernel) { return FragmentRule::of(kernel).has_value(); }, "kernel"_a);

    nb::class_<CountedIndex> counted(m, "CountedIndex",
                                     "An index of trees for a `FeatureKernel`. It keeps their features alone.");
    counted.def(nb::init<TreeKernel, bool, bool>(), "kernel"_a, "normalize"_a, "learned_alone"_a = false)
        .def("add", &add_counted, "dag"_a, "roots"_a, "progress"_a.none() = nb::none())
        .def("arrays", &counted_arrays)
        .def("restore", &restore_counted, "arrays"_a, "removed"_a);
    bind_asking(counted);
}

}  // namespace treekernels
