"""What a machine is expected to cost, estimated from its trees."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given

import treekernels as tk
from learner_data import DATA
from oracles import kernels as oracle
from treekernels.learners.svm import machine as svm
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


def test_the_choice_is_said_and_costly_kernels_get_more_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, labels = tk.Forest(DATA["grammar"][0]), DATA["grammar"][1]

    def said(kernel: tk.Kernel, solver: Any = "auto") -> str:
        capsys.readouterr()
        options = {"cache_size": 0.01, "verbose": True, "random_state": 0}
        tk.TreeSVC(kernel, solver=solver, **options).fit(trees, labels)
        return capsys.readouterr().out

    start = f"TreeSVC: 150 examples with {trees.n_subtrees} distinct subtrees; "
    without = "solver='forest', without one of 90.0 kB (room for 0.01 MB; estimated: up to a second"
    assert start + without in said(tk.SubsetTreeKernel())
    assert start + "solver='gram', with a matrix of 180.0 kB" in said(tk.SubsetTreeKernel() ** 2)
    monkeypatch.setattr(svm, "free_memory", lambda: 8 * 2**20)
    assert without in said(tk.PartialTreeKernel())  # it would not save much time
    monkeypatch.setattr(svm, "_MUCH_TIME", 1e-3)
    similar = tk.ElasticTreeKernel(similarity={("A", "B"): 0.5})
    total = 0.5 * tk.PartialTreeKernel() + tk.SubsetTreeKernel()
    for kernel in (tk.PartialTreeKernel(), similar, total):
        fits = "solver='forest', with a matrix of 90.0 kB (room for 1 MB; "
        assert fits in said(kernel)
    assert without in said(tk.SubsetTreeKernel())
    assert without in said(tk.PartialTreeKernel(), "forest")
    monkeypatch.setattr(svm, "free_memory", lambda: 8 * 2**10)
    assert without in said(tk.PartialTreeKernel())
