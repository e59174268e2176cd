"""Kernels and learners at the ends of what their parameters may be: a number, or a sentence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest

TREES = tk.Forest.from_trees(random_forest(12, 3, size=30, labels=("S", "A", "B", "x")))
LARGE = tk.Forest(["(S " + "(A (B x) (B x)) " * 400 + ")", "(A " * 500 + "x" + ")" * 500])
DECAYS = [1e-300, 1e-200, 1e-100, 1e-10, 1e-3, 0.4, 0.9, 1.0]
KERNELS = {
    "subset": tk.SubsetTreeKernel,
    "subset with leaves": lambda decay, **options: tk.SubsetTreeKernel(
        decay, leaf_weight=0.5, **options
    ),
    "subtree": tk.SubtreeKernel,
    "partial": tk.PartialTreeKernel,
    "elastic": tk.ElasticTreeKernel,
    "subpath": tk.SubpathKernel,
}
pytestmark = pytest.mark.filterwarnings("ignore::treekernels.SmallValuesWarning")


def check_values(kernel: Any, trees: Any, dtype: Any) -> None:
    try:
        values = kernel(trees, dtype=dtype)
        norms = kernel.diag(trees)
    except tk.KernelOverflowError:
        return
    assert np.isfinite(values).all()
    assert (norms >= 0).all()
    if getattr(kernel, "normalize", False):
        assert np.abs(values).max() <= 1 + (1e-9 if dtype is np.float64 else 1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("name", KERNELS)
def test_any_decay(name: str, normalize: bool, dtype: Any) -> None:
    for decay in DECAYS:
        kernel = KERNELS[name](decay, normalize=normalize)
        if decay < 1e-100:  # a square of it would be nothing
            with pytest.raises(tk.ParameterError, match="at least 1e-100"):
                kernel(TREES)
            continue
        check_values(kernel, TREES, dtype)
        check_values(kernel, LARGE, dtype)


LEARNERS = {
    "perceptron": lambda C: tk.TreePerceptron("sst", random_state=0),
    "passive-aggressive": lambda C: tk.TreePassiveAggressive("sst", C=C, random_state=0),
    "machine": lambda C: tk.TreeSVC("sst", C=C, random_state=0, max_iter=200),
    "machine on a matrix": lambda C: tk.TreeSVC("sst", C=C, solver="gram", max_iter=200),
    "machine with leaves": lambda C: tk.TreeSVC(
        tk.SubsetTreeKernel(1e-100, leaf_weight=0.5, normalize=False), C=C, max_iter=200
    ),
}
EXAMPLES: dict[str, tuple[Any, list[str]]] = {
    "two examples": (["(A b)", "(A c)"], ["s", "t"]),
    "two equal examples": (["(A b)", "(A b)"], ["s", "t"]),
    "contradictions": (["(A b)", "(A b)", "(A c)", "(A c)"] * 5, ["s", "t"] * 10),
    "single nodes": (["(A)", "(B)", "(A)"], ["s", "t", "s"]),
    "one class": (["(A b)", "(A c)"], ["s", "s"]),
    "ordinary": (TREES, ["s", "t"] * 6),
}


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_or_a_sentence(name: str, examples: str) -> None:
    X, y = EXAMPLES[examples]
    for C in (1e-9, 1e-3, 1.0, 1e9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                scores = LEARNERS[name](C).fit(X, y).decision_function(X)
            except tk.TreeKernelsError:
                continue
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("epsilon", [0.0, 1e-3])
@pytest.mark.parametrize("solver", ["forest", "gram"])
def test_regression_ends(solver: Any, epsilon: float) -> None:
    targets = np.random.default_rng(0).normal(size=len(TREES)) * 1e6
    for C in (1e-9, 1.0, 1e9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine = tk.TreeSVR("sst", C=C, epsilon=epsilon, solver=solver, max_iter=50)
            assert np.isfinite(machine.fit(TREES, targets).predict(TREES)).all()
