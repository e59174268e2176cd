"""Parts that are missing or empty: 0 in every kernel, in matrices, diagonals and learners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import treekernels as tk

TREES = ["(A (B b) c)", "(-EMPTY-)", "(A (B b) d)", "(-MISSING-)", "(-EMPTY-)", "(A -EMPTY-)"]
EMPTY = np.array([False, True, False, True, True, False])

KERNELS = [
    *(tk.SubtreeKernel(decay=0.5, leaf_weight=weight) for weight in (0, 0.5)),
    *(tk.SubsetTreeKernel(leaf_weight=weight) for weight in (0, 0.5)),
    tk.PartialTreeKernel(),
    tk.ElasticTreeKernel(),
    tk.ElasticTreeKernel(elastic=False),
    tk.SubpathKernel(),
]


def with_zeros(matrix: Any, rows: Any, columns: Any) -> Any:
    matrix = np.array(matrix)
    matrix[rows] = 0
    matrix[:, columns] = 0
    return matrix


ALGORITHMS = [
    (kernel, algorithm)
    for kernel in KERNELS
    for algorithm in ("corpus", "ftk", "qtk")
    if algorithm == "corpus" or "algorithm" in kernel.get_params()
]


@pytest.mark.parametrize(("kernel", "algorithm"), ALGORITHMS, ids=str)
@pytest.mark.parametrize("normalize", [True, False])
def test_trees_that_are_not_there(kernel: Any, normalize: bool, algorithm: str) -> None:
    chosen = {"algorithm": algorithm} if "algorithm" in kernel.get_params() else {}
    kernel = type(kernel)(**{**kernel.get_params(), "normalize": normalize, **chosen})
    forest = tk.Forest(TREES)
    there = forest[~EMPTY]
    expected = np.zeros((6, 6))
    expected[np.ix_(~EMPTY, ~EMPTY)] = kernel(there)

    def check(found: Any, wanted: Any) -> None:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)

    check(kernel(forest), expected)
    check(kernel(forest, tk.Forest(TREES)), expected)
    check(kernel(there, forest), expected[~EMPTY])
    check(kernel.diag(forest), np.diag(expected))
    for rows, block in kernel.blocks(forest, rows=2):
        check(block, expected[rows])
    assert (np.diag(expected)[~EMPTY] > 0).all()


def test_parts_of_trees_that_are_not_there() -> None:
    kernel = tk.MappingKernel(
        lambda tree: [tree.label], lambda a, b: 1.0, group=lambda label: label
    )
    assert kernel(tk.Forest(["(A b)", "(-EMPTY-)", "(-MISSING-)"])).tolist() == [
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]


def vectors_by_hand(kernel: Any, rows: list[Any], others: list[Any]) -> Any:
    def value(x: Any, y: Any) -> float:
        if x is None or y is None:
            return 0.0
        dot = float(np.dot(x, y))
        if isinstance(kernel, tk.LinearKernel):
            return dot
        if isinstance(kernel, tk.PolynomialKernel):
            return float((kernel.gamma * dot + kernel.coef0) ** kernel.degree)
        return float(np.exp(-kernel.gamma * np.sum((np.array(x) - y) ** 2)))

    return np.array([[value(x, y) for y in others] for x in rows]).reshape(len(rows), len(others))


VECTOR_KERNELS = [
    tk.LinearKernel(),
    tk.PolynomialKernel(2, gamma=0.5),
    tk.RBFKernel(0.5),
    tk.NormalizedKernel(tk.PolynomialKernel(2, gamma=0.5)),
]
ROWS = st.lists(
    st.none() | st.lists(st.sampled_from([0.0, 1.0, -0.5, 2.0]), min_size=3, max_size=3),
    min_size=1,
    max_size=6,
)


def forms_of(rows: list[Any]) -> list[Any]:
    """The same vectors as a dense and a sparse matrix, and as dictionaries."""
    dense = np.array([[np.nan] * 3 if row is None else row for row in rows])
    sparse = csr_matrix(np.array([[np.nan, 0, 0] if row is None else row for row in rows]))
    named = np.empty(len(rows), object)
    for place, row in enumerate(rows):
        if row is not None:
            named[place] = {f"feature {n}": value for n, value in enumerate(row) if value}
    return [dense, sparse] + ([named] if any(row is not None for row in rows) else [])


@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=repr)
@given(ROWS, ROWS)
def test_vectors_that_are_missing(kernel: Any, rows: list[Any], others: list[Any]) -> None:
    inner = getattr(kernel, "kernel", kernel)
    diagonal = np.diag(vectors_by_hand(inner, rows, rows))
    expected = vectors_by_hand(inner, rows, others)
    if inner is not kernel:
        other_diagonal = np.diag(vectors_by_hand(inner, others, others))
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = expected / np.sqrt(np.outer(diagonal, other_diagonal))
        expected = np.nan_to_num(expected)
        diagonal = (diagonal > 0).astype(float)
    for X, Y in zip(forms_of(rows), forms_of(others), strict=False):
        np.testing.assert_allclose(kernel(X, Y), expected, atol=1e-12)
        np.testing.assert_allclose(kernel.diag(X), diagonal, atol=1e-12)
        np.testing.assert_allclose(np.diag(kernel(X)), diagonal, atol=1e-12)


def test_a_vector_is_missing_as_a_whole() -> None:
    with pytest.raises(ValueError, match="vector 2 contains NaN among numbers"):
        tk.LinearKernel()([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="vector 1 contains NaN among numbers"):
        tk.RBFKernel()(csr_matrix([[np.nan, 1.0]]))


# Learners


def examples(seed: int, count: int = 60) -> tuple[tk.Table, Any]:
    rng = np.random.default_rng(seed)
    words = rng.choice(["a", "b", "c", "d"], (count, 2))
    y = (words[:, 0] < words[:, 1]).astype(int)
    trees = [f"(S (X {one}) (Y {two}))" for one, two in words]
    vectors = rng.normal(size=(count, 3)) + y[:, None]
    for place in range(0, count, 5):
        trees[place] = "(-MISSING-)" if place % 2 else "(-EMPTY-)"
    vectors[::7] = np.nan
    y[:2] = 0, 1
    return tk.Table({"tree": tk.Forest(trees), "vector": vectors}), y


SUMS = [
    tk.PartialTreeKernel(on="tree") + tk.PolynomialKernel(2, gamma=0.3, on="vector"),
    tk.ElasticTreeKernel(on="tree") + tk.LinearKernel(on="vector"),
    0.5 * tk.SubsetTreeKernel(leaf_weight=0.5, on="tree") + tk.RBFKernel(0.5, on="vector"),
    tk.SubpathKernel(normalize=False, on="tree") + 0.739,
]


@pytest.mark.parametrize(
    ("kernel", "cache_size"), [(SUMS[0], 128), (SUMS[1], 0.001), (SUMS[2], 0.001), (SUMS[3], 128)]
)
def test_machines_see_what_the_matrix_says(kernel: Any, cache_size: float, tmp_path: Path) -> None:
    X, y = examples(1)
    other, _ = examples(2, 20)
    machine = tk.TreeSVC(kernel, C=1, tol=1e-6, max_iter=3000, cache_size=cache_size)
    machine = machine.set_params(random_state=0).fit(X, y)
    from sklearn.svm import SVC

    gram = SVC(C=1, kernel="precomputed", tol=1e-8).fit(kernel(X), y)
    expected = gram.decision_function(kernel(other, X))
    np.testing.assert_allclose(machine.decision_function(other), expected, atol=2e-3)
    tk.save(machine, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    np.testing.assert_array_equal(loaded.decision_function(other), machine.decision_function(other))


@pytest.mark.parametrize("kernel", SUMS, ids=repr)
@pytest.mark.parametrize("learner", [tk.TreePerceptron, tk.TreePassiveAggressive])
def test_online_learners_see_what_the_matrix_says(kernel: Any, learner: Any) -> None:
    X, y = examples(3)
    other, _ = examples(4, 20)
    # Votes would differ where a score is 0 but for rounding.
    options = {"average": "mean"} if learner is tk.TreePerceptron else {}
    fitted = learner(kernel, shuffle=False, epochs=2, **options).fit(X, y)

    rows = np.arange(len(X))
    both = tk.Table({name: _both(X[name], other[name]) for name in X})
    matrix = kernel(both)
    looked_up = tk.MappingKernel(lambda i: [int(i)], lambda a, b: float(matrix[a, b]))
    by_matrix = learner(looked_up, shuffle=False, epochs=2, **options).fit(rows, y)
    np.testing.assert_allclose(
        fitted.decision_function(other),
        by_matrix.decision_function(np.arange(len(X), len(X) + len(other))),
        rtol=1e-6,
        atol=1e-9,
    )


def _both(one: Any, two: Any) -> Any:
    if isinstance(one, tk.Forest):
        return tk.Forest.concatenate([one, two])
    return np.concatenate([one, two])


@pytest.mark.parametrize("solver", ["forest", "gram"])
def test_what_is_not_there_explains_nothing(solver: Any) -> None:
    trees = tk.Forest(["(A b)", "(-EMPTY-)", "(A b)", "(-MISSING-)", "(B c)", "(B d)"])
    kernel = tk.PartialTreeKernel(normalize=False)
    machine = tk.TreeSVC(kernel, solver=solver, random_state=0).fit(trees, [0, 1, 0, 1, 1, 0])
    fragments = tk.explain(machine, top=50)
    assert fragments
    assert not any("-EMPTY-" in str(one.fragment) for one in fragments)
    assert not any("-MISSING-" in str(one.fragment) for one in fragments)


def test_an_example_without_any_part_gets_the_intercept() -> None:
    X, y = examples(5)
    nothing = tk.Table({"tree": tk.Forest(["(-MISSING-)"]), "vector": np.full((1, 3), np.nan)})
    machine = tk.TreeSVC(SUMS[0], random_state=0).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(nothing), machine.intercept_)
