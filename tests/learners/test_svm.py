"""Support vector machines on the weighted forest, against scikit-learn's on the Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

import treekernels as tk
from helpers import random_forest, sentences
from learner_data import CACHES, DATA, SCARCE
from oracles.learners import machine_objective, projected_gradient

Matrix = NDArray[np.float64]
every_path = pytest.mark.parametrize("path", CACHES)


def weights_for(y: Any, weights: Any) -> Matrix:
    """Return the weight of each example in each output."""
    outputs = len(np.unique(y)) if len(np.unique(y)) > 2 else 1
    weights = np.ones(len(y)) if weights is None else np.asarray(weights)
    return weights if weights.ndim == 2 else np.repeat(weights[:, None], outputs, axis=1)


def reference(
    gram: Matrix, y: Any, C: float, weights: Any = None
) -> Iterator[tuple[Matrix, Matrix, float]]:
    """Yield targets, coefficients and bias of scikit-learn's machine, class by class."""
    classes = np.unique(y)
    columns = weights_for(y, weights).T
    for label, own in zip(classes if len(classes) > 2 else classes[1:], columns, strict=True):
        used = np.flatnonzero(own)  # of the others, its support_ would lose count
        result = SVC(kernel="precomputed", C=C, tol=1e-6)
        result.fit(gram[np.ix_(used, used)], y[used] == label, sample_weight=own[used])
        beta = np.zeros(len(y))
        beta[used[result.support_]] = result.dual_coef_[0]
        yield np.where(y == label, 1.0, -1.0), beta, float(result.intercept_[0])


def objective_of(machine: tk.TreeSVC, gram: Matrix, y: Any, bound: Matrix) -> float:
    """Return the objective of what the machine has found, computed on the Gram matrix."""
    total = 0.0
    classes = np.unique(y)
    for k, label in enumerate(classes if len(classes) > 2 else classes[1:]):
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[:, k]
        target = np.where(y == label, 1.0, -1.0)
        own = bound if bound.ndim == 1 else bound[:, k]
        total += machine_objective(gram, target, own, beta, machine.intercept_[k])
    return total


def compare(
    machine: tk.TreeSVC, kernel: tk.Kernel, X: Any, y: Any, C: float, weights: Any = None
) -> None:
    """Compare a fitted machine with scikit-learn's."""
    gram = kernel(X)
    bound = C * weights_for(y, weights)
    result = list(reference(gram, y, C, weights))
    best = sum(
        machine_objective(gram, target, own, beta, bias)
        for (target, beta, bias), own in zip(result, bound.T, strict=True)
    )
    assert objective_of(machine, gram, y, bound) == pytest.approx(best, rel=1e-3)
    scores = np.stack([gram @ beta + bias for _, beta, bias in result], axis=1)
    chosen = scores.argmax(axis=1) if len(result) > 1 else (scores[:, 0] > 0).astype(int)
    # Where two classes have the same score, which of them is chosen is a matter of the last bits.
    ranked = np.sort(scores if len(result) > 1 else np.abs(scores), axis=1)
    clear = (ranked[:, -1] - ranked[:, -2] if len(result) > 1 else ranked[:, 0]) > 1e-5
    assert np.mean(clear) > 0.95
    assert np.mean((machine.predict(X) == np.unique(y)[chosen])[clear]) >= 0.99
    if machine.solver_ == "forest":
        assert machine.objective_ == pytest.approx(best, rel=1e-3)
        assert 0 <= machine.gap_ <= 1e-3 * machine.objective_


@pytest.mark.parametrize(
    ("data", "C", "path"),
    [
        ("syntax", 3.0, "matrix"),
        ("syntax", 0.3, "responding"),
        ("grammar", 3.0, "responding"),
        ("unbalanced", 0.3, "matrix"),
        ("unbalanced", 3.0, "responding"),
    ],
)
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
        tk.SubsetTreeKernel(0.3, weights={"A": 0.6, "B": 1.2, None: 0.9}, counts="log"),
        tk.SubtreeKernel(0.5, weights={"A": 0.6, "B": 1.2, None: 0.9}, counts="binary"),
        0.5 * tk.SubsetTreeKernel() + 0.25 * tk.SubtreeKernel() + 0.5,
    ],
    ids=repr,
)
def test_kernels_equal_scikit_learn(kernel: tk.Kernel, path: str) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    machine = tk.TreeSVC(kernel, random_state=0, cache_size=CACHES[path], C=1).fit(X, y)
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


@pytest.mark.parametrize("C", [1.0, pytest.param(100.0, marks=pytest.mark.slow)])
def test_ill_conditioned_problems_are_left_to_scikit_learn(C: float, tmp_path: Path) -> None:
    trees, y = DATA["grammar"]
    vectors = 10 * np.random.RandomState(1).normal(size=(len(y), 2))
    X = {"tree": tk.Forest(trees), "vector": vectors}
    kernel = tk.SubsetTreeKernel(on="tree") + tk.PolynomialKernel(1, gamma=1, on="vector")
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
    linear = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="vector")  # which it can do
    machine = tk.TreeSVC(linear, C=C, random_state=0).fit(X, labels)
    assert machine.solver_ == "forest"
    gram, bound = linear(X), np.full(len(y), C)
    ((target, beta, bias),) = reference(gram, labels, C)
    best = machine_objective(gram, target, bound, beta, bias)
    assert machine.objective_ <= 1.001 * best  # theirs is not quite the best, in single precision
    assert machine.gap_ <= 1e-3 * machine.objective_


@pytest.mark.parametrize("path", [*CACHES, "gram"])
def test_weights_of_classes_and_examples(path: str) -> None:
    trees, y = DATA["unbalanced"]
    X, kernel = tk.Forest(trees), tk.SubsetTreeKernel()
    own = y[:, None] == np.arange(4)
    balanced = np.where(own, len(y) / (2 * own.sum(axis=0)), len(y) / (2 * (~own).sum(axis=0)))
    weights = np.random.RandomState(0).uniform(0.2, 2, size=len(y))
    weights[::9] = 0
    machine = tk.TreeSVC(kernel, class_weight="balanced", random_state=0, C=1)
    if path == "gram":
        machine.set_params(solver="gram")
    else:
        machine.set_params(cache_size=CACHES[path])
    machine.fit(X, y, sample_weight=weights)
    compare(machine, kernel, X, y, 1.0, balanced * weights[:, None])
    assert not set(np.arange(0, len(y), 9)) & set(machine.support_)
    given = tk.TreeSVC(kernel, class_weight={0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, random_state=0, C=1)
    compare(given.fit(X, y), kernel, X, y, 1.0, np.where(own, [1.0, 2.0, 3.0, 4.0], 1.0))


@pytest.mark.parametrize("solver", ["forest", "gram"])
def test_automatic_penalty_is_that_of_svm_light(solver: Any) -> None:
    trees, y = DATA["grammar"]
    X, kernel = tk.Forest(trees), tk.SubsetTreeKernel(normalize=False)
    machine = tk.TreeSVC(kernel, C="auto", solver=solver, tol=1e-6, random_state=0).fit(X, y)
    compare(machine, kernel, X, y, 1 / kernel.diag(X).mean())
    values = tk.TreeSVR(kernel, C="auto", solver=solver, random_state=0).fit(X, y)
    number = tk.TreeSVR(kernel, C=1 / kernel.diag(X).mean(), solver=solver, random_state=0)
    np.testing.assert_array_equal(values.predict(X), number.fit(X, y).predict(X))
    with pytest.raises(tk.ParameterError, match="'auto'"):
        tk.TreeSVC(kernel, C="large").fit(X, y)


def test_intercept_is_the_middle_of_the_best_ones() -> None:
    # All coefficients are at their bounds, so that the loss is flat between the two sides.
    trees = ["(A a)"] * 3 + ["(A b)"] * 7 + ["(B c)"] * 11
    y = np.array([1] * 3 + [0] * 18)
    machine = tk.TreeSVC("sst", C=0.01, class_weight="balanced", tol=1e-8, random_state=0).fit(
        trees, y
    )
    scores = machine.decision_function(trees) - machine.intercept_[0]
    # It ends where the first example of either side begins to cost nothing.
    expected = (min(1 - scores[y == 1]) + max(-1 - scores[y == 0])) / 2
    assert machine.intercept_[0] == pytest.approx(expected, abs=1e-6)


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


@every_path
def test_trees_that_share_nothing_even_with_themselves(path: str) -> None:
    # A leaf has no production: without an intercept, nothing can be learned from it.
    X, y = tk.Forest(["(a)", "(A b)", "(b)", "(A c)"]), [0, 0, 1, 1]
    options: dict[str, Any] = {"fit_intercept": False, "random_state": 0, "solver": "forest"}
    machine = tk.TreeSVC(C=2, cache_size=CACHES[path], **options).fit(X, y)
    assert machine.n_iter_ < 100
    assert machine.gap_ <= 1e-3 * machine.objective_
    assert machine.objective_ == pytest.approx(5, rel=1e-3)  # 2 for each leaf, 1 for the rest
    assert machine.decision_function(X).round(2).tolist() == [0, -1, 0, 1]
    values = tk.TreeSVR(C=2, epsilon=0.1, cache_size=CACHES[path], **options).fit(X, [0, -3, 3, 1])
    assert values.n_iter_ < 100
    assert values.predict(X).round(1).tolist() == [0, -2, 0, 0.9]


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubsetTreeKernel() * tk.SubtreeKernel(),
        tk.PartialTreeKernel() + tk.SubsetTreeKernel() ** 2,
    ],
    ids=repr,
)
def test_gram_solver(kernel: tk.Kernel) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    machine = tk.TreeSVC(kernel, C=1).fit(X, y)
    assert machine.solver_ == "gram"
    compare(machine, kernel, X, y, 1.0)
    with pytest.raises(ValueError, match=r"cannot take .* apart"):
        tk.TreeSVC(kernel, solver="forest", C=1).fit(X, y)
    with pytest.raises(ValueError, match="intercept"):
        tk.TreeSVC(kernel, fit_intercept=False, C=1).fit(X, y)


@pytest.mark.parametrize(("count", "gram"), [(51, True), (52, False)])
def test_the_descent_makes_a_gram_matrix_where_it_fits_into_the_cache(
    count: int, gram: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four bytes a pair: 51 * 51 of them fit into 0.01 megabytes, and 52 * 52 do not."""
    calls = []
    kernel = tk.SubsetTreeKernel()
    call = type(kernel).__call__

    def counted(self: tk.Kernel, *arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return call(self, *arguments, **options)

    monkeypatch.setattr(tk.SubsetTreeKernel, "__call__", counted)
    trees, y = DATA["unbalanced"]
    tk.TreeSVC(kernel, cache_size=SCARCE, random_state=0, C=1).fit(trees[-count:], y[-count:])
    assert len(calls) == gram


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_know_the_weights_of_classes_and_examples(classes: int) -> None:
    texts, kinds = sentences(90)
    X = np.array(texts, object)
    labels = np.unique(kinds, return_inverse=True)[1] % classes
    rng = np.random.RandomState(0)
    labels[::4] = rng.permutation(labels[::4])  # or all would be sure
    of_classes = {0: 1.0, 1: 8.0, 2: 0.5}
    of_examples = rng.uniform(0.1, 3, size=len(X))
    of_examples[::7] = 20.0

    def probabilities(class_weight: Any, sample_weight: Any) -> tuple[Matrix, Matrix]:
        parameters = {"kernel": "sst", "C": 1.0, "class_weight": class_weight}
        ours = tk.TreeSVC(probability=True, random_state=0, tol=1e-5, **parameters)
        ours.fit(X, labels, sample_weight)
        theirs = CalibratedClassifierCV(
            # One against all others, as ours does, by scikit-learn's machine.
            tk.TreeSVC(solver="gram", tol=1e-5, **parameters),
            ensemble=False,
        ).fit(X, labels, sample_weight)
        return ours.predict_proba(X), theirs.predict_proba(X)

    plain, _ = probabilities(None, None)
    for class_weight, sample_weight in [(of_classes, None), (None, of_examples)]:
        found, expected = probabilities(class_weight, sample_weight)
        np.testing.assert_allclose(found, expected, atol=0.01)
        assert np.abs(found - plain).max() > 0.05


def test_warning_when_there_were_too_few_epochs() -> None:
    trees, y = DATA["unbalanced"]
    with pytest.warns(ConvergenceWarning, match="max_iter=2 epochs"):
        machine = tk.TreeSVC("sst", C=10, max_iter=2, random_state=0).fit(trees, y)
    assert machine.n_iter_ == 2
    assert machine.gap_ > 1e-3 * machine.objective_
    assert machine.predict(trees).shape == (len(y),)


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
