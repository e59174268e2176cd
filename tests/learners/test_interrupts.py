"""Ctrl-C: a learner is then as it was before, or complete with what it has learned by then."""

from __future__ import annotations

import _thread
import contextlib
import itertools
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import sentences
from learner_data import DATA, SCARCE
from treekernels.learners.online import learner as online_module
from treekernels.learners.svm import descent as descent_module


@contextlib.contextmanager
def pressed_while(holder: Any, name: str, seconds: float, call: int) -> Iterator[None]:
    """Press Ctrl-C some time after a method has been called so many times."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    timer = threading.Timer(seconds, _thread.interrupt_main)
    method = getattr(holder, name)

    calls = itertools.count(1)

    def called(*arguments: Any) -> Any:
        if next(calls) == call:
            timer.start()
        return method(*arguments)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(holder, name, called)
            yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "learner",
    [
        tk.TreePerceptron("sst", average="vote", epochs=300, random_state=0),
        tk.TreePerceptron(tk.PartialTreeKernel(), epochs=300, average=None, random_state=0),
        tk.TreeSVC(C=1000, tol=1e-15, max_iter=10**7, cache_size=SCARCE, random_state=0),
    ],
    ids=["perceptron", "support", "svc"],
)
def test_interrupt_leaves_a_usable_learner(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    y = y % 2
    y[::3] = 1 - y[::3]  # there is always something to learn
    if isinstance(learner, tk.TreeSVC):
        pressed = pressed_while(descent_module.DualDescent, "_resume", 0.5, 1)
    else:
        X, y = X[np.tile(np.arange(len(y)), 100)], np.tile(y, 100)
        pressed = pressed_while(online_module.Model, "native_summands", 0.1, 2)
    monkeypatch.setattr(online_module, "_BATCH", 1000)
    with pressed, pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert learner.predict(X[:20]).shape == (20,)
    if isinstance(learner, tk.TreeSVC):
        assert learner.n_iter_ > 0
        return
    assert 0 < learner.t_ < 300 * len(y)
    assert 0 < learner.n_updates_ <= learner.t_
    assert learner.loss_ > 0
    if learner.average == "vote":
        assert len(learner._votes.times) == learner.n_updates_
    seen = learner.t_
    learner.partial_fit(X[:20], y[:20])
    assert learner.t_ == seen + 20


# Ctrl-C at any line of the learners.

ROOM = str(Path(tk.learners.__file__).parent)
OLD = (["(A b)", "(A c)", "(B (C c))", "(B b)"], ["old", "new", "old", "new"])
LEARNERS: dict[str, Any] = {
    "svc": tk.TreeSVC("sst", random_state=0),
    "svc-gram": tk.TreeSVC(tk.PartialTreeKernel(), solver="gram", random_state=0),
    "svc-probability": tk.TreeSVC("sst", probability=True, random_state=0),
    "svr": tk.TreeSVR("sst", random_state=0),
    "ranker": tk.TreeRanker("sst", C=0.1, tol=0.05),
    "perceptron": tk.TreePerceptron("sst", average="vote", epochs=1, random_state=0),
    "support": tk.TreePerceptron(tk.PartialTreeKernel(), epochs=1, random_state=0),
}


NUMBERS = ("svr", "ranker")


class Pressed:
    """Presses Ctrl-C once, at a line of the learners' own code; counts the lines until there."""

    def __init__(self, line: int | None) -> None:
        self.line = line
        self.count = 0

    def __enter__(self) -> Pressed:
        self.before = sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if event == "line":
            self.count += 1
            if self.count == self.line:
                signal.raise_signal(signal.SIGINT)
        return self.trace


def learned(learner: Any) -> dict[str, Any]:
    """Return all that a learner has learned, as values that can be compared."""
    params = learner.get_params(deep=False)
    ignored = {*params, "_lock"}
    return {name: value for name, value in vars(learner).items() if name not in ignored}


def fitted(name: str) -> Any:
    """Return a learner that has learned something else before, by another solver if it can."""
    parameters = LEARNERS[name].get_params(deep=False)
    learner = type(LEARNERS[name])(**parameters)
    if name.startswith("svc"):
        other = {"kernel": tk.SubsetTreeKernel(), "solver": "forest", "probability": False}
        learner.set_params(**other).fit(*OLD)
        return learner.set_params(**parameters)
    return learner.fit(OLD[0], [1.0, 2.0, 3.0, 4.0] if name in NUMBERS else OLD[1])


def see_that_it_is_of_one_piece(learner: Any, name: str, X: list[str], y: Any) -> None:
    """See that all attributes are of the new examples."""
    if name == "ranker":
        examples = tk.Forest(X)
        gram = learner.kernel_(examples, examples[learner.support_]) @ learner.dual_coef_
        np.testing.assert_allclose(learner.predict(X), gram[:, 0], rtol=1e-6, atol=1e-6)
        assert learner.n_iter_ > 0
        return
    assert np.isfinite(learner.predict(X)).all() if name == "svr" else len(learner.predict(X))
    if name != "svr":
        assert learner.classes_.tolist() == sorted(set(y))
        assert set(learner.predict(X)) <= set(y)
    if name.startswith("sv"):
        gram = learner.kernel_(tk.Forest(X), learner.support_examples_) @ learner.dual_coef_
        scores = learner.predict(X) if name == "svr" else learner.decision_function(X)
        np.testing.assert_allclose(
            scores.reshape(len(X), -1), gram + learner.intercept_, rtol=1e-6, atol=1e-6
        )
        assert hasattr(learner, "gap_") == (learner.solver_ == "forest")
    else:
        assert 0 < learner.t_ <= len(X)


@pytest.mark.parametrize("name", LEARNERS)
def test_interrupted_anywhere_a_learner_is_of_one_piece(name: str) -> None:
    X, kinds = sentences(24)
    y: Any = [float(len(text)) for text in X] if name in NUMBERS else kinds
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    outcomes = set()
    try:
        with Pressed(None) as whole:
            uninterrupted = fitted(name).fit(X, y)
        if name not in ("perceptron", "support"):  # which have seen all epochs by then
            see_that_it_is_of_one_piece(uninterrupted, name, X, y)
        with Pressed(None) as earlier:
            fitted(name)
        lines = range(1, whole.count - earlier.count + 1)
        # All of the last lines, where the attributes are set, and some of those before.
        few = 5 if name == "svc-probability" else 20  # whose calibration takes its time
        for line in sorted({*lines[:: max(1, len(lines) // few)], *lines[-2 * few :]}):
            learner = fitted(name)
            known = learned(learner)
            try:
                with Pressed(line):
                    learner.fit(X, y)
            except KeyboardInterrupt:
                now = learned(learner)
                same = now.keys() == known.keys() and all(now[key] is known[key] for key in now)
                outcomes.add("as before" if same else "of one piece")
                if not same:
                    see_that_it_is_of_one_piece(learner, name, X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "as before" in outcomes


@pytest.mark.parametrize("average", [None, "vote"])
def test_interrupted_later_batch_is_known_as_far_as_it_was_learned(average: Any) -> None:
    """What the core did and what Python knows of it agree, at whatever line Ctrl-C comes."""
    X, kinds = sentences(24)
    classes = sorted(set(kinds))
    kinds[12:] = [classes[classes.index(kind) - 1] for kind in kinds[12:]]  # so that all is new

    def learner_of(count: int) -> Any:
        learner = tk.TreePerceptron("sst", average=average).partial_fit(X[:12], kinds[:12], classes)
        return learner.partial_fit(X[12:count], kinds[12:count]) if count > 12 else learner

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupted = set()
    try:
        learner = learner_of(12)
        updates = learner.n_updates_
        with Pressed(None) as whole:
            learner.partial_fit(X[12:], kinds[12:])
        assert learner.n_updates_ > updates
        for line in range(1, whole.count + 1):
            learner = learner_of(12)
            try:
                with Pressed(line):
                    learner.partial_fit(X[12:], kinds[12:])
            except KeyboardInterrupt:
                interrupted.add(learner.t_)
            uninterrupted = learner_of(learner.t_)
            assert learner.n_updates_ == uninterrupted.n_updates_
            assert learner.loss_ == pytest.approx(uninterrupted.loss_)
            np.testing.assert_allclose(
                learner.decision_function(X), uninterrupted.decision_function(X), rtol=1e-12
            )
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted >= {12, 24}
