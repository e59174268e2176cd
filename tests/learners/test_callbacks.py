"""Learners call the callbacks of scikit-learn, where it has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treekernels as tk

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

TREES = [f"(S (A {a}) (B {b}))" for a in "abc" for b in "defg"]
LABELS = np.array([0, 1] * 6)


class Watching:
    """A callback that notes what happens, and may end the fit after some epochs."""

    def __init__(self, epochs: int | None = None) -> None:
        self.epochs = epochs
        self.events: list[str] = []
        self.scores: list[Any] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.events.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any, fitted_estimator: Any
    ) -> bool:
        self.events.append(f"end {context.task_name}")
        self.scores.append(fitted_estimator.predict(X))
        return context.task_name == "epoch" and self.events.count("end epoch") == self.epochs


@pytest.mark.parametrize(
    "machine",
    [
        tk.TreeSVC("sst", random_state=0),
        tk.TreeSVC("sst", random_state=0, probability=True),
        tk.TreeSVR("sst", random_state=0),
    ],
    ids=["SVC", "SVC with probabilities", "SVR"],
)
def test_machines_say_when_they_begin_and_end(machine: Any) -> None:
    watching = Watching()
    machine = clone(machine).set_callbacks(watching).fit(TREES, LABELS)
    assert watching.events == ["setup", "begin fit", "end fit", "teardown"]
    assert np.array_equal(watching.scores[0], machine.predict(TREES))
    assert not [name for name in vars(machine) if "callback_fit" in name]


def test_online_learners_tell_of_each_epoch() -> None:
    watching = Watching()
    learner = tk.TreePerceptron("sst", epochs=3, random_state=0).set_callbacks(watching)
    learner.fit(TREES, LABELS)
    epoch = ["begin epoch", "end epoch"]
    assert watching.events == ["setup", "begin fit", *epoch * 3, "end fit", "teardown"]
    assert learner.t_ == 36
    alone = tk.TreePerceptron("sst", epochs=3, random_state=0).fit(TREES, LABELS)
    expected = alone.decision_function(TREES)
    np.testing.assert_allclose(learner.decision_function(TREES), expected, atol=1e-12)


def test_what_was_learned_by_the_end_of_an_epoch() -> None:
    watching = Watching(epochs=2)
    learner = tk.TreePassiveAggressive("sst", epochs=5, shuffle=False, random_state=0)
    learner.set_callbacks(watching).fit(TREES, LABELS)
    assert learner.t_ == 24  # the callback has ended it
    for epochs, score in enumerate(watching.scores[:2], start=1):
        shorter = tk.TreePassiveAggressive("sst", epochs=epochs, shuffle=False, random_state=0)
        assert np.array_equal(score, shorter.fit(TREES, LABELS).predict(TREES))


def test_callbacks_end_their_work_after_an_error() -> None:
    watching = Watching()
    learner = tk.TreePerceptron("sst").set_callbacks(watching)
    watching.on_fit_task_begin = None  # type: ignore[method-assign]
    with pytest.raises(TypeError):
        learner.fit(TREES, LABELS)
    assert watching.events == ["setup", "teardown"]
