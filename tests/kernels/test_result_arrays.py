"""What the core writes into, and what it must not: rows, shapes, and the ones of equal trees."""

from __future__ import annotations

import numpy as np
import pytest

import treekernels as tk
from helpers import SETTINGS, make, random_forest
from treekernels import _native
from treekernels.kernels.base.matrices import Run

TREES = tk.Forest(random_forest(40, seed=7, size=30))


@pytest.mark.parametrize("name", SETTINGS)
def test_equal_trees_are_exactly_1_in_every_column(name: str) -> None:
    """Each tree is the last once, where rounding alone would often give a little less than 1."""
    kernel = make(SETTINGS[name])
    for count in range(1, len(TREES) + 1):
        rows, columns = TREES[count - 1 : count], TREES[:count]
        unit = 1.0 if make(SETTINGS[name], normalize=False).diag(rows)[0] else 0.0
        assert kernel(rows, columns)[0, -1] == unit
        assert kernel(columns)[-1, -1] == unit


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("decay", [0.05, 0.24, 0.29, 0.42, 0.53, 0.58])
def test_normalised_values_are_at_most_1(decay: float, dtype: type) -> None:
    """Of long chains, one the lower part of the other: nearly 1, and above it by rounding alone."""
    chains = []
    for length in range(60, 120):
        opening = " ".join(f"(L{height}" for height in range(length, 0, -1))
        chains.append(f"{opening} x{')' * length}")
    values = tk.SubtreeKernel(decay)(chains, dtype=dtype)
    assert values.max() == 1.0
    assert values.min() > 0.999


@pytest.mark.parametrize(("first", "last"), [(0, 41), (40, 41), (3, 2)])
def test_rows_that_do_not_exist_are_refused(first: int, last: int) -> None:
    matrix = tk.SubsetTreeKernel().prepare(TREES)
    out = np.full((max(0, last - first), len(TREES)), -7.0)
    with pytest.raises(IndexError, match="no such rows"):
        matrix.fill_rows(first, last, out, Run())
    assert (out == -7).all()


@pytest.mark.parametrize("shape", [(40, 39), (40, 41), (39, 40), (41, 40)])
def test_results_of_another_shape_are_refused(shape: tuple[int, int]) -> None:
    matrix = tk.SubsetTreeKernel().prepare(TREES)
    out = np.full(shape, -7.0)
    with pytest.raises(ValueError, match="shape"):
        matrix.fill(out, Run())
    assert (out == -7).all()


@pytest.mark.parametrize("feature", [-1, 3, 2**31 - 1])
def test_features_that_do_not_exist_are_refused(feature: int) -> None:
    offsets, values = np.array([0, 1, 2], np.int64), np.ones(2)
    features = np.array([2, feature], np.int32)
    for summand in (
        _native.LinearSummand(np.zeros((3, 1)), offsets, features, values, 1.0),
        _native.PolynomialSummand(3, offsets, features, values, 2.0, 1.0, 1.0, 1.0),
    ):
        with pytest.raises(ValueError, match="not a sparse matrix"):
            _native.Svm([summand], np.array([[1.0], [-1.0]]), np.ones((2, 1)), False, 0.0, True, 3)


@pytest.mark.parametrize("columns", [1, 3])
def test_rows_that_go_backwards_are_refused(columns: int) -> None:
    out = np.empty((3, columns))[::-1]
    with pytest.raises(tk.ParameterError, match="must follow each other"):
        tk.SubsetTreeKernel()(["(A b)"] * 3, ["(A c)"] * columns, out=out)
    with pytest.raises(tk.ParameterError, match="must be contiguous"):
        tk.SubsetTreeKernel()(["(A b)"] * 3, ["(A c)"] * 3, out=np.empty((3, 3))[:, ::-1])
