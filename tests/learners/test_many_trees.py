"""Many trees at a time: models laid out for them, visits in blocks, machines that focus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles.learners import OnlineOracle
from treekernels.testing.strategies import decays, forests

KERNELS = {
    "plain": tk.SubsetTreeKernel(),
    "words": tk.SubsetTreeKernel(0.3, leaf_weight=0.37),
    "weighted": tk.SubsetTreeKernel(
        {"A": 0.3, None: 0.5},
        leaf_weight=0.2,
        weights={"A": 0.6, "B": 1.2, None: 0.9},
        counts="log",
    ),
    "sum": tk.SubsetTreeKernel(0.7) + 0.5 * tk.SubtreeKernel(),
}


def distinct_trees(count: int) -> tk.Forest:
    """No two of which are equal, so that scores are hardly ever tied."""
    trees = tk.Forest(random_forest(count + count // 2, 5, size=30))
    _, first = np.unique(trees.roots, return_index=True)
    assert len(first) >= count
    return trees[np.sort(first)[:count]]


TREES = distinct_trees(560)


@given(
    decays(1e-3),
    st.sampled_from([0.0, 0.7]),
    st.booleans(),
    forests(max_trees=10, min_trees=1, max_nodes=14),
    forests(max_trees=10, min_trees=1, max_nodes=14),
    st.integers(1, 9),
    st.integers(0, 1000),
)
def test_many_scores_are_sums_over_all_examples(
    decay: float, leaf_weight: float, normalize: bool, X: Any, new: Any, columns: int, seed: int
) -> None:
    """Also after the forest has changed, and of trees of another DAG that shares some of it."""
    kernel = tk.SubsetTreeKernel(decay, leaf_weight=leaf_weight, normalize=normalize)
    model = tk.WeightedForest(kernel, columns)
    queries = tk.Forest(new)[np.arange(70) % len(new)]  # as many as are scored together
    expected = np.zeros((70, columns))
    random = np.random.RandomState(seed)
    for _ in range(2):
        alphas = random.normal(size=(len(X), columns))
        model.add(X, alphas)
        expected += kernel(queries, X) @ alphas
        scores = model.score(queries).reshape(70, columns)
        np.testing.assert_allclose(
            scores, expected, rtol=1e-9, atol=1e-11 * (1 + np.abs(expected).max())
        )
    restored = tk.WeightedForest(kernel, columns)
    restored._restore(model._state())
    assert np.array_equal(restored.score(queries), model.score(queries))


@pytest.mark.parametrize(
    ("name", "rule", "classes"),
    [
        ("plain", "perceptron", 3),
        ("plain", "hinge", 2),
        ("words", "squared_hinge", 3),
        ("weighted", "hinge", 3),
        ("sum", "perceptron", 2),
    ],
)
def test_many_examples_are_learned_from_as_by_the_oracle(
    name: str, rule: str, classes: int
) -> None:
    count, kernel = len(TREES), KERNELS[name]
    gram = kernel(TREES)
    for seed in range(20):
        labels = np.random.RandomState(seed).randint(classes, size=count)
        oracle = OnlineOracle(rule, classes, 0.3).learn(gram, labels, [*range(count)] * 2)
        if not oracle.doubtful:
            break
    assert not oracle.doubtful
    learners = []
    for n_jobs in (1, 3):
        parameters: dict[str, Any] = {"average": None, "epochs": 2, "shuffle": False}
        if rule == "perceptron":
            learner: Any = tk.TreePerceptron(kernel, n_jobs=n_jobs, **parameters)
        else:
            learner = tk.TreePassiveAggressive(
                kernel, C=0.3, loss=rule, n_jobs=n_jobs, **parameters
            )
        learners.append(learner.fit(TREES, labels))
        assert learner.n_updates_ == oracle.updates
        assert learner.loss_ == pytest.approx(oracle.loss)
    expected, _ = oracle.scores(gram, None)
    scores = learners[0].decision_function(TREES)
    np.testing.assert_allclose(scores, expected, atol=1e-8 * (1 + np.abs(expected).max()))
    assert np.array_equal(scores, learners[1].decision_function(TREES))


def test_leaves_alone_are_learned_from() -> None:
    """A model of single nodes has no subtree but their labels, and batches go on from it."""
    trees = tk.Forest(["(a)", "(b)", "(c)"] * 100)
    labels = np.array(["a", "b", "b"] * 100)
    kernel = tk.SubsetTreeKernel(leaf_weight=1.0)
    learner = tk.TreePerceptron(kernel, average=None)
    for _ in range(2):
        learner.partial_fit(trees, labels)
    assert learner.n_updates_ <= 3
    assert (learner.predict(trees) == labels).all()


def test_batches_of_any_size_give_the_same_model() -> None:
    """Few and many examples at a time are learned from in different ways."""
    labels = np.random.RandomState(1).randint(3, size=len(TREES))
    whole = tk.TreePerceptron("sst", average="mean").partial_fit(TREES, labels)
    scores = whole.decision_function(TREES)
    for sizes in ([5, 300, 1, 254], [256, 304], [255, 305]):
        parts = tk.TreePerceptron("sst", average="mean")
        first = 0
        for size in sizes:
            chosen = slice(first, first + size)
            parts.partial_fit(TREES[chosen], labels[chosen], classes=[0, 1, 2])
            first += size
        assert (parts.t_, parts.n_updates_) == (whole.t_, whole.n_updates_)
        np.testing.assert_allclose(parts.decision_function(TREES), scores, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "C", "classes"),
    [
        ("plain", 0.1, 2),
        ("plain", 30.0, 3),
        ("words", 1.0, 3),
        ("weighted", 30.0, 2),
        ("sum", 1.0, 2),
    ],
)
def test_a_machine_that_leaves_examples_out_finds_the_best_all_the_same(
    name: str, C: float, classes: int
) -> None:
    """The duality gap is as small as it says, measured on the whole Gram matrix."""
    kernel = KERNELS[name]
    gram = kernel(TREES)
    hidden = np.random.RandomState(2).normal(size=(len(TREES), classes))
    labels = (gram @ hidden + 2 * hidden).argmax(axis=1)  # mostly the kernel's doing
    machine = tk.TreeSVC(kernel, C=C, solver="forest", cache_size=1e-3, random_state=0, tol=1e-4)
    machine.fit(TREES, labels)
    coefficients = np.zeros((len(TREES), 1 if classes == 2 else classes))
    coefficients[machine.support_] = machine.dual_coef_
    values = gram @ coefficients
    np.testing.assert_allclose(
        machine.decision_function(TREES).reshape(values.shape),
        values + machine.intercept_,
        atol=1e-8 * (1 + np.abs(values).max()),
    )
    own = labels[:, None] == (np.arange(classes) if classes > 2 else [1])
    signs = np.where(own, 1.0, -1.0)
    squares = (coefficients * values).sum()
    losses = np.maximum(0, 1 - signs * (values + machine.intercept_))
    primal = squares / 2 + C * losses.sum()
    dual = (signs * coefficients).sum() - squares / 2
    assert machine.objective_ == pytest.approx(primal, rel=1e-6)
    assert primal - dual <= 1.01e-4 * primal
    assert (signs * coefficients >= 0).all()
    assert (np.abs(coefficients) <= C * (1 + 1e-12)).all()
