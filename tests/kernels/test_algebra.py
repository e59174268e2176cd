"""Combinations of kernels, their parameters, columns, vectors, and the general mapping kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.metrics import pairwise

import treekernels as tk
from helpers import random_forest
from oracles.kernels import to_brackets

TEXTS = [to_brackets(tree) for tree in random_forest(12, seed=5)]
OTHERS = [to_brackets(tree) for tree in random_forest(7, seed=6)]
VECTORS = np.random.default_rng(0).normal(size=(12, 4))
SST = tk.SubsetTreeKernel()
PTK = tk.PartialTreeKernel(normalize=False)


def close(actual: Any, desired: Any) -> None:
    np.testing.assert_allclose(actual, desired, rtol=1e-12, atol=1e-12)


# Combinations.

COMBINATIONS = {
    "sum": (SST + PTK, lambda a, b: a + b),
    "product": (SST * PTK, lambda a, b: a * b),
    "weighted": (SST + 0.5 * PTK, lambda a, b: a + 0.5 * b),
    "number on the right": (SST * 2 + 1, lambda a, b: a * 2 + 1),
    "number on the left": (1 + 2 * SST, lambda a, b: 1 + 2 * a),
    "numpy numbers": (np.float64(2) * SST + np.int64(1), lambda a, b: 2 * a + 1),
    "power": (PTK**3, lambda a, b: b**3),
    "fractional power": (SST**0.5, lambda a, b: a**0.5),
    "nested": ((SST + PTK) ** 2 * (3 * SST + 1), lambda a, b: (a + b) ** 2 * (3 * a + 1)),
    "numbers only": (tk.ConstantKernel(2.0) * 3 + 1, lambda a, b: 0 * a + 7),
}


@pytest.mark.parametrize(("kernel", "formula"), COMBINATIONS.values(), ids=COMBINATIONS)
def test_combination_of_matrices(kernel: tk.Kernel, formula: Any) -> None:
    close(kernel(TEXTS), formula(SST(TEXTS), PTK(TEXTS)))
    close(kernel(TEXTS, OTHERS), formula(SST(TEXTS, OTHERS), PTK(TEXTS, OTHERS)))
    close(kernel.diag(TEXTS), formula(SST.diag(TEXTS), PTK.diag(TEXTS)))


@pytest.mark.parametrize(
    "combine",
    [
        lambda: SST + "x",
        lambda: "x" + SST,
        lambda: SST * [1],
        lambda: None * SST,
        lambda: SST ** "2",
        lambda: SST**SST,
        lambda: SST - SST,
        lambda: SST + (1 + 2j),
    ],
)
def test_combination_with_the_wrong_type(combine: Any) -> None:
    with pytest.raises(TypeError):
        combine()


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (SST + -1, "must be a number from 0 up, not -1"),
        (SST * float("nan"), "must be a number from 0 up, not nan"),
        (SST**-2, "must be a number above 0, not -2"),
    ],
    ids=["negative", "nan", "negative power"],
)
@pytest.mark.parametrize("method", ["__call__", "diag"])
def test_numbers_that_make_no_kernel(kernel: tk.Kernel, message: str, method: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(kernel, method)(TEXTS)


# Parameters.


def test_nested_parameters() -> None:
    kernel = tk.SubsetTreeKernel() + 0.5 * tk.PartialTreeKernel()
    assert kernel.get_params()["k2__k2__decay"] == 0.4
    copy = clone(kernel)
    copy.set_params(k1__decay=0.9, k2__k1__value=0.25, k2__k2__gaps="span")
    assert copy == tk.SubsetTreeKernel(0.9) + 0.25 * tk.PartialTreeKernel(gaps="span")
    assert kernel == tk.SubsetTreeKernel() + 0.5 * tk.PartialTreeKernel()


def test_unknown_parameters() -> None:
    with pytest.raises(
        ValueError, match="SubsetTreeKernel has no parameter 'lambda'; it has decay"
    ):
        tk.SubsetTreeKernel().set_params(**{"lambda": 0.5})
    with pytest.raises(ValueError, match="SubtreeKernel has no parameter 'mu'"):
        (SST + tk.SubtreeKernel()).set_params(k2__mu=0.5)


# Constants and normalisation.


@pytest.mark.parametrize("plain", [PTK, PTK * SST, PTK + 3], ids=repr)
def test_normalized(plain: tk.Kernel) -> None:
    kernel = tk.NormalizedKernel(plain)
    norms, others = np.sqrt(plain.diag(TEXTS)), np.sqrt(plain.diag(OTHERS))
    inverse, other_inverse = (np.divide(1, n, out=0 * n, where=n > 0) for n in (norms, others))
    close(kernel(TEXTS), plain(TEXTS) * np.outer(inverse, inverse))
    close(kernel(TEXTS, OTHERS), plain(TEXTS, OTHERS) * np.outer(inverse, other_inverse))
    assert np.array_equal(np.diagonal(kernel(TEXTS)), norms > 0)
    assert np.array_equal(kernel.diag(TEXTS), norms > 0)
    blocks = [block for _, block in kernel.blocks(TEXTS, rows=5)]
    close(np.concatenate(blocks), kernel(TEXTS))


def test_normalized_linear_keeps_the_sign() -> None:
    kernel = tk.NormalizedKernel(tk.LinearKernel())
    close(kernel([[1.0, 0.0], [-2.0, 0.0], [0.0, 0.0]]), [[1, -1, 0], [-1, 1, 0], [0, 0, 0]])


# Columns.

COLUMNS = {
    "tree": TEXTS,
    "words": OTHERS + OTHERS[:5],
    "vector": VECTORS,
    "size": np.arange(12.0),
    "depth": np.arange(12.0) % 5,
}


def frame() -> pd.DataFrame:
    return pd.DataFrame({**COLUMNS, "vector": list(VECTORS)})


EXAMPLES = {
    "dict": lambda: COLUMNS,
    "table": lambda: tk.Table(COLUMNS),
    "table of forests": lambda: tk.Table({**COLUMNS, "tree": tk.Forest(TEXTS)}),
    "frame": frame,
}
every_form = pytest.mark.parametrize("make_examples", EXAMPLES.values(), ids=EXAMPLES)


@every_form
def test_several_trees_and_vectors(make_examples: Any) -> None:
    kernel = (
        tk.SubsetTreeKernel(on="tree") * tk.PartialTreeKernel(on="words")
        + 0.5 * tk.LinearKernel(on="vector")
        + tk.RBFKernel(0.1, on="size")
    )
    expected = (
        SST(TEXTS) * tk.PartialTreeKernel()(COLUMNS["words"])
        + 0.5 * VECTORS @ VECTORS.T
        + pairwise.rbf_kernel(np.arange(12.0)[:, None], gamma=0.1)
    )
    close(kernel(make_examples()), expected)
    close(kernel.diag(make_examples()), np.diagonal(expected))


@every_form
def test_several_numeric_columns(make_examples: Any) -> None:
    vectors = np.column_stack([np.arange(12.0), np.arange(12.0) % 5])
    kernel = tk.LinearKernel(on=["size", "depth"])
    close(kernel(make_examples()), vectors @ vectors.T)


@every_form
def test_missing_column(make_examples: Any) -> None:
    names = "'tree', 'words', 'vector', 'size', 'depth'"
    with pytest.raises(ValueError, match=f"no column 'trees'; it has {names}"):
        tk.SubsetTreeKernel(on="trees")(make_examples())
    with pytest.raises(ValueError, match=f"no column 'weight'; it has {names}"):
        tk.LinearKernel(on=["size", "weight"])(make_examples())
    with pytest.raises(ValueError, match=rf"X has columns \({names}\): say which one"):
        tk.SubsetTreeKernel()(make_examples())
    with pytest.raises(ValueError, match=rf"X has columns \({names}\): say which one"):
        tk.LinearKernel()(make_examples())


def test_columns_of_different_length() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        (tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="size"))(
            {"tree": TEXTS, "size": [1.0]}
        )
    with pytest.raises(ValueError, match="differ in length"):
        tk.Table({"tree": TEXTS, "size": [1.0]})


def test_column_of_a_list() -> None:
    with pytest.raises(ValueError, match="looks at column 'tree', but X is a list"):
        tk.SubsetTreeKernel(on="tree")(TEXTS)


# Vectors.

VECTOR_KERNELS = {
    "linear": (tk.LinearKernel(), pairwise.linear_kernel),
    "polynomial": (tk.PolynomialKernel(), pairwise.polynomial_kernel),
    "polynomial of degree 2": (
        tk.PolynomialKernel(2, gamma=0.5, coef0=0.25),
        lambda X, Y=None: pairwise.polynomial_kernel(X, Y, degree=2, gamma=0.5, coef0=0.25),
    ),
    "rbf": (tk.RBFKernel(), pairwise.rbf_kernel),
    "wide rbf": (tk.RBFKernel(0.01), lambda X, Y=None: pairwise.rbf_kernel(X, Y, gamma=0.01)),
}


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, scipy.sparse.csr_matrix, scipy.sparse.coo_array]
)
@pytest.mark.parametrize(("kernel", "reference"), VECTOR_KERNELS.values(), ids=VECTOR_KERNELS)
def test_vectors_as_in_scikit_learn(kernel: tk.Kernel, reference: Any, form: Any) -> None:
    some = np.where(VECTORS > 0.5, VECTORS, 0.0)
    X, Y = form(some), form(some[:5] + 1)
    close(kernel(X), reference(some))
    close(kernel(X, Y), reference(some, some[:5] + 1))
    close(kernel.diag(X), np.diagonal(reference(some)))
    blocks = [block for _, block in kernel.blocks(X, rows=5)]
    close(np.concatenate(blocks), reference(some))
