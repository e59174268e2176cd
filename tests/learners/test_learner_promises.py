"""All learners keep what the conformance suite and `learner_checks` say they promise."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from unittest import SkipTest

import pytest

import treekernels as tk
from example_kernels import NODES, VECTORS
from learner_checks import CHECKS

LEARNERS: dict[str, Any] = {
    "perceptron-vote": tk.TreePerceptron("sst", average="vote"),
    "perceptron-mean": tk.TreePerceptron("sst", average="mean", epochs=3),
    "perceptron-last": tk.TreePerceptron(tk.SubtreeKernel(), average=None, epochs=3),
    "perceptron-sum": tk.TreePerceptron(tk.SubsetTreeKernel() + 0.5 * tk.SubtreeKernel() + 1),
    "perceptron-partial": tk.TreePerceptron(tk.PartialTreeKernel(), average="mean"),
    "perceptron-smoothed": tk.TreePerceptron(
        tk.PartialTreeKernel(similarity=VECTORS), average="mean"
    ),
    "svc-smoothed": tk.TreeSVC(tk.PartialTreeKernel(similarity=VECTORS)),
    "perceptron-features": tk.TreePerceptron(tk.PQGramKernel(counts="log"), average="mean"),
    "perceptron-mapping": tk.TreePerceptron(NODES, average="mean", epochs=3),
    "perceptron-mapping-vote": tk.TreePerceptron(0.5 * NODES + tk.SubtreeKernel(), average="vote"),
    "perceptron-standard": tk.TreePerceptron("sst", solver="standard"),
    "perceptron-weights": tk.TreePerceptron(
        tk.SubsetTreeKernel(weights={"A": 0.5, None: 0.9}, counts="log"), average="mean"
    ),
    "passive-aggressive": tk.TreePassiveAggressive("sst"),
    "passive-aggressive-squared": tk.TreePassiveAggressive(
        tk.ElasticTreeKernel(), loss="squared_hinge"
    ),
    "svc": tk.TreeSVC("sst"),
    "svc-responding": tk.TreeSVC("sst", cache_size=0.001),
    "svc-gram": tk.TreeSVC(tk.SubsetTreeKernel() * tk.SubtreeKernel()),
    "svc-mapping": tk.TreeSVC(NODES, solver="forest"),
    "svc-mapping-features": tk.TreeSVC(NODES, solver="forest", cache_size=0.001),
    "svc-subpath": tk.TreeSVC(tk.SubpathKernel() + tk.SubtreeKernel(), cache_size=0.001),
    "svc-balanced": tk.TreeSVC("sst", class_weight="balanced", C=10),
    "svr": tk.TreeSVR("sst", C=10),
    "svr-gram": tk.TreeSVR(tk.PartialTreeKernel(), C=10),
}

# One for each way that learners take through the code.
DAILY_LEARNERS = {
    "perceptron-vote",
    "perceptron-sum",
    "perceptron-smoothed",
    "perceptron-standard",
    "passive-aggressive-squared",
    "svc",
    "svc-responding",
    "svc-gram",
    "svc-mapping-features",
    "svr",
    "svr-gram",
}


@pytest.mark.parametrize(
    "name",
    [
        name if name in DAILY_LEARNERS else pytest.param(name, marks=pytest.mark.slow)
        for name in LEARNERS
    ],
)
def test_learner(name: str) -> None:
    for check in CHECKS.values():
        with suppress(SkipTest):
            check(LEARNERS[name])


class Changing(tk.TreePerceptron):
    """Changes when it is asked."""

    def predict(self, X: Any) -> Any:
        predicted = super().predict(X)
        return self.partial_fit(X, predicted[::-1]) and predicted


def test_a_learner_that_changes_when_asked_is_found_out() -> None:
    check = CHECKS["prediction_changes_nothing"]
    check(tk.TreePerceptron("sst"))
    with pytest.raises(AssertionError):
        check(Changing())
