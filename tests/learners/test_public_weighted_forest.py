"""The public weighted forest, against the Gram matrix times the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest

TREES = tk.SubsetTreeKernel(on="tree")


def letters(tree: Any) -> list[str]:
    return [letter for letter in str(tk.Forest([tree]).to_brackets()[0]) if letter.isalpha()]


LABELS = tk.MappingKernel(letters, lambda p, q: float(p == q))
KERNELS = {
    "st": tk.SubtreeKernel(),
    "sst": tk.SubsetTreeKernel(),
    "sst, words": tk.SubsetTreeKernel(leaf_weight=1.0, normalize=False),
    "ptk": tk.PartialTreeKernel(),
    "elastic": tk.ElasticTreeKernel(),
    "mapping": LABELS,
    "sst + mapping": tk.SubsetTreeKernel() + 0.5 * LABELS,
    "mapping + sst": LABELS + tk.SubsetTreeKernel(),
    "power": tk.SubsetTreeKernel() ** 2,
    "columns": 0.5 * TREES + tk.LinearKernel(on="v") + tk.PolynomialKernel(2, on="v") * TREES + 2,
}


def examples(kernel: tk.Kernel, seed: int, count: int = 12) -> Any:
    trees = random_forest(count, seed)
    if "on=" not in repr(kernel):
        return trees
    return {"tree": trees, "v": np.random.RandomState(seed).normal(size=(count, 3))}


@pytest.mark.parametrize("name", KERNELS)
def test_scores_are_sums_over_what_was_added(name: str) -> None:
    kernel = KERNELS[name]
    model = tk.WeightedForest(kernel, columns=3)
    queries = examples(kernel, 9)
    expected = np.zeros((12, 3))
    assert np.array_equal(model.score(queries), expected)
    for seed in (1, 2):
        added = examples(kernel, seed)
        alpha = np.random.RandomState(seed).normal(size=(12, 3))
        model.add(added, alpha)
        expected += kernel(queries, added) @ alpha
    np.testing.assert_allclose(model.score(queries), expected, rtol=1e-9, atol=1e-12)
    model.n_jobs = 2
    result = tk.WeightedForest(kernel, 3)
    result._restore(model._state())
    assert np.array_equal(result.score(queries), model.score(queries))


def test_the_norm_of_a_large_tree_damps_counts() -> None:
    """Trees of more than 1,024 distinct subtrees have their norms computed in another way."""
    leaves = "".join(f"(B b{number})" for number in range(600))
    trees = [f"(A {leaves} (C {leaves}))", f"(A (C {leaves}))"]
    kernel = tk.SubsetTreeKernel(0.001, counts="log")
    model = tk.WeightedForest(kernel)
    model.add(trees[:1], [1.0])
    values = kernel(trees, trees[:1]).ravel()
    np.testing.assert_allclose(model.score(trees), values, rtol=1e-12)


@pytest.mark.parametrize(
    ("alpha", "columns", "words"),
    [
        ([1.0], 1, "shape"),
        ([1.0, np.nan], 1, "NaN"),
        ([1.0, 1.0], 2, "shape"),
        ([[1.0, np.inf]] * 2, 2, "infinity"),
    ],
)
def test_bad_coefficients(alpha: Any, columns: int, words: str) -> None:
    model = tk.WeightedForest(columns=columns)
    with pytest.raises(ValueError, match=words):
        model.add(["(A b)", "(A c)"], alpha)
    assert len(model) == 0


def test_the_kernel_stays_what_it_was() -> None:
    model = tk.WeightedForest(tk.SubtreeKernel(), 2)
    with pytest.raises(AttributeError):
        model.kernel = tk.SubsetTreeKernel()  # type: ignore[misc]
    assert repr(model) == "WeightedForest(SubtreeKernel(), columns=2)"
    with pytest.raises(TypeError, match="must be a kernel"):
        tk.WeightedForest(0.4)  # type: ignore[arg-type]


def huge() -> str:
    """A tree whose norm at decay 1 is no double."""
    return "(S " + " ".join("(A (B c) (B c))" for _ in range(700)) + ")"


def test_an_example_that_is_too_large_adds_nothing() -> None:
    model = tk.WeightedForest(tk.SubsetTreeKernel(1.0))
    model.add(["(S (A b))"], [1.0])
    before = model.score(["(S (A b))", "(A b)"])
    with pytest.raises(tk.KernelOverflowError):
        model.add(["(S (A b))", "(A b)", huge()], [1.0, 1.0, 1.0])
    assert np.array_equal(model.score(["(S (A b))", "(A b)"]), before)
