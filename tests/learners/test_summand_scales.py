"""Sums of kernels of which one is far larger than the others."""

from __future__ import annotations

import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.svm import SVC

import treekernels as tk
from helpers import random_forest
from learner_data import CACHES
from treekernels.learners.base.summand_scales import relative_scales
from treekernels.learners.svm.descent import DualDescent

Matrix = NDArray[np.float64]
TREE, LENGTH = tk.SubsetTreeKernel(on="tree"), tk.LinearKernel(on="length")
BOTH = TREE + LENGTH
badly_scaled = pytest.mark.filterwarnings("ignore:.*times as large as")


def table(count: int, seed: int = 0) -> tuple[dict[str, Any], Matrix]:
    """Trees with lengths from 5 to 400, and a mark of the trees that has little to do with them."""
    random = np.random.RandomState(seed)
    trees = tk.Forest(random_forest(count, seed, size=12))
    sizes = np.array([len(str(tree)) for tree in trees]) + random.normal(0, 5, count)
    return {"tree": trees, "length": random.uniform(5, 400, (count, 1))}, sizes


def relative_gap(machine: Any, X: Any, y: Any, C: float) -> float:
    """Return by how much what was found may be from the best, computed on the Gram matrices.

    The primal objective is that of the decisions, which are those of the trees and of the lengths;
    the dual one is that of the coefficients.
    """
    target = np.where(y == machine.classes_[1], 1.0, -1.0)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[:, 0]
    trees, lengths = TREE(X), LENGTH(X)
    scores = machine.decision_function(X)
    of_lengths, *_ = np.linalg.lstsq(
        X["length"], scores - trees @ beta - machine.intercept_[0], rcond=None
    )
    square = beta @ trees @ beta + of_lengths @ of_lengths
    primal = square / 2 + C * np.maximum(0, 1 - target * scores).sum()
    dual = target @ beta - beta @ (trees + lengths) @ beta / 2
    assert abs(beta.sum()) <= 1e-2 * np.abs(beta).sum()
    assert (beta * target >= 0).all()
    assert (beta * target <= C).all()
    return float((primal - dual) / primal)


@pytest.mark.parametrize("solver", ["auto", "forest"])
def test_800_unscaled_lengths_take_seconds_at_most(solver: Any) -> None:
    """They took more than two minutes: scikit-learn's solver does."""
    X, sizes = table(800)
    y = sizes > np.median(sizes)
    started = time.process_time()
    with pytest.warns(UserWarning, match="times as large as") as caught:
        machine = tk.TreeSVC(BOTH, solver=solver, random_state=0, C=1).fit(X, y)
    assert time.process_time() - started < 5
    assert len(caught) == 1
    said = str(caught[0].message)
    assert re.search(r"^LinearKernel\(on='length'\) is 6\d,\d{3} times as large as Subset", said)
    assert "StandardScaler" in said
    assert "1e-05 * LinearKernel(...)" in said
    assert caught[0].filename == __file__
    assert machine.solver_ == "forest"
    assert relative_gap(machine, X, y, 1.0) < 2e-3


@badly_scaled
@pytest.mark.parametrize("path", CACHES)
def test_decisions_are_those_of_scikit_learn(path: str) -> None:
    """Where it can be waited for: the classes have to do with the lengths.

    It keeps kernel values in single precision, which at 160,000 is some hundredths.
    """
    X, _ = table(200)
    new, _ = table(50, seed=1)
    y = X["length"][:, 0] + np.random.RandomState(1).normal(0, 50, 200) > 200
    theirs = SVC(kernel="precomputed", tol=1e-6).fit(BOTH(X), y)
    ours = tk.TreeSVC(BOTH, tol=1e-7, cache_size=CACHES[path], random_state=0, C=1).fit(X, y)
    assert relative_gap(ours, X, y, 1.0) < 1e-6
    for gram, part in ((BOTH(X), X), (BOTH(new, X), new)):
        expected = theirs.decision_function(gram)
        np.testing.assert_allclose(ours.decision_function(part), expected, atol=0.05)


@badly_scaled
@settings(max_examples=25)
@given(
    st.integers(0, 1000),
    st.floats(0.3, 4),
    st.integers(1, 3),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from([150.0, 0.0005]),
)
def test_gap_is_small_whatever_the_scale(
    seed: int, exponent: float, width: int, C: float, cache_size: float
) -> None:
    X, sizes = table(30, seed)
    random = np.random.RandomState(seed)
    X["length"] = 10**exponent * random.normal(1, 1, (30, width))
    y = sizes + 10 * random.normal(size=30) > np.median(sizes)
    machine = tk.TreeSVC(BOTH, C=C, cache_size=cache_size, solver="forest", random_state=0)
    machine.fit(X, y)
    assert relative_gap(machine, X, y, C) < 2e-3


@badly_scaled
@pytest.mark.parametrize("path", CACHES)
def test_saved_merged_and_resumed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, sizes = table(150)
    y = sizes > np.median(sizes)
    options = {"C": 1.0, "tol": 1e-6, "cache_size": CACHES[path], "random_state": 0}
    whole = tk.TreeSVC(BOTH, checkpoint=tmp_path / "whole", **options).fit(X, y)
    assert whole.n_iter_ > 20
    machine = tk.TreeSVC(BOTH, checkpoint=tmp_path / "stopped", **options)
    save = DualDescent._save

    def stop(self: DualDescent, checkpoint: Any) -> None:
        save(self, checkpoint)
        if self.svm.epochs == 20:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DualDescent, "_save", stop)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(X, y)
    machine.fit(X, y)
    expected = whole.decision_function(X)
    assert np.array_equal(machine.decision_function(X), expected)
    tk.save(whole, tmp_path / "model")
    loaded: Any = tk.load(tmp_path / "model")
    np.testing.assert_allclose(loaded.decision_function(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(loaded.merge(whole).decision_function(X), 2 * expected, rtol=1e-9)


def test_scales() -> None:
    X, _ = table(40)
    examples = BOTH.examples(X)
    squares = float(LENGTH.diag(X).mean() / TREE.diag(X).mean())
    for kernel, expected in [
        (TREE, [1]),
        (BOTH, [1, squares]),
        (100 * TREE + 0.5 * LENGTH, [1, squares / 200]),
        (0.5 * TREE + 7.0, [1, 14 / TREE.diag(X).mean()]),
        (0 * LENGTH + TREE, [0, 1]),
    ]:
        result = relative_scales(kernel, examples)
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    many, _ = table(3000)
    some = relative_scales(BOTH, BOTH.examples(many))[1]
    every = LENGTH.diag(many).mean() / TREE.diag(many).mean()
    assert some == pytest.approx(every, rel=0.1)


@pytest.mark.parametrize(
    "learner",
    [tk.TreePerceptron(BOTH), tk.TreePassiveAggressive(BOTH), tk.TreeSVC(BOTH, solver="gram", C=1)],
    ids=lambda learner: type(learner).__name__,
)
def test_all_learners_warn_once(learner: Any) -> None:
    X, _ = table(60)
    y = X["length"][:, 0] > 200
    with pytest.warns(UserWarning, match="times as large as") as caught:
        learner.fit(X, y)
    assert len(caught) == 1
    if not isinstance(learner, tk.TreeSVC):
        with pytest.warns(UserWarning, match="times as large as") as caught:
            learner = type(learner)(BOTH).partial_fit(X, y)
        assert [warning.filename for warning in caught] == [__file__]
        learner.partial_fit(X, y)  # it has been said


def test_no_warning_without_reason() -> None:
    X, sizes = table(60)
    y = sizes > np.median(sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in (TREE + 1e-4 * LENGTH, TREE + 1e9, 0 * TREE + LENGTH, LENGTH):
            tk.TreePassiveAggressive(kernel).fit(X, y)
    large = tk.SubsetTreeKernel(1.0, normalize=False, on="tree")
    with pytest.warns(UserWarning, match=r"SubsetTreeKernel\(.*use normalize=True"):
        tk.TreePassiveAggressive(large + 1e-8 * LENGTH).fit(X, y)
