#include "search/values/gram_values.hpp"

#include "kernels/tree_gram.hpp"

namespace treekernels {

std::vector<double> gram_values(const TreeKernel& kernel, bool normalize, const Dag& dag, Node root,
                                const Segment& segment, std::span<const std::uint32_t> columns, const Task& task) {
    Dag both;
    const std::vector<Node> column_roots = copy_columns(segment, columns, both, task);
    const std::vector<Node> row_roots = both.import(dag, {&root, 1}, task);
    TreeKernel resolved = kernel;
    resolve_labels(resolved, both);
    // When the search is stopped, so is the matrix.
    const Execution execution{1, [&task](Task&) { task.check(); }};
    const Gram gram(TreeSource(Corpus(both, column_roots, row_roots, 1, task, count_damping(kernel)),
                               std::move(resolved), Algorithm::corpus),
                    column_roots.size(), false, normalize, false, execution);
    std::vector<double> values(column_roots.size());
    gram.fill(MatrixView<double>{values.data(), 0}, execution);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (segment.norm(columns.empty() ? i : columns[i]) == 0.0) values[i] = 0.0;
    return values;
}

}  // namespace treekernels
