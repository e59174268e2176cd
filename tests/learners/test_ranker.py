"""Ranking machines: equal to a machine on the explicit matrix of preferences."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

import treekernels as tk
from helpers import random_forest
from learner_data import SCARCE
from treekernels.errors import DataError, ModelFileError, ParameterError
from treekernels.io.files.container import read_container, write_container

TREES = tk.Forest(random_forest(40, 5, size=12))
OTHERS = tk.Forest(random_forest(15, 6, size=12))
QUERIES = np.repeat(np.arange(8), 5)
_rng = np.random.RandomState(0)
Y = np.array([tree.size for tree in TREES]) // 3 + _rng.randint(0, 3, 40)


def _pairs(y: Any, queries: Any) -> list[tuple[int, int]]:
    return [
        (a, b)
        for a in range(len(y))
        for b in range(len(y))
        if queries[a] == queries[b] and y[a] > y[b]
    ]


def _expected_scores(kernel: Any, X: Any, y: Any, queries: Any, C: float, Z: Any) -> Any:
    """An SVC on the explicit Gram matrix of preferences, each in both directions.

    With both, the intercept is 0, and the objective has each preference twice.
    """
    pairs = _pairs(y, queries)
    K = kernel(X)
    a, b = np.array([*pairs, *[(b, a) for a, b in pairs]]).T
    gram = K[np.ix_(a, a)] - K[np.ix_(a, b)] - K[np.ix_(b, a)] + K[np.ix_(b, b)]
    signs = np.repeat([1, -1], len(pairs))
    machine = SVC(kernel="precomputed", C=C / 2, tol=1e-8, cache_size=10).fit(gram, signs)
    weights = np.zeros(len(y))
    for place, value in zip(machine.support_, machine.dual_coef_[0], strict=True):
        weights[a[place]] += value
        weights[b[place]] -= value
    return kernel(Z, X) @ weights


@pytest.mark.parametrize(
    ("kernel", "C", "solver"),
    [
        (tk.SubsetTreeKernel(), 1.0, "gram"),
        (tk.SubsetTreeKernel(), 1.0, "forest"),
        (tk.PartialTreeKernel(), 0.1, "forest"),
        (tk.ElasticTreeKernel(), 1.0, "forest"),
        (tk.SubsetTreeKernel() * tk.SubpathKernel(), 1.0, "gram"),
    ],
    ids=str,
)
def test_ranker_equals_a_machine_on_all_preferences(kernel: Any, C: float, solver: Any) -> None:
    ranker = tk.TreeRanker(kernel, C=C, solver=solver, tol=1e-9).fit(TREES, Y, groups=QUERIES)
    expected = _expected_scores(kernel, TREES, Y, QUERIES, C, OTHERS)
    np.testing.assert_allclose(ranker.predict(OTHERS), expected, atol=2e-4 * np.ptp(expected))
    assert ranker.solver_ == solver
    assert ranker.n_pairs_ == len(_pairs(Y, QUERIES))
    assert 0 <= ranker.gap_ <= 1e-9 * ranker.objective_


@given(st.integers(0, 10_000), st.sampled_from([0.01, 1.0, 100.0]), st.integers(1, 4))
@settings(max_examples=6, deadline=None)
def test_the_objective_is_the_lowest(seed: int, C: float, groups: int) -> None:
    """On random vectors, against the objective that many small steps of descent find."""
    rng = np.random.RandomState(seed)
    X, y, queries = rng.normal(size=(12, 3)), rng.randint(0, 3, 12), rng.randint(0, groups, 12)
    pairs = _pairs(y, queries)
    if not pairs:
        with pytest.raises(DataError, match="nothing to prefer"):
            tk.TreeRanker("linear").fit(X, y, queries)
        return
    ranker = tk.TreeRanker("linear", C=C, tol=1e-7).fit(X, y, groups=queries)
    differences = np.array([X[a] - X[b] for a, b in pairs])
    gram = differences @ differences.T
    squares = gram.diagonal().tolist()
    alphas, margins = np.zeros(len(pairs)), np.zeros(len(pairs))
    for _ in range(3000):  # coordinate descent in the dual, one preference after the other
        largest = 0.0
        for p, square in enumerate(squares):
            wanted = alphas[p] + (1 - margins[p]) / square if square > 0 else C
            step = min(max(wanted, 0.0), C) - alphas[p]
            if step:
                alphas[p] += step
                margins += step * gram[p]
                largest = max(largest, abs(step))
        if largest <= 1e-12 * C:
            break
    weights = differences.T @ alphas
    dual = alphas.sum() - weights @ weights / 2
    assert ranker.objective_ >= dual * (1 - 1e-9)
    primal = weights @ weights / 2 + C * np.maximum(0, 1 - differences @ weights).sum()
    assert ranker.objective_ <= primal * (1 + 1e-6)
    own = X.T @ np.bincount(ranker.support_, ranker.dual_coef_[:, 0], 12)
    result = own @ own / 2 + C * np.maximum(0, 1 - differences @ own).sum()
    assert result == pytest.approx(ranker.objective_, rel=1e-6)


def test_only_the_order_within_a_query_matters() -> None:
    ranker = tk.TreeRanker("sst", tol=1e-8).fit(TREES, Y, groups=QUERIES)
    shifted = np.array([100.0 * q + 0.5 * v for q, v in zip(QUERIES, Y, strict=True)])
    names = np.array([f"query {q}" for q in QUERIES])
    other = tk.TreeRanker("sst", tol=1e-8).fit(TREES, shifted, groups=names)
    np.testing.assert_allclose(other.predict(OTHERS), ranker.predict(OTHERS), rtol=1e-9)
    order = np.random.RandomState(1).permutation(40)
    shuffled = tk.TreeRanker("sst", tol=1e-8).fit(TREES[order], Y[order], groups=QUERIES[order])
    np.testing.assert_allclose(shuffled.predict(OTHERS), ranker.predict(OTHERS), atol=1e-4)


def test_queries_of_a_table() -> None:
    table = tk.Table({"qid": QUERIES, "tree": TREES, "vector": _rng.normal(size=(40, 2))})
    kernel = tk.SubsetTreeKernel(on="tree") + 0.1 * tk.LinearKernel(on="vector")
    ranker = tk.TreeRanker(kernel).fit(table, Y)
    same = tk.TreeRanker(kernel).fit(table, Y, groups=QUERIES)
    assert ranker.n_pairs_ == same.n_pairs_ < tk.TreeRanker(kernel).fit(table, Y, [0] * 40).n_pairs_
    assert np.array_equal(ranker.predict(table), same.predict(table))
    assert ranker.score(table, Y) == ranker.score(table, Y, groups=QUERIES)


def test_weights_of_examples() -> None:
    weights = np.where(QUERIES < 4, 1.0, 0.0)
    ranker = tk.TreeRanker("sst", tol=1e-8).fit(TREES, Y, groups=QUERIES, sample_weight=weights)
    kept = tk.TreeRanker("sst", tol=1e-8).fit(TREES[:20], Y[:20], groups=QUERIES[:20])
    np.testing.assert_allclose(ranker.predict(OTHERS), kept.predict(OTHERS), atol=1e-5)
    double = tk.TreeRanker("sst", tol=1e-8).fit(TREES, Y, QUERIES, sample_weight=np.full(40, 2.0))
    four = tk.TreeRanker("sst", C=4, tol=1e-8).fit(TREES, Y, QUERIES)
    np.testing.assert_allclose(double.predict(OTHERS), four.predict(OTHERS), atol=1e-4)


def test_saved_copied_and_merged(tmp_path: Path) -> None:
    ranker = tk.TreeRanker(tk.SubsetTreeKernel(weights="idf")).fit(TREES, Y, groups=QUERIES)
    expected = ranker.predict(OTHERS)
    tk.save(ranker, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    np.testing.assert_allclose(loaded.predict(OTHERS), expected, rtol=1e-12)
    assert (loaded.n_iter_, loaded.gap_) == (ranker.n_iter_, ranker.gap_)
    assert np.array_equal(pickle.loads(pickle.dumps(ranker)).predict(OTHERS), expected)
    loaded.merge(ranker)
    np.testing.assert_allclose(loaded.predict(OTHERS), 2 * expected, rtol=1e-12)
    kind, content = read_container(tmp_path / "model.tkm")
    for name, value in (("solver", "other"), ("support", np.arange(3)), ("pairs", None)):
        write_container(
            tmp_path / "bad.tkm", kind, {**content, "state": {**content["state"], name: value}}
        )
        with pytest.raises(ModelFileError):
            tk.load(tmp_path / "bad.tkm")


def test_threads_and_errors(tmp_path: Path) -> None:
    one, two = (
        tk.TreeRanker("ptk", solver="forest", n_jobs=jobs).fit(TREES, Y, QUERIES).predict(OTHERS)
        for jobs in (1, 2)
    )
    assert np.array_equal(one, two)
    assert tk.TreeRanker("sst", cache_size=SCARCE).fit(TREES, Y, QUERIES).solver_ == "forest"
    with pytest.raises(NotFittedError):
        tk.TreeRanker("sst").predict(TREES)
    with pytest.raises(ParameterError, match="C must be a number above 0"):
        tk.TreeRanker("sst", C=0).fit(TREES, Y)
    with pytest.raises(DataError, match="nothing to prefer"):
        tk.TreeRanker("sst").fit(TREES, [1] * 40)
    with pytest.raises(DataError, match="nothing to prefer"):
        tk.TreeRanker("sst").fit(TREES, Y, groups=range(40))
    with pytest.raises(DataError, match="groups of shape"):
        tk.TreeRanker("sst").fit(TREES, Y, groups=[1, 2])
    with pytest.raises(DataError, match="must be a list of numbers"):
        tk.TreeRanker("sst").fit(TREES, ["good"] * 40)
    with pytest.raises(DataError, match="do not add up"):
        tk.TreeRanker("sst").fit(TREES, Y).merge(tk.TreeSVR("sst").fit(TREES, Y))  # type: ignore[arg-type]
    with pytest.warns(ConvergenceWarning, match="stopped after max_iter=1 steps"):
        tk.TreeRanker("sst", max_iter=1, tol=1e-9).fit(TREES, Y, QUERIES)


@pytest.mark.parametrize("kernel", [tk.SubsetTreeKernel(), tk.PartialTreeKernel()], ids=str)
def test_preference_kernel(kernel: Any) -> None:
    pairs = {"tree1": TREES[:8], "tree2": TREES[8:16]}
    others = {"tree1": TREES[16:19], "tree2": TREES[19:22]}
    result = tk.PreferenceKernel(kernel)(others, pairs)
    for i, j in np.ndindex(3, 8):
        a, b = others["tree1"][i], others["tree2"][i]
        c, d = pairs["tree1"][j], pairs["tree2"][j]
        k = kernel([a, b], [c, d])
        assert result[i, j] == pytest.approx(k[0, 0] - k[0, 1] - k[1, 0] + k[1, 1], abs=1e-12)
    own = tk.PreferenceKernel(kernel)(pairs)
    np.testing.assert_allclose(own, own.T, atol=1e-14)
    assert np.linalg.eigvalsh(own).min() > -1e-12
    np.testing.assert_allclose(tk.PreferenceKernel(kernel).diag(pairs), np.diag(own), atol=1e-12)


def test_preference_kernel_on_vectors_and_errors() -> None:
    X = {"a": _rng.normal(size=(6, 3)), "b": _rng.normal(size=(6, 3))}
    kernel = tk.PreferenceKernel(tk.LinearKernel(), on=["a", "b"])
    difference = X["a"] - X["b"]
    np.testing.assert_allclose(kernel(X), difference @ difference.T, atol=1e-12)
    with pytest.raises(ParameterError, match="on must be two columns"):
        tk.PreferenceKernel(tk.LinearKernel(), on="a")(X)
    with pytest.raises(ParameterError, match="without on="):
        tk.PreferenceKernel(tk.LinearKernel(on="a"), on=["a", "b"])(X)
    with pytest.raises(DataError, match="no column 'c'"):
        tk.PreferenceKernel(tk.LinearKernel(), on=["a", "c"])(X)
