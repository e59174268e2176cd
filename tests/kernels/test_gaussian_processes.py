"""Gaussian processes of scikit-learn that tune the parameters of tree kernels."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import WhiteKernel

import treekernels as tk


def phrases(count: int) -> tk.Forest:
    """Trees of a small grammar."""
    rng = random.Random(0)

    def grown(label: str, depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return f"({label} {rng.choice('abc')})"
        below = " ".join(grown(rng.choice("XYZ"), depth - 1) for _ in range(rng.choice([2, 3])))
        return f"({label} {below})"

    return tk.Forest([grown("S", 3) for _ in range(count)])


TREES = phrases(90)


def drawn(kernel: tk.Kernel, noise: float = 0.01) -> Any:
    """Values that a process with this kernel would give to the trees."""
    matrix = kernel(TREES) + noise * np.eye(len(TREES))
    return np.linalg.cholesky(matrix) @ np.random.default_rng(1).normal(size=len(TREES))


def test_decay_and_weight_are_found() -> None:
    """Of values that were drawn from a process, the parameters of that one come out."""
    y = drawn(4.0 * tk.SubsetTreeKernel(0.15))
    start: Any = 1.0 * tk.SubsetTreeKernel(0.8)
    process = GaussianProcessRegressor(start, alpha=0.01).fit(TREES, y)
    assert start.k2.decay == 0.8  # the kernel that was given stays as it is
    found = process.kernel_
    assert 0.05 < found.k2.decay < 0.5
    assert 1.0 < found.k1.value < 8.0
    best = process.log_marginal_likelihood_value_
    for weight in (0.5, 1, 2, 4, 8):
        for decay in (0.05, 0.15, 0.3, 0.6, 1.0):
            there = weight * tk.SubsetTreeKernel(decay)
            assert process.log_marginal_likelihood(there.theta) <= best + 1e-6


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubtreeKernel(0.5),
        tk.SubsetTreeKernel(0.3, cut_weight=0.6, cut_weight_bounds=(0.1, 1.0)),
        tk.SubsetTreeKernel({"X": 0.2, None: 0.5}),
        tk.PartialTreeKernel(0.3, 0.2),
        0.5 * tk.SubsetTreeKernel(0.3) + 2 * tk.PartialTreeKernel(0.5, 0.2),
        tk.SubsetTreeKernel(0.3) + WhiteKernel(0.1),
    ],
    ids=repr,
)
def test_slope_of_the_likelihood(kernel: Any) -> None:
    y = drawn(tk.SubsetTreeKernel(0.15))
    process = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(TREES, y)
    theta = kernel.theta
    _, slope = process.log_marginal_likelihood(theta, eval_gradient=True)
    for place in range(len(theta)):
        step = np.zeros(len(theta))
        step[place] = 1e-5
        high, low = (process.log_marginal_likelihood(theta + sign * step) for sign in (1, -1))
        assert_allclose(slope[place], (high - low) / 2e-5, rtol=1e-4, atol=1e-5)


def test_fixed_parameters_stay() -> None:
    y = drawn(tk.SubsetTreeKernel(0.15))
    fixed = tk.SubsetTreeKernel(0.8, decay_bounds="fixed")
    assert fixed.n_dims == 0
    assert fixed.bounds.shape == (0, 2)
    assert GaussianProcessRegressor(fixed, alpha=0.1).fit(TREES, y).kernel_ == fixed
    part = tk.PartialTreeKernel(0.3, 0.5, decay_bounds="fixed")
    process = GaussianProcessRegressor(part, alpha=0.1).fit(TREES, y)
    assert process.kernel_.decay == 0.3
    assert process.kernel_.vertical_decay != 0.5
    assert (0 * tk.SubsetTreeKernel(0.3) + 1).n_dims == 2  # what is 0 has no logarithm


def test_warning_at_a_bound() -> None:
    y = drawn(tk.SubsetTreeKernel(0.15))
    narrow = tk.SubsetTreeKernel(0.8, decay_bounds=(0.7, 0.9))
    with pytest.warns(UserWarning, match="decay has ended at 0.7, one of its bounds"):
        GaussianProcessRegressor(narrow, alpha=0.1).fit(TREES, y)


def test_decays_of_labels_are_tuned_apart() -> None:
    true = tk.SubsetTreeKernel({"X": 0.02, None: 0.9}, normalize=False)
    start = tk.SubsetTreeKernel({"X": 0.3, None: 0.3}, normalize=False)
    process = GaussianProcessRegressor(start, alpha=0.01).fit(TREES, drawn(true))
    found = process.kernel_.decay
    assert list(found) == ["X", None]
    assert found["X"] < 0.3 < found[None]


@pytest.mark.filterwarnings("ignore:.*one of its bounds:UserWarning")
@pytest.mark.parametrize("classes", [2, 3])
def test_classes(classes: int) -> None:
    y = np.digitize(drawn(tk.SubsetTreeKernel(0.15)), [-0.4, 0.4][: classes - 1])
    kernel = 4.0 * tk.PartialTreeKernel(0.4, 0.4, decay_bounds="fixed")
    process = GaussianProcessClassifier(kernel, max_iter_predict=20).fit(TREES[:40], y[:40])
    assert process.predict_proba(TREES[60:]).shape == (30, classes)
    assert not np.array_equal(process.kernel_.theta[:2], kernel.theta)


def test_kernels_keep_their_form() -> None:
    kernel: Any = 0.5 * tk.SubsetTreeKernel({"X": 0.2, None: 0.5}) + tk.PartialTreeKernel() ** 2
    names = [one.name for one in kernel.hyperparameters]
    assert names == [
        "k1__k1__value",
        "k1__k2__decay",
        "k1__k2__cut_weight",
        "k2__kernel__decay",
        "k2__kernel__vertical_decay",
    ]
    assert set(names) <= set(kernel.get_params())
    assert kernel.n_dims == len(kernel.bounds) == 5
    assert_array_equal(np.exp(kernel.theta).round(12), [0.5, 0.2, 0.5, 0.4, 0.4])
    assert kernel.clone_with_theta(kernel.theta) == kernel == clone(kernel)
    other = kernel.clone_with_theta(kernel.theta - 0.5)
    assert_allclose(other.theta, kernel.theta - 0.5)
    assert other.k1.k2.decay.keys() == kernel.k1.k2.decay.keys()


def test_parameters_that_do_not_move_keep_their_bits() -> None:
    decays = np.random.default_rng(0).uniform(0.01, 1, 200)
    assert (np.exp(np.log(decays)) != decays).any()  # rounding changes some
    for decay in decays.tolist():
        kernel = tk.SubsetTreeKernel(decay)
        assert kernel.clone_with_theta(kernel.theta).theta == kernel.theta
        assert kernel.clone_with_theta(kernel.theta) == kernel
