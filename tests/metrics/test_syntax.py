"""Diversity and similarity of syntax, against the matrix of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import treekernels as tk
from helpers import random_forest
from oracles.kernels import Tree
from treekernels.metrics import syntactic_diversity, syntactic_similarity, vendi_score
from treekernels.testing.strategies import forests

KERNELS: dict[str, Any] = {
    "default": None,
    "text": "ptk(0.3)",
    "not normalised": tk.SubsetTreeKernel(normalize=False),
    "sum": 0.25 * tk.SubtreeKernel() + 0.75 * tk.SubpathKernel(),
    "product": tk.SubtreeKernel() * tk.SubsetTreeKernel(),
    "idf": tk.SubsetTreeKernel(weights="idf"),
    "pair by pair": tk.SubsetTreeKernel(algorithm="ftk"),
}


def matrix_of(trees: Any, kernel: Any) -> Any:
    if kernel is None or isinstance(kernel, str):
        kernel = tk.parse_kernel(kernel or "sst")
    return tk.NormalizedKernel(kernel.fitted_on(trees))(trees)


@pytest.mark.parametrize("name", KERNELS)
def test_diversity_is_that_of_all_pairs(name: str) -> None:
    trees = tk.Forest(random_forest(40, 2, size=9))
    matrix = matrix_of(trees, KERNELS[name])
    kept = np.flatnonzero(np.diagonal(matrix))  # single nodes have nothing that some kernels see
    matrix = matrix[kept][:, kept]
    expected = 1 - matrix[~np.eye(len(kept), dtype=bool)].mean()
    assert syntactic_diversity(trees, KERNELS[name]) == pytest.approx(expected, abs=1e-12)
    values = np.linalg.eigvalsh(matrix / len(kept))
    values = values[values > 1e-15]
    score = np.exp(-(values * np.log(values)).sum())
    assert vendi_score(trees, KERNELS[name]) == pytest.approx(score, rel=1e-9)


@given(forests(min_trees=2))
def test_bounds(trees: list[Tree]) -> None:
    kernel = tk.SubsetTreeKernel(leaf_weight=1.0)
    assert 0 <= syntactic_diversity(trees, kernel) <= 1
    assert 1 - 1e-9 <= vendi_score(trees, kernel) <= len(trees) + 1e-9
    assert syntactic_diversity([trees[0]] * 3, kernel) == pytest.approx(0, abs=1e-12)
    assert vendi_score([trees[0]] * 3, kernel) == pytest.approx(1)


def test_trees_that_share_nothing() -> None:
    trees = ["(A a)", "(B b)", "(C c)", "(-EMPTY-)"]
    assert syntactic_diversity(trees) == 1
    assert vendi_score(trees) == pytest.approx(3)
    for few in ([], ["(-EMPTY-)"]):
        with pytest.raises(tk.DataError, match="diversity needs at least two trees"):
            syntactic_diversity(few)
        with pytest.raises(tk.DataError, match="at least one tree"):
            vendi_score(few)


def test_columns_and_vectors() -> None:
    table = tk.Table({"tree": tk.Forest(["(A a)", "(A a)"]), "vector": [[1.0, 0.0], [0.0, 1.0]]})
    assert syntactic_diversity(table, tk.SubsetTreeKernel(on="tree")) == 0
    assert syntactic_diversity(table, tk.LinearKernel(on="vector")) == 1


@pytest.mark.parametrize("match", ["all", "best", "one-to-one"])
def test_similarity_is_that_of_the_set_kernel(match: Any) -> None:
    first, second = random_forest(4, 1, size=8), random_forest(6, 2, size=8)
    expected = tk.SetKernel(tk.PartialTreeKernel(), match)([first], [second])[0, 0]
    assert syntactic_similarity(first, second, "ptk", match=match) == expected
    backwards = syntactic_similarity(second, first, "ptk", match=match)
    assert backwards == pytest.approx(expected)
    assert syntactic_similarity(first, first[::-1], match=match) == pytest.approx(1)
    with pytest.raises(tk.DataError, match="a document without sentences"):
        syntactic_similarity(first, [])
