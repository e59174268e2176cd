"""Support vector machines on the weighted forest, against scikit-learn's on the Gram matrix."""

from __future__ import annotations

import _thread
import ast
import contextlib
import inspect
import json
import random
import signal
import string
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

import treekernels as tk
from helpers import random_forest
from treekernels import _native
from treekernels.learners import online as online_module
from treekernels.learners import svm as machine_module
from treekernels.testing.checking import sentences
from treekernels.testing.oracle_learners import machine_objective, projected_gradient

Matrix = NDArray[np.float64]
SCARCE = 0.01  # megabytes: too few for a matrix, so that trees answer each other


def syntax_trees() -> tuple[list[Any], Any]:
    """Functions of the standard library as trees of their syntax, with the module as the class."""

    def tree_of(node: ast.AST) -> Any:
        children = list(ast.iter_child_nodes(node))
        return (type(node).__name__, *map(tree_of, children)) if children else type(node).__name__

    trees, labels = [], []
    for module in (ast, inspect, json, random, string, textwrap):
        source = ast.parse(Path(module.__file__ or "").read_text())
        functions = [node for node in ast.walk(source) if isinstance(node, ast.FunctionDef)]
        for function in functions[:40]:
            trees.append(tree_of(function))
            labels.append(module.__name__)
    names, counts = np.unique(labels, return_counts=True)
    kept = set(names[counts >= 10])
    chosen = [i for i, label in enumerate(labels) if label in kept]
    return [trees[i] for i in chosen], np.array([labels[i] for i in chosen])


def grammar_trees() -> tuple[list[Any], Any]:
    """Trees of two random grammars, some of them with the wrong label."""
    rng = random.Random(3)

    def grown(kind: int, depth: int = 0) -> Any:
        label = rng.choice("ABCD")
        if depth > 3 or rng.random() < 0.2:
            return (label, rng.choice("xyz"))
        count = 2 if rng.random() < 0.5 + 0.2 * kind else 1
        return (label, *(grown(kind, depth + 1) for _ in range(count)))

    labels = [rng.randrange(2) for _ in range(150)]
    trees = [grown(label) for label in labels]
    return trees, np.array([1 - y if rng.random() < 0.1 else y for y in labels])


def unbalanced_trees() -> tuple[list[Any], Any]:
    """Random trees in four classes, the last of which is rare."""
    trees = random_forest(200, 11, size=15)
    sizes = np.array([len(str(tree)) for tree in trees])
    return trees, np.digitize(sizes, np.quantile(sizes, [0.5, 0.85, 0.97]))


DATA = {"syntax": syntax_trees(), "grammar": grammar_trees(), "unbalanced": unbalanced_trees()}
CACHES = {"matrix": 150.0, "responding": SCARCE}
every_data = pytest.mark.parametrize("data", DATA)
every_path = pytest.mark.parametrize("path", CACHES)


def reference(
    gram: Matrix, y: Any, C: float, weights: Any = None
) -> Iterator[tuple[Matrix, Matrix, float]]:
    """Yield targets, coefficients and bias of scikit-learn's machine, class by class."""
    classes = np.unique(y)
    weights = np.ones(len(y)) if weights is None else weights
    used = np.flatnonzero(weights)  # of the others, its support_ would lose count
    for label in classes if len(classes) > 2 else classes[1:]:
        one = SVC(kernel="precomputed", C=C, tol=1e-6)
        one.fit(gram[np.ix_(used, used)], y[used] == label, sample_weight=weights[used])
        beta = np.zeros(len(y))
        beta[used[one.support_]] = one.dual_coef_[0]
        yield np.where(y == label, 1.0, -1.0), beta, float(one.intercept_[0])


def objective_of(machine: tk.TreeSVC, gram: Matrix, y: Any, bound: Matrix) -> float:
    """Return the objective of what the machine has found, computed on the Gram matrix."""
    total = 0.0
    classes = np.unique(y)
    for k, label in enumerate(classes if len(classes) > 2 else classes[1:]):
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[:, k]
        target = np.where(y == label, 1.0, -1.0)
        total += machine_objective(gram, target, bound, beta, machine.intercept_[k])
    return total


def compare(
    machine: tk.TreeSVC, kernel: tk.Kernel, X: Any, y: Any, C: float, weights: Any = None
) -> None:
    """Compare a fitted machine with scikit-learn's."""
    gram = kernel(X)
    bound = C * (np.ones(len(y)) if weights is None else weights)
    found = list(reference(gram, y, C, weights))
    best = sum(machine_objective(gram, t, bound, beta, bias) for t, beta, bias in found)
    assert objective_of(machine, gram, y, bound) == pytest.approx(best, rel=1e-3)
    scores = np.stack([gram @ beta + bias for _, beta, bias in found], axis=1)
    chosen = scores.argmax(axis=1) if len(found) > 1 else (scores[:, 0] > 0).astype(int)
    assert np.mean(machine.predict(X) == np.unique(y)[chosen]) >= 0.99
    if machine.solver_ == "forest":
        assert machine.objective_ == pytest.approx(best, rel=1e-3)
        assert 0 <= machine.gap_ <= 1e-3 * machine.objective_


@every_path
@every_data
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_machine_equals_scikit_learn(data: str, C: float, path: str) -> None:
    trees, y = DATA[data]
    X = tk.Forest(trees)
    kernel = tk.SubsetTreeKernel()
    machine = tk.TreeSVC(kernel, C=C, random_state=0, cache_size=CACHES[path]).fit(X, y)
    assert machine.solver_ == "forest"
    compare(machine, kernel, X, y, C)
    half = np.arange(0, len(y), 2)
    assert machine.score(X[half], y[half]) > np.unique(y, return_counts=True)[1].max() / len(y)


@every_path
@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubtreeKernel(0.5, leaf_weight=0.3),
        tk.SubsetTreeKernel(0.2, leaf_weight=0.5),
        0.5 * tk.SubsetTreeKernel() + 0.25 * tk.SubtreeKernel() + 0.5,
    ],
    ids=repr,
)
def test_kernels_equal_scikit_learn(kernel: tk.Kernel, path: str) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    machine = tk.TreeSVC(kernel, random_state=0, cache_size=CACHES[path]).fit(X, y)
    compare(machine, kernel, X, y, 1.0)


@every_path
def test_vectors_beside_trees_equal_scikit_learn(path: str) -> None:
    trees, y = DATA["grammar"]
    vectors = np.random.RandomState(0).normal(size=(len(y), 4))
    X = {"tree": tk.Forest(trees), "vector": vectors}
    kernel = (
        tk.SubsetTreeKernel(on="tree")
        + 0.1 * tk.LinearKernel(on="vector")
        + 0.1 * tk.PolynomialKernel(2, on="vector")
    )
    machine = tk.TreeSVC(kernel, C=0.5, random_state=0, cache_size=CACHES[path], max_iter=5000)
    compare(machine.fit(X, y), kernel, X, y, 0.5)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_ill_conditioned_problems_are_left_to_scikit_learn(C: float, tmp_path: Path) -> None:
    trees, y = DATA["grammar"]
    vectors = 10 * np.random.RandomState(1).normal(size=(len(y), 2))
    X = {"tree": tk.Forest(trees), "vector": vectors}
    kernel = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="vector")
    labels = np.random.RandomState(2).permutation(y)
    checkpoint = tmp_path / "unfinished"
    machine = tk.TreeSVC(kernel, C=C, random_state=0, checkpoint=checkpoint)
    compare(machine.fit(X, labels), kernel, X, labels, C)
    assert machine.solver_ == "gram"
    assert not hasattr(machine, "gap_")
    assert not checkpoint.exists()
    own = tk.TreeSVC(kernel, C=C, random_state=0, solver="forest", max_iter=400)
    with pytest.warns(ConvergenceWarning, match="solver='gram'"):
        own.fit(X, labels)
    assert own.solver_ == "forest"


@pytest.mark.parametrize("path", [*CACHES, "gram"])
def test_weights_of_classes_and_examples(path: str) -> None:
    trees, y = DATA["unbalanced"]
    X, kernel = tk.Forest(trees), tk.SubsetTreeKernel()
    balanced = len(y) / (4 * np.bincount(y))[y]
    weights = np.random.RandomState(0).uniform(0.2, 2, size=len(y))
    weights[::9] = 0
    machine = tk.TreeSVC(kernel, class_weight="balanced", random_state=0)
    if path == "gram":
        machine.set_params(solver="gram")
    else:
        machine.set_params(cache_size=CACHES[path])
    machine.fit(X, y, sample_weight=weights)
    compare(machine, kernel, X, y, 1.0, balanced * weights)
    assert not set(np.arange(0, len(y), 9)) & set(machine.support_)
    given = tk.TreeSVC(kernel, class_weight={0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, random_state=0)
    compare(given.fit(X, y), kernel, X, y, 1.0, y + 1.0)


@every_path
def test_without_intercept_equals_projected_gradient(path: str) -> None:
    trees, y = DATA["grammar"]
    X, kernel = tk.Forest(trees), tk.SubsetTreeKernel()
    machine = tk.TreeSVC(
        kernel, C=0.5, fit_intercept=False, random_state=0, cache_size=CACHES[path]
    ).fit(X, y)
    gram, target, bound = kernel(X), np.where(y == 1, 1.0, -1.0), np.full(len(y), 0.5)
    beta = projected_gradient(gram, target, bound, steps=3000)
    best = machine_objective(gram, target, bound, beta, 0.0)
    assert machine.intercept_.tolist() == [0.0]
    assert objective_of(machine, gram, y, bound) == pytest.approx(best, rel=1e-3)
    assert np.mean((gram @ beta > 0) == (machine.predict(X) == 1)) >= 0.99


@pytest.mark.parametrize(
    "kernel",
    [tk.SubsetTreeKernel() * tk.SubtreeKernel(), tk.PartialTreeKernel() + tk.SubsetTreeKernel()],
    ids=repr,
)
def test_gram_solver(kernel: tk.Kernel) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    machine = tk.TreeSVC(kernel).fit(X, y)
    assert machine.solver_ == "gram"
    compare(machine, kernel, X, y, 1.0)
    with pytest.raises(ValueError, match=r"cannot take .* apart"):
        tk.TreeSVC(kernel, solver="forest").fit(X, y)
    with pytest.raises(ValueError, match="intercept"):
        tk.TreeSVC(kernel, fit_intercept=False).fit(X, y)


def test_both_solvers_decide_alike() -> None:
    trees, y = DATA["syntax"]
    forest, gram = (
        tk.TreeSVC(solver=solver, random_state=0, tol=1e-4, max_iter=5000).fit(trees, y)
        for solver in ("forest", "gram")
    )
    assert np.mean(forest.predict(trees) == gram.predict(trees)) >= 0.99
    np.testing.assert_allclose(
        forest.decision_function(trees), gram.decision_function(trees), atol=0.05
    )


def test_solver_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    texts, kinds = sentences(20)
    tk.TreeSVC(verbose=True, random_state=0).fit(texts, kinds)
    assert "solver='forest'" in capsys.readouterr().out
    tk.TreeSVC(tk.PartialTreeKernel(), verbose=True).fit(texts, kinds)
    assert "solver='gram'" in capsys.readouterr().out


def test_support_examples() -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    machine = tk.TreeSVC(random_state=0).fit(X, y)
    assert machine.support_examples_ == X[machine.support_]
    assert machine.dual_coef_.shape == (len(machine.support_), 4)
    assert (np.abs(machine.dual_coef_) <= 1 + 1e-12).all()
    by_hand = tk.SubsetTreeKernel()(X, machine.support_examples_) @ machine.dual_coef_
    np.testing.assert_allclose(
        machine.decision_function(X), by_hand + machine.intercept_, atol=1e-9
    )


def test_probability() -> None:
    texts, kinds = sentences(60)
    machine = tk.TreeSVC(probability=True, random_state=0).fit(texts, kinds)
    probabilities = machine.predict_proba(texts)
    assert probabilities.shape == (60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (machine.classes_[probabilities.argmax(axis=1)] == kinds).mean() > 0.95
    two = tk.TreeSVC(probability=True, random_state=0).fit(texts, [kind[0] for kind in kinds])
    assert two.predict_proba(texts).shape == (60, len(two.classes_))
    with pytest.raises(AttributeError, match="probability=True"):
        tk.TreeSVC(random_state=0).fit(texts, kinds).predict_proba(texts)


def test_warning_when_there_were_too_few_epochs() -> None:
    trees, y = DATA["unbalanced"]
    with pytest.warns(ConvergenceWarning, match="max_iter=2 epochs"):
        machine = tk.TreeSVC(C=10, max_iter=2, random_state=0).fit(trees, y)
    assert machine.n_iter_ == 2
    assert machine.gap_ > 1e-3 * machine.objective_
    assert machine.predict(trees).shape == (len(y),)


@pytest.mark.parametrize(
    "parameters",
    [
        *({"C": 0}, {"C": float("nan")}, {"C": float("inf")}, {"tol": 0}, {"max_iter": 0}),
        *({"solver": "x"}, {"class_weight": {0: -1.0, 1: 1.0, 2: 1.0, 3: 1.0}}),
    ],
    ids=str,
)
def test_senseless_parameters_are_refused(parameters: dict[str, Any]) -> None:
    trees, y = DATA["unbalanced"]
    with pytest.raises(ValueError, match=r"must|solver"):
        tk.TreeSVC(**parameters).fit(trees, y)


# Regression.


@every_path
@pytest.mark.parametrize(
    ("kernel", "C"), [(tk.SubsetTreeKernel(leaf_weight=0.3), 1.0), (tk.SubtreeKernel(), 5.0)]
)
def test_regression_equals_scikit_learn(kernel: tk.Kernel, C: float, path: str) -> None:
    X = tk.Forest(random_forest(150, 4, size=15))
    y = np.array([tree.size for tree in X]) / 5.0
    gram = kernel(X)
    machine = tk.TreeSVR(
        kernel, C=C, epsilon=0.2, random_state=0, cache_size=CACHES[path], max_iter=5000
    ).fit(X, y)
    other = SVR(kernel="precomputed", C=C, epsilon=0.2, tol=1e-6).fit(gram, y)
    beta = np.zeros(len(y))
    beta[other.support_] = other.dual_coef_[0]
    errors = np.abs(other.predict(gram) - y) - 0.2
    best = beta @ gram @ beta / 2 + C * np.maximum(0, errors).sum()
    assert machine.objective_ == pytest.approx(best, rel=1e-3)
    assert np.abs(machine.predict(X) - other.predict(gram)).mean() < 0.02


def test_regression_by_gram_matrix_equals_scikit_learn() -> None:
    X = tk.Forest(random_forest(80, 4, size=15))
    y = np.array([tree.size for tree in X]) / 5.0
    kernel = tk.PartialTreeKernel()
    machine = tk.TreeSVR(kernel).fit(X, y)
    other = SVR(kernel="precomputed").fit(kernel(X), y)
    np.testing.assert_allclose(machine.predict(X), other.predict(kernel(X)), atol=1e-8)


def test_senseless_regression_is_refused() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        tk.TreeSVR(epsilon=-1).fit(["(A b)", "(A c)"], [1, 2])
    with pytest.raises(ValueError, match="NaN"):
        tk.TreeSVR().fit(["(A b)", "(A c)"], [1, np.nan])


# Checkpoints, and Ctrl-C.


class Interrupted:
    """A native solver that is stopped by Ctrl-C in a later epoch."""

    def __init__(self, epochs: int) -> None:
        self.left = epochs

    def epoch(self, native: Any, progress: Any) -> float:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return float(native.epoch(progress))

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        counter = self

        class Svm:
            def __init__(self, *arguments: Any) -> None:
                self.native = _native.Svm(*arguments)

            def __getattr__(self, name: str) -> Any:
                return getattr(self.native, name)

            def epoch(self, progress: Any = None) -> float:
                return counter.epoch(self.native, progress)

        replaced = type("Native", (), {**vars(_native), "Svm": Svm})
        patch.setattr(machine_module, "_native", replaced)


@every_path
@pytest.mark.parametrize("stop", [11, 25, 38])
def test_resumed_machine_equals_uninterrupted(
    stop: int, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    parameters = {"C": 10, "tol": 1e-5, "cache_size": CACHES[path], "max_iter": 5000}
    whole = tk.TreeSVC(checkpoint=tmp_path / "whole", random_state=0, **parameters).fit(X, y)
    assert whole.n_iter_ > 40
    assert not (tmp_path / "whole").exists()
    machine = tk.TreeSVC(checkpoint=tmp_path / "stopped", random_state=0, **parameters)
    with monkeypatch.context() as patch:
        Interrupted(stop).patch(patch)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(X, y)
    assert (tmp_path / "stopped").exists()
    assert machine.predict(X).shape == y.shape  # with what it has learned
    machine.fit(X, y)
    assert not (tmp_path / "stopped").exists()
    assert machine.n_iter_ == whole.n_iter_
    assert np.array_equal(machine.dual_coef_, whole.dual_coef_)
    assert np.array_equal(machine.intercept_, whole.intercept_)
    assert np.array_equal(machine.decision_function(X), whole.decision_function(X))


def test_checkpoint_of_another_problem_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, y = DATA["unbalanced"]
    machine = tk.TreeSVC(C=10, tol=1e-5, checkpoint=tmp_path / "c", random_state=0)
    with monkeypatch.context() as patch:
        Interrupted(15).patch(patch)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(trees, y)
    with pytest.raises(ValueError, match="another problem"):
        machine.fit(trees, y[::-1])
    with pytest.raises(ValueError, match="another problem"):
        machine.fit([*trees[1:], ("A", "new")], y)
    with pytest.raises(ValueError, match="another problem"):
        tk.TreeSVC(C=9, tol=1e-5, checkpoint=tmp_path / "c", random_state=0).fit(trees, y)


ONLINE = {
    "vote": tk.TreePerceptron(epochs=4, random_state=0),
    "mean": tk.TreePassiveAggressive(average="mean", epochs=4, random_state=0),
    "support": tk.TreePerceptron(tk.PartialTreeKernel(), epochs=4, average=None, random_state=0),
}


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("batches", [1, 7, 15])
def test_resumed_perceptron_equals_uninterrupted(
    name: str, batches: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online_module, "_BATCH", 50)
    monkeypatch.setattr(online_module, "_SMALL_BATCH", 50)
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    kind, parameters = type(ONLINE[name]), ONLINE[name].get_params(deep=False)
    whole = kind(**parameters).set_params(checkpoint=tmp_path / "whole").fit(X, y)
    learner = kind(**parameters).set_params(checkpoint=tmp_path / "stopped")
    learn, left = online_module._native.learn_online, batches

    def stopped(*arguments: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return learn(*arguments)

    with monkeypatch.context() as patch:
        replaced = type("Native", (), {**vars(_native), "learn_online": staticmethod(stopped)})
        patch.setattr(online_module, "_native", replaced)
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X, y)
    assert learner.t_ == 50 * batches
    assert learner.predict(X).shape == y.shape
    resumed = kind(**parameters).set_params(checkpoint=tmp_path / "stopped")
    with pytest.raises(ValueError, match="other data"):
        resumed.fit(X[::-1], y)
    resumed.fit(X, y)
    assert not (tmp_path / "stopped").exists()
    assert resumed.t_ == whole.t_ == 800
    assert (resumed.n_updates_, resumed.loss_) == (whole.n_updates_, whole.loss_)
    scores, expected = resumed.decision_function(X), whole.decision_function(X)
    if name == "support":  # support trees from a file are numbered and summed in another order
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
    else:
        assert np.array_equal(scores, expected)


def test_batches_leave_checkpoints_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("of somebody else")
    learner = tk.TreePerceptron(checkpoint=tmp_path / "file")
    learner.partial_fit(["(A b)", "(A c)"], [0, 1])
    assert (tmp_path / "file").read_text() == "of somebody else"


@contextlib.contextmanager
def pressed_while(holder: Any, name: str, seconds: float) -> Iterator[None]:
    """Press Ctrl-C some time after a method has been called."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    timer = threading.Timer(seconds, _thread.interrupt_main)
    method = getattr(holder, name)

    def called(*arguments: Any) -> Any:
        if not timer.is_alive() and not timer.finished.is_set():
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
        tk.TreePerceptron(epochs=300, random_state=0),
        tk.TreePassiveAggressive(epochs=300, average="mean", random_state=0),
        tk.TreePerceptron(tk.PartialTreeKernel(), epochs=300, average=None, random_state=0),
        tk.TreeSVC(C=1000, tol=1e-15, max_iter=10**7, cache_size=SCARCE, random_state=0),
        tk.TreeSVC(C=1000, tol=1e-15, max_iter=10**7, solver="forest", random_state=0),
    ],
    ids=["perceptron", "passive-aggressive", "support", "svc", "svc-matrix"],
)
def test_interrupt_leaves_a_usable_learner(learner: Any) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    y = y % 2
    y[::3] = 1 - y[::3]  # there is always something to learn
    if isinstance(learner, tk.TreeSVC):
        pressed = pressed_while(machine_module._Descent, "_resume", 0.5)
    else:
        X, y = X[np.tile(np.arange(len(y)), 100)], np.tile(y, 100)
        pressed = pressed_while(online_module.Model, "native_summands", 0.5)
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
