"""Approximate search: exact similarities, hardly any tree missed, and in step with its index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from treekernels.errors import ParameterError

pytest.importorskip("faiss", reason="approximate search needs the extra faiss")

# How many of the best five are to be found. Vectors estimate the kernels of the first two; for the
# others they are a guess.
KERNELS = [
    (tk.SubsetTreeKernel(0.2), 0.9),
    (tk.SubtreeKernel(0.5), 0.9),
    (tk.SubsetTreeKernel(weights="idf", counts="log"), 0.5),
    (tk.PartialTreeKernel(), 0.5),
]


@pytest.mark.parametrize(("kernel", "recall"), KERNELS, ids=str)
def test_similarities_are_exact_and_few_trees_are_missed(kernel: Any, recall: float) -> None:
    forest = random_forest(400, seed=1, size=30)
    index = tk.TreeIndex(kernel)
    index.add(forest[:350])
    queries = forest[340:380]
    exact = index.kernel(queries, forest[:350])
    right = 0
    for row, hits in zip(exact, tk.ApproximateSearch(index).search(queries, 5), strict=True):
        assert len(hits) == 5
        np.testing.assert_allclose(hits.similarities, row[hits.items], rtol=1e-10)
        assert (np.diff(hits.similarities) <= 0).all()
        right += int((hits.similarities >= np.sort(row)[-5] - 1e-9).sum())
    assert right >= recall * 5 * len(queries)


def test_all_candidates_are_an_exact_search() -> None:
    forest = random_forest(120, seed=4, size=25)
    index = tk.TreeIndex(tk.SubsetTreeKernel(0.3))
    index.add(forest)
    near = tk.ApproximateSearch(index, candidates=len(forest), layout="Flat")
    for one, other in zip(near.search(forest, 10), index.search(forest, 10), strict=True):
        np.testing.assert_allclose(one.similarities, other.similarities, rtol=1e-10)


def test_it_follows_its_index() -> None:
    forest = random_forest(60, seed=6, size=25)
    index = tk.TreeIndex(tk.SubsetTreeKernel(0.2))
    near = tk.ApproximateSearch(index)
    assert len(near.search(forest[:3])) == 3
    assert all(len(hits) == 0 for hits in near.search(forest[:3]))
    index.add(forest[:30], ids=[f"t{i}" for i in range(30)])
    assert near.search(forest[7:8], 1)[0].ids == ["t7"]
    index.add(forest[30:], ids=[f"t{i}" for i in range(30, 60)])
    assert near.search(forest[40:41], 1)[0].ids == ["t40"]
    index.remove(["t40"])
    assert "t40" not in near.search(forest[40:41], 60)[0].ids
    assert near.search(forest[:0], 3)[:] == []


def test_progress_and_refusals() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel(0.2))
    index.add(random_forest(20, seed=9, size=25))
    calls: list[tuple[int, int]] = []
    near = tk.ApproximateSearch(index, candidates=5)
    near.search(index.trees(range(4)), 2, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (4, 4)
    with pytest.raises(ParameterError, match="more candidates"):
        near.search(["(A b)"], 6)
    with pytest.raises(ParameterError, match="normalize=True"):
        tk.ApproximateSearch(tk.TreeIndex(tk.SubsetTreeKernel(normalize=False)))
