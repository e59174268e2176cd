#include "search/segments/segment_builder.hpp"

#include <algorithm>
#include <limits>

#include "search/query_tree.hpp"
#include "search/tree_bounds.hpp"

namespace treekernels {

namespace {

// What a segment's arrays are views of.
struct Storage {
    std::vector<std::uint8_t> label_text;
    std::vector<std::uint64_t> label_offsets{0};
    std::vector<std::uint64_t> production_offsets{0};
    std::vector<Label> production_labels;
    std::vector<std::uint32_t> edges;
    std::vector<std::uint32_t> ranges;
    std::vector<NodeKind> node_kinds;
    std::vector<std::uint32_t> child_offsets{0};
    std::vector<Node> children;
    std::vector<Node> column_roots;
    std::vector<double> column_norms;
    std::vector<std::uint32_t> large_columns;
    std::vector<std::uint32_t> item_offsets{0};
    std::vector<Item> items;
    std::vector<std::uint64_t> posting_offsets;
    std::vector<std::uint32_t> posting_columns;
    std::vector<float> posting_weights;
    // By place among the children: the number of the edge there. It is not kept.
    std::vector<std::uint32_t> edge_of;
    // By production: what it brings to fragments. It is not kept either, since the kernel knows it.
    std::vector<double> factors;

    std::size_t production_count() const { return production_offsets.size() - 1; }
    std::size_t kind_count() const { return production_count() + label_offsets.size() - 1; }
    NodeKind kind(Node node) const { return node_kinds[node]; }
    std::span<const Node> children_of(Node node) const {
        return {children.data() + child_offsets[node], children.data() + child_offsets[node + 1]};
    }
    SegmentArrays arrays() const {
        return {label_text,   label_offsets, production_offsets, production_labels, edges,          ranges,
                node_kinds,   child_offsets, children,           column_roots,      column_norms,   large_columns,
                item_offsets, items,         posting_offsets,    posting_columns,   posting_weights};
    }
};

// The trees of a storage for QueryTree.
struct StoredTrees {
    const Storage& storage;
    std::span<const Node> children(Node node) const { return storage.children_of(node); }
    NodeKind kind(Node node) const { return storage.kind(node); }
    double factor(Production production) const { return storage.factors[production]; }
};

// The places of nodes: leaves first, then nodes that have only leaves below them, then all others.
std::vector<Node> ordered(const Dag& dag, const std::vector<Node>& nodes, std::vector<std::uint32_t>& ranges) {
    std::vector<Node> order;
    order.reserve(nodes.size());
    const auto height = [&](Node node) {
        if (dag.is_leaf(node)) return 0;
        return std::ranges::all_of(dag.children(node), [&](Node child) { return dag.is_leaf(child); }) ? 1 : 2;
    };
    for (int wanted = 0; wanted < 3; ++wanted) {
        for (Node node : nodes)
            if (height(node) == wanted) order.push_back(node);
        if (wanted < 2) ranges.push_back(static_cast<std::uint32_t>(order.size()));
    }
    return order;
}

// Copies what the trees reach; labels and productions are numbered in order of first use. Returns where each node of
// the DAG went.
std::vector<Node> store_nodes(const IndexedTrees& trees, const FragmentRule& rule, Storage& storage, Task& task) {
    const Dag& dag = trees.dag;
    std::vector<Node> order;
    {
        Reach reach(dag, &task);
        for (Node root : trees.roots) reach.add(root);
        order = ordered(dag, reach.nodes(), storage.ranges);
    }
    std::vector<Node> there(dag.size(), kNone);
    for (std::size_t i = 0; i < order.size(); ++i) there[order[i]] = static_cast<Node>(i);
    std::vector<Label> label_there(dag.label_count(), kNone);
    std::vector<Production> production_there(dag.production_count(), kNone);
    const auto label = [&](Label own) {
        if (label_there[own] == kNone) {
            label_there[own] = static_cast<Label>(storage.label_offsets.size() - 1);
            const std::string_view text = dag.label_text(own);
            storage.label_text.insert(storage.label_text.end(), text.begin(), text.end());
            storage.label_offsets.push_back(storage.label_text.size());
        }
        return label_there[own];
    };
    const auto production = [&](Production own, Node node) {
        if (production_there[own] == kNone) {
            production_there[own] = static_cast<Production>(storage.production_count());
            storage.production_labels.push_back(label(dag.label(node)));
            for (Node child : dag.children(node)) storage.production_labels.push_back(label(dag.label(child)));
            storage.production_offsets.push_back(storage.production_labels.size());
            storage.factors.push_back(rule.factor(dag, own));
        }
        return production_there[own];
    };
    storage.node_kinds.reserve(order.size());
    storage.child_offsets.reserve(order.size() + 1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % 4096 == 0) task.check();
        const Node node = order[i];
        storage.node_kinds.push_back(dag.is_leaf(node) ? label(dag.label(node))
                                                       : production(dag.production(node), node));
        for (Node child : dag.children(node)) storage.children.push_back(there[child]);
        if (storage.children.size() >= kNone) throw std::length_error("more than 4294967294 children in an index");
        storage.child_offsets.push_back(static_cast<std::uint32_t>(storage.children.size()));
    }
    // Leaves are numbered after all productions, whose number is known only now.
    const auto productions = static_cast<NodeKind>(storage.production_count());
    for (Node node = 0; node < storage.ranges[0]; ++node) storage.node_kinds[node] += productions;
    storage.children.shrink_to_fit();
    return there;
}

// Numbers the edges in order of first use.
void store_edges(Storage& storage, Task& task) {
    NumberIndex numbers;
    storage.edge_of.assign(storage.children.size(), kNone);
    for (Node node = storage.ranges[1]; node < storage.node_kinds.size(); ++node) {
        if (node % 4096 == 0) task.check();
        const auto children = storage.children_of(node);
        for (std::uint32_t k = 0; k < children.size(); ++k) {
            if (children[k] < storage.ranges[0]) continue;
            const ProductionEdge edge{storage.kind(node), k, storage.kind(children[k])};
            const std::uint64_t hash = mix(mix(mix(hash_secret(), edge.parent), edge.position), edge.child);
            std::uint32_t number = numbers.find(hash, [&](std::uint32_t found) {
                const std::uint32_t* known = storage.edges.data() + 3 * std::size_t{found};
                return known[0] == edge.parent && known[1] == edge.position && known[2] == edge.child;
            });
            if (number == kNone) {
                number = static_cast<std::uint32_t>(storage.edges.size() / 3);
                storage.edges.insert(storage.edges.end(), {edge.parent, edge.position, edge.child});
                numbers.insert(hash, number);
            }
            storage.edge_of[storage.child_offsets[node] + k] = number;
        }
    }
}

void store_columns(const IndexedTrees& trees, const std::vector<Node>& there, Storage& storage) {
    // Equal trees are one column.
    std::vector<std::uint32_t> column_of(storage.node_kinds.size(), kNone);
    std::vector<std::uint32_t> columns;
    columns.reserve(trees.roots.size());
    for (Node root : trees.roots) {
        std::uint32_t& column = column_of[there[root]];
        if (column == kNone) {
            column = static_cast<std::uint32_t>(storage.column_roots.size());
            storage.column_roots.push_back(there[root]);
            storage.item_offsets.push_back(0);
        }
        columns.push_back(column);
        ++storage.item_offsets[column + 1];
    }
    for (std::size_t c = 0; c < storage.column_roots.size(); ++c)
        storage.item_offsets[c + 1] += storage.item_offsets[c];
    storage.items.resize(trees.items.size());
    std::vector<std::uint32_t> next(storage.item_offsets.begin(), storage.item_offsets.end() - 1);
    for (std::size_t i = 0; i < columns.size(); ++i) storage.items[next[columns[i]]++] = trees.items[i];
}

// The features of some columns, one column after the other.
struct Parts {
    std::vector<std::uint32_t> counts;
    std::vector<Feature> features;
    std::vector<float> weights;
};

// Whether a tree stands for one that is not there.
bool is_absent(const Storage& storage, Node root) {
    if (!storage.children_of(root).empty()) return false;
    const std::size_t label = storage.kind(root) - storage.production_count();
    const std::string_view text(reinterpret_cast<const char*>(storage.label_text.data()) + storage.label_offsets[label],
                                storage.label_offsets[label + 1] - storage.label_offsets[label]);
    return text == "-EMPTY-" || text == "-MISSING-";
}

// Measures the columns from `first` to `last`.
Parts measure(Storage& storage, std::size_t first, std::size_t last, const FragmentRule& rule,
              std::vector<std::uint32_t>& places, QueryTree& tree, Task& task) {
    Parts parts;
    const StoredTrees source{storage};
    for (std::size_t column = first; column < last; ++column) {
        task.check();
        std::uint32_t count = 0;
        double norm = 0.0;
        if (!is_absent(storage, storage.column_roots[column])) {
            tree.read(source, storage.column_roots[column], rule.damping, places, task);
            norm = std::numeric_limits<double>::infinity();
            if (!tree.is_large()) {
                tree.measure(rule, task);
                norm = tree.norm();
            }
        }
        if (norm > 0.0 && std::isfinite(norm)) {
            const auto add = [&](std::size_t own, Feature feature) {
                if (tree.feature_norm(own) == 0.0) return;
                parts.features.push_back(feature);
                parts.weights.push_back(part_weight(tree.feature_norm(own), norm));
                ++count;
            };
            const std::size_t groups = tree.group_count();
            for (std::uint32_t group = 0; group < groups; ++group) add(group, tree.group_kind(group));
            for (std::size_t edge = 0; edge < tree.edges().size(); ++edge) {
                const auto [parent, position] = tree.edges()[edge];
                const std::uint32_t slot = storage.child_offsets[tree.node(parent)] + position;
                add(groups + edge, static_cast<Feature>(storage.kind_count() + storage.edge_of[slot]));
            }
        }
        storage.column_norms[column] = norm;
        parts.counts.push_back(count);
        task.advance(storage.item_offsets[column + 1] - storage.item_offsets[column]);
    }
    return parts;
}

void store_postings(const std::vector<Parts>& blocks, Storage& storage) {
    auto& offsets = storage.posting_offsets;
    const std::size_t features = storage.kind_count() + storage.edges.size() / 3;
    offsets.assign(features + 1, 0);
    for (const Parts& parts : blocks)
        for (Feature feature : parts.features) ++offsets[feature + 1];
    for (std::size_t feature = 0; feature < features; ++feature) offsets[feature + 1] += offsets[feature];
    storage.posting_columns.resize(offsets.back());
    storage.posting_weights.resize(offsets.back());
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    std::uint32_t column = 0;
    for (const Parts& parts : blocks) {
        std::size_t at = 0;
        for (std::uint32_t count : parts.counts) {
            for (const std::size_t end = at + count; at < end; ++at) {
                const std::uint64_t place = next[parts.features[at]]++;
                storage.posting_columns[place] = column;
                storage.posting_weights[place] = parts.weights[at];
            }
            ++column;
        }
    }
}

}  // namespace

std::shared_ptr<const Segment> build_segment(const IndexedTrees& trees, const FragmentRule& rule, unsigned threads,
                                             Task& task) {
    auto storage = std::make_shared<Storage>();
    store_columns(trees, store_nodes(trees, rule, *storage, task), *storage);
    if (!rule.whole()) store_edges(*storage, task);
    const std::size_t columns = storage->column_roots.size();
    storage->column_norms.resize(columns);
    constexpr std::size_t kBlock = 1024;
    std::vector<Parts> blocks((columns + kBlock - 1) / kBlock);
    Counter counter(blocks.size());
    run_parts(std::min<std::size_t>(std::max(1U, threads), std::max<std::size_t>(1, blocks.size())), [&](std::size_t) {
        std::vector<std::uint32_t> places(storage->node_kinds.size(), kNone);
        QueryTree tree;
        for (std::size_t block; counter.take(block);)
            blocks[block] =
                measure(*storage, block * kBlock, std::min(columns, (block + 1) * kBlock), rule, places, tree, task);
    });
    for (std::uint32_t column = 0; column < columns; ++column)
        if (std::isinf(storage->column_norms[column])) storage->large_columns.push_back(column);
    store_postings(blocks, *storage);
    storage->edge_of = {};
    storage->factors = {};
    const SegmentArrays arrays = storage->arrays();
    return std::make_shared<const Segment>(arrays, std::move(storage));
}

}  // namespace treekernels
