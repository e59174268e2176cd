"""Kernels, forests and tables in the hands of scikit-learn."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel as Constant
from sklearn.gaussian_process.kernels import WhiteKernel
from sklearn.model_selection import (
    cross_val_score,
)
from sklearn.svm import SVC

import treekernels as tk


def sentence(rng: random.Random) -> tuple[str, int]:
    """A tree that is a question or not, which shows in its structure alone."""
    words = [rng.choice(["a", "b", "c", "d"]) for _ in range(3)]
    subject, verb, thing = f"(NP (N {words[0]}))", f"(V {words[1]})", f"(NP (N {words[2]}))"
    if rng.random() < 0.5:
        return f"(SQ (AUX did) {subject} {verb} {thing})", 1
    return f"(S {subject} (VP {verb} {thing}))", 0


_rng = random.Random(0)
TEXTS, ANSWERS = zip(*(sentence(_rng) for _ in range(60)), strict=True)
TEXTS, Y = list(TEXTS), np.array(ANSWERS)

# A Gaussian process makes an array of what has columns, and their names are lost.


# The decay of these trees matters so little that it may end anywhere.
at_a_bound = pytest.mark.filterwarnings("ignore:.*one of its bounds:UserWarning")


@at_a_bound
@pytest.mark.parametrize(
    "combine",
    [
        lambda kernel: kernel + WhiteKernel(0.5),
        lambda kernel: WhiteKernel(0.5) + kernel,
        lambda kernel: Constant(2.0) * kernel + WhiteKernel(0.5),
        lambda kernel: kernel * Constant(2.0) + WhiteKernel(0.5),
    ],
    ids=["kernel + white", "white + kernel", "constant * kernel", "kernel * constant"],
)
def test_gaussian_process_tunes_the_kernels_of_scikit_learn(combine: Any) -> None:
    """A tree kernel beside one that has hyperparameters: those are tuned, by gradient."""
    kernel = combine(tk.SubsetTreeKernel())
    noisy = Y + np.random.default_rng(0).normal(scale=0.1, size=len(Y))
    process = GaussianProcessRegressor(kernel=kernel).fit(TEXTS, noisy)
    assert ((process.predict(TEXTS) > 0.5) == Y).all()
    assert process.kernel_.theta.shape == kernel.theta.shape
    assert not np.array_equal(process.kernel_.theta, kernel.theta)


def test_large_packages_are_imported_late() -> None:
    """Also a kernel that was made before scikit-learn was imported is one of its kernels."""
    script = """
import sys
import treekernels as tk
kernel = tk.SubsetTreeKernel() + 0.5 * tk.SubtreeKernel()
assert "DistributedTrees" in dir(tk)
assert "sklearn" not in sys.modules
tk.DistributedTrees
assert "sklearn" in sys.modules
from treekernels import plots, report
assert "matplotlib" not in sys.modules
from sklearn.gaussian_process import GaussianProcessClassifier
texts, labels = ["(A b)", "(A c)", "(B b)", "(B c)"] * 3, [0, 0, 1, 1] * 3
print(GaussianProcessClassifier(kernel=kernel).fit(texts, labels).predict(["(A b)", "(B c)"]))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("[0 1]\n", "")


def test_cross_validation_in_worker_processes() -> None:
    machine = SVC(kernel=tk.SubsetTreeKernel())
    parallel = cross_val_score(machine, tk.Forest(TEXTS), Y, cv=4, n_jobs=2)
    assert np.array_equal(parallel, cross_val_score(machine, TEXTS, Y, cv=4))
