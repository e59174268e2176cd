"""Numbers that are not finite, models whose kernel is changed, machines that would not end."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

import treekernels as tk
from helpers import sentences

TREES, KINDS = sentences(40)
HUGE = np.array([[1e200, 1.0], [1.0, 2.0], [2.0, 3.0], [4.0, 5.0]])
LABELS = [0, 0, 1, 1]


# Nothing is infinite or not a number without a word.


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.array, csr_matrix])
@pytest.mark.parametrize(
    "kernel", [tk.LinearKernel(), tk.PolynomialKernel(), tk.RBFKernel(gamma=1.0)]
)
def test_infinite_vectors_are_refused(kernel: tk.Kernel, form: Any, bad: float) -> None:
    rows = HUGE.copy()
    rows[2, 1] = bad
    X = form(rows)
    for call in (
        lambda: kernel(X),
        lambda: kernel.diag(X),
        lambda: tk.TreePerceptron(kernel).fit(X, LABELS),
        lambda: tk.TreeSVC(kernel).fit(X, LABELS),
    ):
        with pytest.raises(tk.DataError, match="vector 3 contains infinity"):
            call()


@pytest.mark.parametrize("kernel", [tk.LinearKernel(), tk.PolynomialKernel(1000)])
def test_kernel_values_that_are_too_large(kernel: tk.Kernel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (kernel, kernel.diag):
            with pytest.raises(tk.KernelOverflowError, match="scale the vectors"):
                call(HUGE)


@pytest.mark.parametrize("weight", [1e300, 1e308, -1e308])
def test_heavy_weights(weight: float) -> None:
    forest = tk.WeightedForest(tk.SubsetTreeKernel(1.0, normalize=False))
    tree = "(A (B b) (C c))"
    forest.add([tree], [weight])
    (value,) = tk.SubsetTreeKernel(1.0, normalize=False)([tree])[0]
    if abs(weight) < 1e308 / value:
        assert forest.score([tree]) == pytest.approx(weight * value)
    else:
        with pytest.raises(tk.KernelOverflowError, match="a score is too large"):
            forest.score([tree])


# A model keeps its own kernel.


@pytest.mark.parametrize(
    "learner",
    [
        tk.TreeSVC(tk.SubsetTreeKernel(0.4), random_state=0),
        tk.TreeSVC(tk.SubsetTreeKernel(0.4), solver="gram"),
        tk.TreeSVC(tk.SubsetTreeKernel(0.4) + 0.5 * tk.SubtreeKernel(), random_state=0),
        tk.TreeSVR(tk.SubsetTreeKernel(0.4), random_state=0),
        tk.TreePerceptron(tk.SubsetTreeKernel(0.4), average="vote", random_state=0),
        tk.TreePassiveAggressive(tk.PartialTreeKernel(0.4), random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_model_keeps_its_kernel(learner: Any, tmp_path: Path) -> None:
    y = [len(tree) for tree in TREES] if isinstance(learner, tk.TreeSVR) else KINDS
    learner.fit(TREES, y)
    before = learner.predict(TREES)
    scores = getattr(learner, "decision_function", learner.predict)
    expected = scores(TREES)
    (decay,) = [name for name in learner.get_params() if name.endswith("decay")][:1]
    learner.set_params(**{decay: 0.9})
    np.testing.assert_array_equal(scores(TREES), expected)
    tk.save(learner, tmp_path / "model")
    loaded = tk.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(TREES), before)
    again = getattr(loaded, "decision_function", loaded.predict)(TREES)
    np.testing.assert_allclose(again, expected, rtol=1e-12)
    assert loaded.get_params()[decay] == 0.4
    learner.fit(TREES, y)  # and now with the other one
    assert not np.allclose(scores(TREES), expected)


# Machines end.


def test_scikit_learns_machine_stops_after_max_iter() -> None:
    kernel = tk.SubsetTreeKernel(1e-100, leaf_weight=0.5, normalize=False)
    machine = tk.TreeSVR(kernel, C=1e9, epsilon=0, tol=1e-12, solver="gram", max_iter=2)
    targets = np.random.RandomState(0).normal(size=len(TREES)) * 1e6
    start = time.process_time()
    with pytest.warns(ConvergenceWarning, match="TreeSVR stopped after max_iter=2 epochs"):
        machine.fit(TREES, targets)
    assert time.process_time() - start < 20
    assert machine.n_iter_ <= 2 * 1000


# Where results are put.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_misaligned_results_are_refused(dtype: Any) -> None:
    raw = np.empty(16 * np.dtype(dtype).itemsize + 1, np.uint8)
    out = raw[1:].view(dtype).reshape(4, 4)
    assert not out.flags.aligned
    for compute in (tk.SubsetTreeKernel(), tk.DistributedTrees(4, dtype=dtype).transform):
        with pytest.raises(tk.ParameterError, match="begins in the middle of a number"):
            compute(TREES[:4], out=out)
