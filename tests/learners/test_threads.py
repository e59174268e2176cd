"""Models and learners that several threads use at once."""

from __future__ import annotations

import itertools
import pickle
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from hammering import hammer, run_together
from helpers import random_forest
from interruption import pressed_after
from treekernels import _native

LABELS = ("S", "A", "B", "x", "y")
TREES = tk.Forest.from_trees(random_forest(240, 1, size=25, labels=LABELS))
OTHERS = tk.Forest.from_trees(random_forest(20, 2, size=25, labels=LABELS))
CLASSES = np.array(["s", "t", "u"])[np.random.default_rng(0).integers(0, 3, len(TREES))]
BATCHES = [slice(start, start + 40) for start in range(0, len(TREES), 40)]


def _table(forest: tk.Forest) -> tk.Table:
    vectors = np.column_stack([forest.sizes, forest.depths]).astype(float)
    return tk.Table({"tree": forest, "vector": vectors})


def _as_given(forest: tk.Forest) -> tk.Forest:
    return forest


KERNELS: dict[str, tuple[tk.Kernel, Callable[[tk.Forest], Any]]] = {
    "forest": (tk.SubsetTreeKernel(leaf_weight=0.5), _as_given),
    "elastic": (tk.ElasticTreeKernel(0.3), _as_given),
    "sum": (
        tk.SubsetTreeKernel(on="tree")
        + tk.LinearKernel(on="vector")
        + 0.5 * tk.PartialTreeKernel(on="tree"),
        _table,
    ),
}
kernels = pytest.mark.parametrize("name", KERNELS)
ways_to_learn = pytest.mark.parametrize(
    ("name", "average"),
    [
        ("forest", "vote"),
        ("forest", "mean"),
        ("elastic", None),
        ("elastic", "vote"),
        ("sum", "mean"),
    ],
)


@kernels
def test_trees_are_added_and_scored_at_once(name: str) -> None:
    """Adding in any order gives the same sums, and a score is that of a whole number of calls."""
    kernel, columns = KERNELS[name]
    X, Z = columns(TREES[:6]), columns(OTHERS)
    alpha = np.ones(6)
    model = tk.WeightedForest(kernel)
    unit = kernel(Z, X) @ alpha
    rows = np.abs(unit) > 1e-6
    seen = []

    def score() -> None:
        assert len(model) >= 0
        times = model.score(Z)[rows] / unit[rows]
        np.testing.assert_allclose(times, np.round(times[0]), rtol=1e-6, atol=1e-6)
        seen.append(np.round(times[0]))

    def add() -> None:
        model.add(X, alpha)

    added = hammer(add, add, score, score)[:2]
    assert min(added) > 0
    assert len(set(seen)) > 1
    np.testing.assert_allclose(model.score(Z), sum(added) * unit, rtol=1e-9)


def _learner(kernel: tk.Kernel, average: Any) -> tk.TreePerceptron:
    return tk.TreePerceptron(kernel, average=average)


def _fit_part(learner: Any, columns: Callable[[tk.Forest], Any], batch: slice) -> None:
    learner.partial_fit(columns(TREES[batch]), CLASSES[batch], classes=["s", "t", "u"])


@ways_to_learn
def test_three_partial_fits_at_once_are_in_some_order(name: str, average: Any) -> None:
    kernel, columns = KERNELS[name]
    Z = columns(OTHERS)
    possible = []
    for order in itertools.permutations(BATCHES[:3]):
        learner = _learner(kernel, average)
        for batch in order:
            _fit_part(learner, columns, batch)
        possible.append((learner.n_updates_, learner.loss_, learner.decision_function(Z)))
    for _ in range(5):
        learner = _learner(kernel, average)
        run_together(*(partial(_fit_part, learner, columns, batch) for batch in BATCHES[:3]))
        assert learner.t_ == 120
        scores = learner.decision_function(Z)
        assert any(
            learner.n_updates_ == updates
            and learner.loss_ == loss
            and np.allclose(scores, expected, rtol=1e-9, atol=1e-12)
            for updates, loss, expected in possible
        )


class _Stages:
    """What a learner scores after each of the batches, by the examples seen."""

    def __init__(self, kernel: tk.Kernel, average: Any, columns: Callable[[tk.Forest], Any]):
        self.Z = columns(OTHERS)
        learner = _learner(kernel, average)
        self.scores = {}
        for batch in BATCHES:
            _fit_part(learner, columns, batch)
            self.scores[learner.t_] = learner.decision_function(self.Z)

    def check(self, learner: Any) -> None:
        np.testing.assert_allclose(
            learner.decision_function(self.Z), self.scores[learner.t_], rtol=1e-9, atol=1e-12
        )


def _learning(learner: Any, columns: Callable[[tk.Forest], Any]) -> tuple[Any, Any]:
    """Return what learns from all batches but the first, and what is set when it has."""
    _fit_part(learner, columns, BATCHES[0])
    finished = threading.Event()

    def learn() -> None:
        try:
            for batch in BATCHES[1:]:
                _fit_part(learner, columns, batch)
        finally:
            finished.set()

    return learn, finished


@ways_to_learn
def test_predictions_beside_partial_fit_are_of_a_stage(name: str, average: Any) -> None:
    kernel, columns = KERNELS[name]
    stages = _Stages(kernel, average, columns)
    known = np.array(list(stages.scores.values()))
    learner = _learner(kernel, average)
    learn, finished = _learning(learner, columns)

    def predict() -> None:
        while not finished.is_set():
            scores = learner.decision_function(stages.Z)
            assert np.isclose(known, scores, rtol=1e-9, atol=1e-12).all(axis=(1, 2)).any()
            assert learner.n_model_nodes_ > 0

    run_together(learn, predict, predict)
    stages.check(learner)


@ways_to_learn
@pytest.mark.parametrize("way", ["save", "pickle"])
def test_what_is_saved_beside_partial_fit_is_a_stage(
    name: str, average: Any, way: str, tmp_path: Path
) -> None:
    kernel, columns = KERNELS[name]
    stages = _Stages(kernel, average, columns)
    learner = _learner(kernel, average)
    learn, finished = _learning(learner, columns)
    kept: list[Any] = []

    def save() -> None:
        while not kept or not finished.is_set():
            if way == "pickle":
                kept.append(pickle.loads(pickle.dumps(learner)))
            else:
                tk.save(learner, tmp_path / "model.tkm")
                kept.append(tk.load(tmp_path / "model.tkm"))

    run_together(learn, save)
    for copy in kept:
        stages.check(copy)
    _fit_part(kept[0], columns, BATCHES[1])  # a copy has a lock of its own and goes on learning
    assert kept[0].t_ % 40 == 0


def test_machine_is_fitted_anew_beside_predictions() -> None:
    halves = [tk.TreeSVC("sst", random_state=0), tk.TreeSVC("sst", random_state=0)]
    expected = []
    for number, machine in enumerate(halves):
        machine.fit(TREES[number::2], CLASSES[number::2])
        expected.append(machine.decision_function(OTHERS))
    machine = tk.TreeSVC("sst", random_state=0).fit(TREES[0::2], CLASSES[0::2])
    turn = itertools.cycle([1, 0])

    def fit() -> None:
        number = next(turn)
        machine.fit(TREES[number::2], CLASSES[number::2])

    def predict() -> None:
        scores = machine.decision_function(OTHERS)
        assert any(np.array_equal(scores, known) for known in expected)
        assert set(machine.predict(OTHERS)) <= set(CLASSES)

    counts = hammer(fit, predict, predict)
    assert min(counts) > 0


def test_failure_on_the_way_keeps_what_was_learned() -> None:
    """What an error in a progress callback ends has learned from the first examples."""
    trees = tk.Forest.from_trees(random_forest(2_000, 5, size=60))[np.arange(20_000) % 2_000]
    labels = np.random.default_rng(0).integers(0, 2, len(trees)).astype(np.uint32)
    order = np.arange(len(trees), dtype=np.uint32)
    kernel = tk.SubsetTreeKernel()

    def learn(order: Any, progress: Any) -> tuple[Any, ...]:
        forest = _native.WeightedForest(kernel.native_kernel(), True, 1.0, 1)
        summands = [_native.ForestSummand(forest, trees.dag, trees.roots)]
        rule = _native.Rule.perceptron
        learned = _native.learn_online(summands, rule, 1.0, 2, False, labels, order, 0, 1, progress)
        return forest, *learned

    def failing(done: int, total: int) -> None:
        if done > 0:
            raise LookupError("the bar is gone")

    forest, loss, seen, updates, failure = learn(order, failing)
    assert isinstance(failure, LookupError)
    assert 0 < seen < len(trees)
    same, same_loss, same_seen, same_updates, none = learn(order[:seen], None)
    assert (same_loss, same_seen, none) == (loss, seen, None)
    for a, b in zip(updates, same_updates, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(forest.state(), same.state(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("change", ["predict", "partial_fit"])
def test_interrupt_is_heard_while_waiting_for_a_learner(change: str) -> None:
    learner = _learner(tk.SubsetTreeKernel(), None)
    _fit_part(learner, _as_given, BATCHES[0])
    held, let_go = threading.Event(), threading.Event()
    calls = {
        "predict": partial(learner.predict, OTHERS),
        "partial_fit": partial(_fit_part, learner, _as_given, BATCHES[1]),
    }

    in_time: list[bool] = []

    def hold() -> None:
        with learner._lock.writing():
            held.set()
            in_time.append(let_go.wait(60))

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        with pytest.raises(KeyboardInterrupt), pressed_after(0.2):
            calls[change]()
    finally:
        let_go.set()
        thread.join()
    assert in_time == [True], "it was heard only when the learner was free again"
    _fit_part(learner, _as_given, BATCHES[1])
    assert learner.t_ == 80


def test_reader_cannot_become_a_writer() -> None:
    lock = _native.ReaderWriterLock()
    with (
        lock.reading(),
        lock.reading(),
        pytest.raises(RuntimeError, match="reading"),
        lock.writing(),
    ):
        pass
    with lock.writing(), lock.reading(), lock.writing():
        pass
    with pytest.raises(RuntimeError, match="does not hold"):
        lock.reading().__exit__(None, None, None)


def test_writer_is_not_kept_waiting_by_readers() -> None:
    """There is always a reader, so that one who waits for none of them waits for a minute."""
    lock = _native.ReaderWriterLock()
    finished = threading.Event()
    patience = time.monotonic() + 60

    def read() -> None:
        while not finished.is_set() and time.monotonic() < patience:
            with lock.reading():
                time.sleep(0.002)

    def write() -> None:
        for _ in range(20):
            with lock.writing():
                pass
        finished.set()
        assert time.monotonic() < patience

    run_together(read, read, read, write)
