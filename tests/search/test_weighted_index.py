"""An index of a kernel with weights and damped counts, against the oracle and Gram matrices."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles import kernels as oracle
from oracles.search import SlowIndex
from treekernels.search.index.stores import NativeStore
from treekernels.testing.strategies import decays, forests, trees

KERNELS: dict[str, Any] = {"subset": tk.SubsetTreeKernel, "subtree": tk.SubtreeKernel}
NUMBERS = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.5, 3.0])
LABELS = ("A", "B", "x", "y")


@st.composite
def weighted(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters of a kernel, and the same for the oracle."""
    weights: dict[Any, float] = draw(st.dictionaries(st.sampled_from(LABELS), NUMBERS))
    weights[None] = draw(NUMBERS)
    weights[("A", "B", "x")] = draw(NUMBERS)
    decay: dict[Any, float] = draw(st.dictionaries(st.sampled_from(LABELS), decays(0.01)))
    decay[None] = draw(decays(0.01))
    counts = draw(st.sampled_from(["linear", "log", "binary"]))
    leaf_weight = draw(st.sampled_from([0.0, 0.3]))

    def weight_of(production: tuple[str, ...]) -> float:
        return weights.get(production, weights.get(production[0], weights[None]))

    def decay_of(production: tuple[str, ...]) -> float:
        return decay.get(production[0], decay[None])

    same = {"counts": counts, "leaf_weight": leaf_weight}
    return (
        {"decay": decay, "weights": weights, **same},
        {"decay": decay_of, "weight": weight_of, **same},
    )


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


@settings(max_examples=50, deadline=None)
@given(
    weighted(),
    st.lists(forests(max_trees=6, max_nodes=7, labels=LABELS), min_size=1, max_size=3),
    trees(max_nodes=7, labels=LABELS),
    st.sampled_from(sorted(KERNELS)),
    st.booleans(),
    st.integers(0, 6),
    st.floats(0.05, 1.0),
)
def test_answers_are_those_of_the_oracle(
    drawn: Any, parts: Any, query: Any, name: str, normalize: bool, k: int, threshold: float
) -> None:
    own, theirs = drawn

    def similarity(a: Any, b: Any) -> float:
        value = float(oracle.kernel(name, a, b, **theirs))
        if not normalize:
            return value
        square = float(oracle.kernel(name, a, a, **theirs)) * oracle.kernel(name, b, b, **theirs)
        return value / math.sqrt(square) if square > 0 else 0.0

    index = tk.TreeIndex(KERNELS[name](**own, normalize=normalize))
    assert isinstance(index._store, NativeStore)
    slow = SlowIndex(similarity)
    for part in parts:
        index.add(tk.Forest.from_trees(part))
        for tree in part:
            slow.add(len(slow.entries), tree)
    if len(index) > 2:
        index.remove([1])
        slow.remove(1)
    expected = slow.search(query, k)
    found = index.search([query], k)[0]
    values = dict(slow.row(query))
    assert len(found) == len(expected)
    for hit, (id_, value) in zip(found, expected, strict=True):
        assert close(hit.similarity, value)
        assert hit.id == id_ or close(values[hit.id], value)
    above = {hit.id: hit.similarity for hit in index.within([query], threshold)[0]}
    for id_, value in values.items():
        if id_ in above:
            assert close(above[id_], value)
        else:
            assert value < threshold or close(value, threshold)
    pairs = {(p.first, p.second): p.similarity for p in index.duplicates(threshold)}
    wanted = {(a, b): value for a, b, value in slow.pairs(threshold * (1 - 1e-9))}
    assert set(pairs) <= set(wanted)
    for pair, value in wanted.items():
        assert close(pairs.get(pair, threshold), value)


@pytest.mark.parametrize("counts", ["linear", "log", "binary"])
def test_weights_are_learned_from_the_first_trees(counts: Any) -> None:
    forest = random_forest(200, seed=3, size=30)
    kernel = tk.SubsetTreeKernel(weights="idf", counts=counts)
    index = tk.TreeIndex(kernel)
    assert len(index.search(forest[:2], 3)[0]) == 0
    index.add(forest[:150])
    index.add(forest[150:])
    fitted = kernel.fitted_on(forest[:150])
    assert index.kernel == fitted
    rows = fitted(forest[:20], forest)
    for row, hits in zip(rows, index.search(forest[:20], 5), strict=True):
        np.testing.assert_allclose(hits.similarities, np.sort(row)[::-1][:5], rtol=1e-10)


@pytest.mark.parametrize("counts", ["linear", "log", "binary"])
def test_parts_threads_and_files_do_not_matter(counts: Any, tmp_path: Path) -> None:
    forest = random_forest(300, seed=8, size=40)
    kernel = tk.SubsetTreeKernel(0.3, weights="idf", counts=counts).fitted_on(forest)
    whole, parts = tk.TreeIndex(kernel), tk.TreeIndex(kernel, n_jobs=2)
    whole.add(forest)
    parts.add(forest[:170])
    parts.save(tmp_path / "index.tki")
    parts = tk.TreeIndex.load(tmp_path / "index.tki", n_jobs=2)
    parts.add(forest[170:220])
    parts.add(forest[220:])
    for one, other in zip(whole.search(forest, 7), parts.search(forest, 7), strict=True):
        assert one.ids == other.ids
        assert np.array_equal(one.similarities, other.similarities)
    one, other = whole.duplicates(0.4), parts.duplicates(0.4)
    assert list(one) == list(other)
    assert len(one) > 0
