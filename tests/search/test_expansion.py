"""Neighbours of neighbours, against the obvious matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from treekernels.search.index import expansion

KERNELS: dict[str, Any] = {
    "native": tk.SubsetTreeKernel(),
    "rows": tk.TreeFeaturesKernel(),
    "not normalised": tk.PQGramKernel(normalize=False),
    "sum": tk.SubsetTreeKernel() + tk.SubpathKernel(),
}


def forest_of(count: int, seed: int) -> tk.Forest:
    return tk.Forest.from_trees(random_forest(count, seed))


def as_matrix(results: Any, items: list[int]) -> np.ndarray:
    """Return the similarities of results that have all trees."""
    rows = [dict(zip(hits.items.tolist(), hits.similarities, strict=True)) for hits in results]
    return np.array([[row[item] for item in items] for row in rows])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("expand", [1, 3, 7, 100])
def test_values_are_those_of_the_matrices(name: str, expand: int) -> None:
    kernel = KERNELS[name]
    forest = forest_of(60, seed=3)
    trees, queries = forest[:-8], forest[-8:]
    index = tk.TreeIndex(kernel)
    index.add(trees)
    results = index.search(queries, len(trees), expand=expand)
    found = as_matrix(results, list(range(len(trees))))
    nearest = [hits.items for hits in index.search(queries, min(expand, len(trees)))]
    each = [hits.items for hits in index.search(trees, min(expand, len(trees)))]
    similarities = kernel(trees)
    means = [[similarities[np.ix_(a, b)].mean() for b in each] for a in nearest]
    np.testing.assert_allclose(found, means, rtol=1e-10, atol=1e-12)
    for hits, row in zip(results, found, strict=True):
        assert hits.items.tolist() == np.argsort(-row, kind="stable").tolist()


@pytest.mark.parametrize("name", ["native", "rows"])
def test_removed_trees_are_as_if_they_had_never_been_there(name: str) -> None:
    forest = forest_of(40, seed=7)
    index, fresh = tk.TreeIndex(KERNELS[name]), tk.TreeIndex(KERNELS[name])
    index.add(forest)
    index.search(forest[:2], 3, expand=5)  # whose neighbours must not be used again
    index.remove(range(0, 40, 3))
    left = np.array([number for number in range(40) if number % 3])
    fresh.add(forest[left], ids=left.tolist())
    for expand in (2, 5, 9, 3):
        ours = index.search(forest, 10, expand=expand)
        theirs = fresh.search(forest, 10, expand=expand)
        assert [hits.ids for hits in ours] == [hits.ids for hits in theirs]
        np.testing.assert_array_equal(ours.similarities, theirs.similarities)


def test_added_trees_count_at_once() -> None:
    forest = forest_of(40, seed=8)
    index, fresh = tk.TreeIndex(tk.TreeFeaturesKernel()), tk.TreeIndex(tk.TreeFeaturesKernel())
    index.add(forest[:20])
    index.search(forest, 3, expand=5)
    index.add(forest[20:])
    fresh.add(forest)
    ours, theirs = (one.search(forest, 40, expand=5) for one in (index, fresh))
    np.testing.assert_array_equal(ours.items, theirs.items)
    np.testing.assert_array_equal(ours.similarities, theirs.similarities)


def test_bits_depend_neither_on_threads_nor_on_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = forest_of(50, seed=9)
    index = tk.TreeIndex(tk.TreeFeaturesKernel(), n_jobs=1)
    index.add(forest[:40])
    expected = index.search(forest, 40, expand=6)
    index.n_jobs = 3
    monkeypatch.setattr(expansion, "_BATCH_BYTES", 8 * 40 * 7)
    monkeypatch.setattr(expansion, "_ROW_BYTES", 8 * 40 * 3)
    asked: list[tuple[int, int]] = []
    found = index.search(
        forest, 40, expand=6, progress=lambda done, total: asked.append((done, total))
    )
    np.testing.assert_array_equal(found.items, expected.items)
    np.testing.assert_array_equal(found.similarities, expected.similarities)
    assert asked[-1] == (50, 50)
    assert len(asked) == 8
    alone = index.search(forest[45:46], 40, expand=6)
    np.testing.assert_array_equal(alone[0].similarities, expected[45].similarities)


def test_nothing_is_found_in_nothing() -> None:
    index = tk.TreeIndex()
    assert len(index.search(["(A b)"], expand=3)[0]) == 0
    index.add(["(A b)"])
    assert index.search([], expand=3).items.size == 0
    assert len(index.search(["(A b)"], 0, expand=3)[0]) == 0
    assert index.search(["(A b)"], expand=3)[0].ids == [0]
    index.remove([0])
    assert len(index.search(["(A b)"], expand=3)[0]) == 0


def test_memory_is_asked_for_first() -> None:
    index = tk.TreeIndex(tk.TreeFeaturesKernel())
    forest = forest_of(50, seed=11)
    index.add(forest)
    index.search(forest[:1], 1, expand=2)
    before = tk.get_limits().matrix_bytes
    try:
        tk.set_limits(matrix_bytes=1000)
        with pytest.raises(tk.KernelMemoryError):
            index.search(forest, 1, expand=2)
    finally:
        tk.set_limits(matrix_bytes=before)


@pytest.mark.parametrize("name", ["native", "rows"])
def test_graphs_have_what_searches_say(name: str) -> None:
    forest = forest_of(40, seed=11)
    index = tk.TreeIndex(KERNELS[name])
    index.add(forest)
    index.remove([3, 17])
    there = [item for item in range(40) if item not in (3, 17)]
    values = as_matrix(index.search(forest[there], len(there), expand=5), there)
    least = float(np.median(values))
    graph = index.neighbor_graph(least, expand=5).toarray()
    kept = (values >= least) | np.eye(len(there), dtype=bool)
    np.testing.assert_allclose(graph, np.where(kept, values, 0), rtol=1e-12)
    assert (graph == graph.T).all()
    own = np.diag(values)
    expected = np.sqrt(np.maximum(0, own[:, None] + own - 2 * np.where(kept, values, 0)))
    np.fill_diagonal(expected, 0)
    distances = index.distance_graph(least, dense=True, expand=5)
    np.testing.assert_allclose(distances, expected, rtol=1e-9, atol=1e-7)
    assert index.distance_graph(least, expand=5).nnz == kept.sum()
    with pytest.raises(tk.ParameterError, match="threshold"):
        index.neighbor_graph(0, expand=5)


def test_a_graph_of_nothing() -> None:
    assert tk.TreeIndex().neighbor_graph(0.5, expand=5).shape == (0, 0)
