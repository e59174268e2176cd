"""What a machine is expected to cost, estimated from its trees."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given

import treekernels as tk
from oracles import kernels as oracle
from treekernels.learners.svm.cost_estimate import estimate_cost
from treekernels.testing import strategies


def cost_of(kernel: tk.Kernel, X: Any) -> Any:
    return estimate_cost(kernel, kernel.examples(X))


@given(trees=strategies.forests(min_trees=1, max_nodes=9))
def test_comparisons_are_pairs_of_distinct_subtrees(trees: Any) -> None:
    forest = tk.Forest.from_trees(trees)
    distinct = {node for tree in trees for node in oracle.nodes(tree)}
    by_label = Counter(node[0] for node in distinct)
    by_production = Counter(
        (node[0], *(child[0] for child in node[1:])) for node in distinct if len(node) > 1
    )
    partial = cost_of(tk.PartialTreeKernel(), forest)
    subset = cost_of(tk.SubsetTreeKernel(), forest)
    assert partial.comparisons == sum(count**2 for count in by_label.values())
    assert subset.comparisons == sum(count**2 for count in by_production.values())
    assert partial.subtrees == subset.subtrees == len(distinct)
    assert partial.examples == len(trees)
    assert cost_of(tk.SubtreeKernel(), forest).comparisons == 0


def test_sums_vectors_and_words() -> None:
    trees = ["(A b)", "(A c)", "(A b)"]
    kernel = tk.SubsetTreeKernel(on="t") + tk.PartialTreeKernel(on="t") + tk.LinearKernel(on="v")
    both = cost_of(kernel, {"t": trees, "v": [[0.0], [1.0], [2.0]]})
    assert both.comparisons == (1 + 1) + (2**2 + 1 + 1)  # productions, and labels A, b, c
    assert str(both).startswith("3 examples with ")
    large = cost_of(tk.PartialTreeKernel(), tk.Forest(trees)[[0] * 30_000])
    assert large.matrix_bytes == 3_600_000_000
    assert large.describe_estimate() == "up to 20 s with all pairs, a second without"
