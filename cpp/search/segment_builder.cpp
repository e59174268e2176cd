#include "search/segment_builder.hpp"

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

    std::size_t production_count() const { return production_offsets.size() - 1; }
    std::size_t kind_count() const { return production_count() + label_offsets.size() - 1; }
    NodeKind kind(Node node) const { return node_kinds[node]; }
    std::span<const Node> children_of(Node node) const {
        return {children.data() + child_offsets[node], children.data() + child_offsets[node + 1]};
    }
    SegmentArrays arrays() const {
        return {label_text,    label_offsets, production_offsets, production_labels, node_kinds,
                child_offsets, children,      column_roots,       column_norms,      large_columns,
                item_offsets,  items,         posting_offsets,    posting_columns,   posting_weights};
    }
};

// The trees of a storage for QueryTree.
struct StoredTrees {
    const Storage& storage;
    std::span<const Node> children(Node node) const { return storage.children_of(node); }
    NodeKind kind(Node node) const { return storage.kind(node); }
};

// Copies what the trees reach; labels and productions are numbered in order of first use.
void store_nodes(const IndexedTrees& trees, Storage& storage, Task& task) {
    Reach reach(trees.dag, &task);
    for (Node root : trees.roots) reach.add(root);
    const Dag& dag = trees.dag;
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
        }
        return production_there[own];
    };
    const std::size_t count = reach.nodes().size();
    storage.node_kinds.reserve(count);
    storage.child_offsets.reserve(count + 1);
    for (Node node : reach.nodes()) {
        if (dag.is_leaf(node))
            storage.node_kinds.push_back(label(dag.label(node)));
        else
            storage.node_kinds.push_back(production(dag.production(node), node));
        for (Node child : dag.children(node)) storage.children.push_back(reach.place(child));
        if (storage.children.size() >= kNone) throw std::length_error("more than 4294967294 children in an index");
        storage.child_offsets.push_back(static_cast<std::uint32_t>(storage.children.size()));
    }
    // Leaves are numbered after all productions, whose number is known only now.
    const auto productions = static_cast<NodeKind>(storage.production_count());
    for (Node node = 0; node < count; ++node)
        if (storage.children_of(node).empty()) storage.node_kinds[node] += productions;
    storage.children.shrink_to_fit();

    // Equal trees are one column.
    std::vector<std::uint32_t> column_of(count, kNone);
    std::vector<std::uint32_t> columns;
    columns.reserve(trees.roots.size());
    for (Node root : trees.roots) {
        std::uint32_t& column = column_of[reach.place(root)];
        if (column == kNone) {
            column = static_cast<std::uint32_t>(storage.column_roots.size());
            storage.column_roots.push_back(reach.place(root));
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

// The kinds of some columns, one column after the other.
struct Parts {
    std::vector<std::uint32_t> counts;
    std::vector<NodeKind> kinds;
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
            tree.read(source, storage.column_roots[column], places, task);
            norm = std::numeric_limits<double>::infinity();
            if (!tree.is_large()) {
                tree.measure(rule, task);
                norm = tree.norm();
            }
        }
        if (norm > 0.0 && std::isfinite(norm)) {
            for (std::uint32_t group = 0; group < tree.group_count(); ++group) {
                if (tree.group_norm(group) == 0.0) continue;
                parts.kinds.push_back(tree.group_kind(group));
                parts.weights.push_back(part_weight(tree.group_norm(group), norm));
                ++count;
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
    offsets.assign(storage.kind_count() + 1, 0);
    for (const Parts& parts : blocks)
        for (NodeKind kind : parts.kinds) ++offsets[kind + 1];
    for (std::size_t kind = 0; kind < storage.kind_count(); ++kind) offsets[kind + 1] += offsets[kind];
    storage.posting_columns.resize(offsets.back());
    storage.posting_weights.resize(offsets.back());
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    std::uint32_t column = 0;
    for (const Parts& parts : blocks) {
        std::size_t at = 0;
        for (std::uint32_t count : parts.counts) {
            for (const std::size_t end = at + count; at < end; ++at) {
                const std::uint64_t place = next[parts.kinds[at]]++;
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
    store_nodes(trees, *storage, task);
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
    const SegmentArrays arrays = storage->arrays();
    return std::make_shared<const Segment>(arrays, std::move(storage));
}

}  // namespace treekernels
