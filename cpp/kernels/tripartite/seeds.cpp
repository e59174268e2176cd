#include "kernels/tripartite/seeds.hpp"

#include <algorithm>
#include <limits>

namespace treekernels {

namespace {

constexpr double kUnknown = -1.0;
constexpr double kLargest = 0x1p200;    // beyond which a value is left to numbers that do not overflow
constexpr std::size_t kMostEdges = 64;  // that are looked at below plain children: a subtree may be there many times

}  // namespace

SeedIndex::SeedIndex(const AnchoredTrees& trees, std::size_t columns, const Task& task)
    : trees_(trees), offset_(trees.key_count() + 1) {
    for (std::uint32_t tree = 0; tree < columns; ++tree) {
        task.check();
        visit(tree, [&](std::uint32_t node) { ++offset_[trees.key(tree, node) + 1]; });
    }
    for (std::size_t key = 0; key < trees.key_count(); ++key) offset_[key + 1] += offset_[key];
    column_.resize(offset_.back());
    entries_.resize(offset_.back());
    std::vector<std::uint64_t> next(offset_.begin(), offset_.end() - 1);
    for (std::uint32_t tree = 0; tree < columns; ++tree) {
        task.check();
        const AnchoredTrees::View view = trees.view(tree);
        visit(tree, [&](std::uint32_t node) {
            const std::uint64_t place = next[trees.key(tree, node)]++;
            column_[place] = tree;
            entries_[place] = {node, view.places[node]};
        });
    }
}

void SeedRow::find(std::size_t tree, std::size_t columns, const Task& task) {
    const AnchoredTrees& trees = index_.trees();
    const AnchoredTrees::View view = trees.view(tree);
    const auto each = [&](auto visit) {
        index_.visit(tree, [&](std::uint32_t u) {
            task.check();
            const std::uint32_t key = trees.key(tree, u);
            const SeedIndex::Entry* entry = index_.entries_with(key);
            for (std::uint32_t column : index_.columns_with(key)) {
                if (column >= columns) break;
                visit(u, column, entry++);
            }
        });
    };
    // Sorted by column in two rounds; within a column the order stays that of the tree's nodes.
    offset_.assign(columns + 1, 0);
    each([&](std::uint32_t, std::uint32_t column, const SeedIndex::Entry*) { ++offset_[column + 1]; });
    for (std::size_t column = 0; column < columns; ++column) offset_[column + 1] += offset_[column];
    if (seeds_.size() < offset_.back()) seeds_.resize(offset_.back());
    next_.assign(offset_.begin(), offset_.end() - 1);
    all_simple_.assign(columns, true);
    each([&](std::uint32_t u, std::uint32_t column, const SeedIndex::Entry* v) {
        Seed& seed = seeds_[next_[column]];
        look_at(view, u, column, *v, seed);
        ++next_[column];
        if (!seed.simple) all_simple_[column] = false;
    });
}

// What can be said of two nodes: in place, since that is done for each of very many.
void SeedRow::look_at(const AnchoredTrees::View& tree, std::uint32_t u, std::size_t column, const SeedIndex::Entry& v,
                      Seed& seed) const {
    const AnchoredTrees::Place &x = tree.places[u], &y = v.place;
    seed.nodes = {u, v.node};
    seed.value = decay_;
    seed.count = x.count * y.count;
    seed.simple = false;
    seed.pair_count = 0;
    if (may_go_up(x, y) || x.slot_count > seed.left.size()) return;
    for (; seed.pair_count < x.slot_count; ++seed.pair_count) {
        const std::uint32_t left = tree.slot[x.slot + seed.pair_count], right = tree.slot[y.slot + seed.pair_count];
        if (std::max(left, right) > std::numeric_limits<std::uint16_t>::max()) return;
        seed.left[seed.pair_count] = static_cast<std::uint16_t>(left);
        seed.right[seed.pair_count] = static_cast<std::uint16_t>(right);
    }
    std::size_t edges = kMostEdges;
    seed.value = value(tree, column, seed, x, y, edges);
    seed.simple = 0.0 <= seed.value && seed.value <= kLargest;
}

// Of all fragments at two nodes; kUnknown if some have other pairs of placeholders than the seed, or there is too much
// below the children to find out.
double SeedRow::value(const AnchoredTrees::View& tree, std::size_t column, const Seed& seed,
                      const AnchoredTrees::Place& x, const AnchoredTrees::Place& y, std::size_t& edges) const {
    double result = decay_;
    const bool known = each_common_child(tree, x, y, [&](NodePair child) {
        const AnchoredTrees::Place& below = tree.places[child.u];
        double factor = decay_;
        if (below.slot_count != 0) {
            factor = known_value(column, seed, child);
        } else if (below.below != 0) {
            const AnchoredTrees::Place& other = index_.trees().view(column).places[child.v];
            if (may_go_down(below, other)) {
                if (below.edge_count > edges) return false;
                edges -= below.edge_count;
                factor = value(tree, column, seed, below, other, edges);
            }
        }
        result *= 1.0 + factor;
        return factor != kUnknown;
    });
    return known ? result : kUnknown;
}

// Of a seed that was found before, below this one.
double SeedRow::known_value(std::size_t column, const Seed& above, NodePair nodes) const {
    const std::span<const Seed> found(seeds_.data() + offset_[column], seeds_.data() + next_[column]);
    const auto seed = std::ranges::lower_bound(found, nodes, {}, &Seed::nodes);
    return seed->simple && above.includes(*seed) ? seed->value : kUnknown;
}

}  // namespace treekernels
