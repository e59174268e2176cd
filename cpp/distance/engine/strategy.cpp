#include "distance/engine/strategy.hpp"

#include <algorithm>

#include "distance/engine/grow.hpp"
#include "distance/engine/inner_paths.hpp"

namespace treekernels {

// Measured: a keyroot row costs as much as some hundred cells more, and sixteen cells of a path as much as one of a
// row.
double keyroot_steps(double a_cells, double b_cells) { return a_cells * (b_cells + 100.0); }
double path_steps(double a, double b) { return (a + 8.0) * (b + 32.0) * (b + 64.0) / 16.0 + 2000.0; }

void KeyrootCells::assign(const FlatTree& tree) {
    const std::size_t count = tree.count();
    left.assign(count, 0.0);
    right.assign(count, 0.0);
    // First without the subtree itself.
    for (std::size_t node = count; node-- > 0;) {
        const double size = tree.size[node];
        if (node > 0) {
            const std::uint32_t parent = tree.parent[node];
            const bool is_first = node == parent + 1;
            const bool is_last = node + tree.size[node] == parent + tree.size[parent];
            left[parent] += left[node] + (is_first ? 0.0 : size);
            right[parent] += right[node] + (is_last ? 0.0 : size);
        }
        left[node] += size;
        right[node] += size;
    }
}

void Strategy::plan(const FlatTree& a, const KeyrootCells& a_cells, const FlatTree& b, const KeyrootCells& b_cells,
                    const Task& task) {
    const std::size_t rows = a.count(), columns = b.count();
    columns_ = columns;
    grow_to(way_, rows * columns, task);
    // What it takes to compare what is beside the heavy path of a subtree with a subtree of the other tree.
    beside_a_.clear();
    grow_to(beside_a_, rows * columns, task);
    beside_b_.assign(columns, 0.0F);
    std::vector<std::uint32_t> heavy_a(rows, kNone), heavy_b(columns, kNone);
    const auto find_heavy = [](const FlatTree& tree, std::vector<std::uint32_t>& heavy) {
        for (std::uint32_t node = 0; node < tree.count(); ++node)
            if (tree.size[node] > 1) heavy[node] = InnerPaths<double>::heavy_child(tree, node);
    };
    find_heavy(a, heavy_a);
    find_heavy(b, heavy_b);
    float last = 0.0F;
    for (std::uint32_t x = static_cast<std::uint32_t>(rows); x-- > 0;) {
        task.check();
        const double a_size = a.size[x];
        float* above = x == 0 ? nullptr : beside_a_.data() + a.parent[x] * columns;
        const bool is_heavy_a = x > 0 && heavy_a[a.parent[x]] == x;
        std::ranges::fill(beside_b_, 0.0F);
        for (std::uint32_t y = static_cast<std::uint32_t>(columns); y-- > 0;) {
            const double b_size = b.size[y];
            const float beside = beside_a_[x * columns + y];
            const double ways[] = {keyroot_steps(a_cells.left[x], b_cells.left[y]),
                                   keyroot_steps(a_cells.right[x], b_cells.right[y]),
                                   path_steps(a_size, b_size) + beside, path_steps(b_size, a_size) + beside_b_[y]};
            const auto best = std::ranges::min_element(ways);
            way_[x * columns + y] = static_cast<Way>(best - ways);
            const auto steps = static_cast<float>(*best);
            if (above) above[y] += is_heavy_a ? beside : steps;
            if (y > 0) beside_b_[b.parent[y]] += heavy_b[b.parent[y]] == y ? beside_b_[y] : steps;
            last = steps;
        }
    }
    steps_ = last;
}

}  // namespace treekernels
