#include "distance/mapping.hpp"

#include <algorithm>

namespace treekernels {

std::vector<std::pair<std::uint32_t, std::uint32_t>> best_mapping(TreeDistance& distance, PreparedTree& a,
                                                                  PreparedTree& b, const Task& task) {
    const FlatTree &one = a.tree(), &two = b.tree();
    const std::vector<double> trees = distance.subtree_gains(a, b, task);
    const std::vector<double> nodes = distance.node_gains(a, b);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    // Subtrees, by the postorder numbers of their roots, of which the forests are to be compared once more.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{
        {static_cast<std::uint32_t>(one.count()) - 1, static_cast<std::uint32_t>(two.count()) - 1}};
    std::vector<double> forest;
    while (!open.empty()) {
        const auto [a_root, b_root] = open.back();
        open.pop_back();
        const std::uint32_t rows = one.size[one.pre[a_root]], columns = two.size[two.pre[b_root]];
        const std::uint32_t a_first = a_root + 1 - rows, b_first = b_root + 1 - columns;
        const std::size_t stride = columns + 1;
        forest.assign((rows + 1) * stride, 0.0);
        struct Match {
            double gain;
            std::uint32_t a_size, b_size;
            bool whole;  // whether both are trees of their own, of which the roots become each other
        };
        const auto match = [&](std::uint32_t row, std::uint32_t column) -> Match {
            const std::uint32_t x = one.pre[a_first + row - 1], y = two.pre[b_first + column - 1];
            const std::uint32_t a_size = one.size[x], b_size = two.size[y];
            if (a_size == row && b_size == column)
                return {forest[(row - 1) * stride + column - 1] + nodes[x * two.count() + y], a_size, b_size, true};
            return {forest[(row - a_size) * stride + column - b_size] + trees[x * two.count() + y], a_size, b_size,
                    false};
        };
        for (std::uint32_t row = 1; row <= rows; ++row) {
            task.check();
            for (std::uint32_t column = 1; column <= columns; ++column)
                forest[row * stride + column] = std::max(
                    {forest[(row - 1) * stride + column], forest[row * stride + column - 1], match(row, column).gain});
        }
        for (std::uint32_t row = rows, column = columns; row > 0 && column > 0;) {
            const double here = forest[row * stride + column];
            if (here == 0.0) break;
            const Match matched = match(row, column);
            const std::uint32_t x = one.pre[a_first + row - 1], y = two.pre[b_first + column - 1];
            const bool gains = matched.whole ? nodes[x * two.count() + y] > 0.0 : trees[x * two.count() + y] > 0.0;
            if (gains && matched.gain == here) {
                if (matched.whole) {
                    result.emplace_back(x, y);
                    --row;
                    --column;
                } else {
                    open.emplace_back(a_first + row - 1, b_first + column - 1);
                    row -= matched.a_size;
                    column -= matched.b_size;
                }
            } else if (forest[(row - 1) * stride + column] == here) {
                --row;
            } else {
                --column;
            }
        }
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace treekernels
