"""Weights that are learned when a learner is fitted, and stay with the model."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treekernels as tk
from helpers import random_forest

TREES = tk.Forest.from_trees(random_forest(80, seed=3, size=15))
LABELS = np.array([str(tree).count("A") % 3 for tree in TREES])
KERNEL = tk.SubsetTreeKernel(0.4, weights="idf", counts="log")
LEARNERS: dict[str, Any] = {
    "svc": tk.TreeSVC(KERNEL, random_state=0),
    "svc-gram": tk.TreeSVC(KERNEL, solver="gram", random_state=0),
    "svc-auto": tk.TreeSVC(
        tk.SubsetTreeKernel(weights="idf", normalize=False), C="auto", random_state=0
    ),
    "svr": tk.TreeSVR(KERNEL, random_state=0),
    "perceptron": tk.TreePerceptron(KERNEL, random_state=0, average="mean"),
    "vote": tk.TreePerceptron(0.5 * KERNEL + tk.SubtreeKernel(), random_state=0),
    "standard": tk.TreePerceptron(KERNEL, random_state=0, solver="standard"),
    "partial": tk.TreePassiveAggressive(tk.PartialTreeKernel(weights="idf"), random_state=0),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def scores(learner: Any, X: Any) -> Any:
    return learner.predict(X) if isinstance(learner, tk.TreeSVR) else learner.decision_function(X)


@every_learner
def test_learns_as_with_weights_of_the_training_trees(name: str) -> None:
    learner = clone(LEARNERS[name]).fit(TREES[:60], LABELS[:60])
    by_hand = clone(LEARNERS[name])
    by_hand.set_params(kernel=by_hand.kernel.fitted_on(TREES[:60])).fit(TREES[:60], LABELS[:60])
    assert np.array_equal(scores(learner, TREES), scores(by_hand, TREES))
    assert learner.kernel == LEARNERS[name].kernel  # a parameter stays as it is
    assert learner.kernel_ == by_hand.kernel
    assert learner.kernel_ != learner.kernel


@every_learner
def test_the_weights_are_saved_with_the_model(name: str, tmp_path: Path) -> None:
    learner = clone(LEARNERS[name]).fit(TREES, LABELS)
    tk.save(learner, tmp_path / "model.tkm")
    for again in (tk.load(tmp_path / "model.tkm"), pickle.loads(pickle.dumps(learner))):
        assert np.array_equal(scores(again, TREES), scores(learner, TREES))
        assert again.kernel_ == learner.kernel_


def test_batches_need_weights_beforehand() -> None:
    learner = clone(LEARNERS["perceptron"])
    with pytest.raises(tk.ParameterError, match="fitted_on"):
        learner.partial_fit(TREES, LABELS)
    learner.fit(TREES[:40], LABELS[:40])
    before = learner.kernel_
    learner.partial_fit(TREES[40:], LABELS[40:])
    assert learner.kernel_ == before


def test_models_of_other_weights_do_not_add_up() -> None:
    result = clone(LEARNERS["perceptron"]).fit(TREES[:40], LABELS[:40])
    two = clone(LEARNERS["perceptron"]).fit(TREES[40:], LABELS[40:])
    with pytest.raises(tk.DataError, match="equal kernels"):
        result.merge(two)


def test_what_weighs_more_than_its_kind_is_not_searched_for() -> None:
    kernel = tk.SubsetTreeKernel(1.0, weights={"A": 3.0})
    learner = tk.TreeSVC(kernel, random_state=0).fit(TREES, LABELS)
    with pytest.raises(tk.DataError, match="smaller weights"):
        tk.explain(learner)
    partial = tk.TreeSVC(tk.PartialTreeKernel(weights={"A": 0.5}), random_state=0)
    with pytest.raises(tk.DataError, match="weigh alike"):
        tk.explain(partial.fit(TREES, LABELS))
