"""Hints when a decay is too large for the trees, and how much of one tree is in another."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from treekernels.demo.functions import functions
from treekernels.kernels.base.small_values import hint_of_small_values
from treekernels.testing.strategies import Tree, forests

LARGE = tk.Forest.from_trees(
    [("S", *[("A", ("B", ("C", str(n))), ("D", ("E", "e"), ("F", "f")))] * 40) for n in range(60)]
)
SMALL = tk.Forest.from_trees(random_forest(60, seed=1))
LABELS = np.arange(60) % 2


def test_a_matrix_of_next_to_nothing() -> None:
    with pytest.warns(tk.SmallValuesWarning, match="a decay of 1: .* smaller decay, such as 0.1"):
        tk.SubsetTreeKernel(1.0)(LARGE)
    with pytest.warns(tk.SmallValuesWarning, match="weights='idf'"):
        tk.SubsetTreeKernel(0.9)(LARGE[:20])


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubsetTreeKernel(0.05),
        tk.SubsetTreeKernel(1.0, normalize=False),
        tk.SubtreeKernel(1.0),
        tk.SubsetTreeKernel({"A": 1.0, None: 0.9}),
    ],
    ids=repr,
)
def test_no_warning_without_a_remedy(kernel: tk.Kernel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(LARGE[:20])
        kernel(SMALL)
        tk.SubsetTreeKernel(1.0)(LARGE[:1])
        tk.SubsetTreeKernel(1.0)(LARGE[:3], LARGE[3:6])


@pytest.mark.parametrize("learner", [tk.TreeSVC, tk.TreePerceptron])
def test_learners_warn(learner: Any) -> None:
    with pytest.warns(tk.SmallValuesWarning, match="too little"):
        learner(tk.SubsetTreeKernel(1.0), random_state=0).fit(LARGE, LABELS)


def test_functions_of_programs() -> None:
    """Values that look alive may still be too small: here 0.06 instead of 0.17."""
    trees, _ = functions()
    with pytest.warns(tk.SmallValuesWarning, match="a decay of 0.4: .* smaller decay"):
        tk.SubsetTreeKernel()(trees[:1500])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tk.SubsetTreeKernel(0.2)(trees[:1500])
        tk.SubsetTreeKernel(weights="idf", counts="log").fitted_on(trees)(trees[:1500])


def test_two_trees() -> None:
    """What the command line says of two large files."""
    assert hint_of_small_values(tk.SubsetTreeKernel(1.0), LARGE[:2]) is not None
    assert hint_of_small_values(tk.SubsetTreeKernel(1.0), SMALL[:2]) is None
    assert hint_of_small_values(tk.SubsetTreeKernel(1.0), LARGE[:1]) is None


@given(forest=forests(max_trees=6, min_trees=1), counts=st.sampled_from(["linear", "binary"]))
def test_containment(forest: list[Tree], counts: Any) -> None:
    kernel = tk.SubsetTreeKernel(counts=counts)
    plain = tk.SubsetTreeKernel(counts=counts, normalize=False)(forest)
    found = tk.containment(kernel, forest, forest)
    for q, row in enumerate(plain):
        expected = row / row[q] if row[q] > 0 else np.zeros(len(row))
        np.testing.assert_allclose(found[q], expected, rtol=1e-12)
    total = tk.containment(0.5 * kernel + tk.SubtreeKernel(), forest, forest)
    both = 0.5 * plain + tk.SubtreeKernel(normalize=False)(forest)
    for q, row in enumerate(both):
        expected = row / row[q] if row[q] > 0 else np.zeros(len(row))
        np.testing.assert_allclose(total[q], expected, rtol=1e-12)


def test_containment_of_what_is_normalised_inside() -> None:
    kernel = tk.NormalizedKernel(tk.SubsetTreeKernel(0.5, normalize=False))
    assert tk.containment(kernel, ["(A b)"], ["(S (A b) (A b))"]).tolist() == [[2.0]]
    with pytest.raises(tk.ParameterError, match="NormalizedKernel"):
        tk.containment(kernel + 1, ["(A b)"], ["(A b)"])
