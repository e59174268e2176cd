"""Weighted forests and learning on them, against sums over the Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import treekernels as tk
from learner_data import AVERAGES, NEW, RULES, TREES, agree, learner_of
from oracles.learners import OnlineOracle
from treekernels import _native
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.model import Model
from treekernels.testing.strategies import decays, forests

Matrix = NDArray[np.float64]


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * (1 + np.abs(b).max(initial=0)))


@st.composite
def forest_kernels(draw: st.DrawFn) -> tk.Kernel:
    """Kernels that have a weighted forest."""
    kind = draw(st.sampled_from([tk.SubsetTreeKernel, tk.SubtreeKernel]))
    decay: Any = draw(decays(1e-3))
    weights = draw(st.sampled_from([None, {"A": 0.5, "B -> x": 2.0, "B": 0.0, None: 0.9}]))
    return kind(
        draw(st.sampled_from([decay, {"A": 0.3, None: decay}])),
        leaf_weight=draw(st.sampled_from([0.0, 0.5])),
        counts=draw(st.sampled_from(["linear", "log", "binary"])),
        weights=weights,
        normalize=draw(st.booleans()),
    )


@st.composite
def tree_lists(draw: st.DrawFn, most: int = 8) -> tk.Forest:
    return tk.Forest(draw(forests(max_trees=most, min_trees=1, max_nodes=10)))


def coefficients(count: int, columns: int, seed: int) -> Matrix:
    """Some of which are 0."""
    random = np.random.RandomState(seed)
    return random.normal(size=(count, columns)) * (random.uniform(size=(count, columns)) < 0.7)


@given(
    forest_kernels(),
    st.lists(tree_lists(), min_size=1, max_size=3),
    tree_lists(),
    st.integers(1, 4),
    st.integers(0, 1000),
)
def test_score_is_the_sum_over_all_examples(
    kernel: tk.Kernel, batches: list[tk.Forest], queries: tk.Forest, columns: int, seed: int
) -> None:
    """Also between batches, as the forest grows, and of a forest that was saved and restored."""
    model = Model(kernel, columns)
    expected = np.zeros((len(queries), columns))
    for number, trees in enumerate(batches):
        alphas = coefficients(len(trees), columns, seed + number)
        model.add(kernel.examples(trees), alphas)
        expected += kernel(queries, trees) @ alphas
        scores = model.score(kernel.examples(queries), Run())
        close(scores, expected)
    restored = Model(kernel, columns)
    restored.restore(model.state())
    assert np.array_equal(restored.score(kernel.examples(queries), Run()), scores)
    assert restored.size == model.size


def test_forest_refuses_what_does_not_fit() -> None:
    forest = _native.WeightedForest(_native.SubsetKernel(0.4, 0.0), True, 1.0, 2)
    trees = tk.Forest(["(A b)", "(A c)"])
    with pytest.raises(ValueError, match="shape"):
        forest.add(trees.dag, trees.roots, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="shape"):
        forest.score(trees.dag, trees.roots, np.zeros((1, 2)), 1)
    with pytest.raises((ValueError, IndexError)):
        forest.add(trees.dag, np.array([99, 0], np.uint32), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="output"):
        _native.WeightedForest(_native.SubsetKernel(0.4, 0.0), True, 1.0, 0)


# Learning through each kind of part, natively.


# The learners themselves.

SINGLE: dict[str, tk.Kernel] = {
    "subset": tk.SubsetTreeKernel(),
    "subset-leaves": tk.SubsetTreeKernel(0.3, leaf_weight=0.5, normalize=False),
    "subtree": tk.SubtreeKernel(0.7),
    "constant": 0.5 * tk.SubsetTreeKernel(0.3, leaf_weight=0.5) + 0.3,
    "sum": tk.SubsetTreeKernel(0.2) + 0.25 * (tk.SubtreeKernel() + 2 * tk.SubsetTreeKernel()),
    "partial": tk.PartialTreeKernel(),
    "elastic": tk.ElasticTreeKernel(),
    "product": tk.SubsetTreeKernel() * tk.SubtreeKernel(),
    "power and forest": tk.SubsetTreeKernel() ** 2 + tk.SubsetTreeKernel(),
    "pairs": tk.SubsetTreeKernel(algorithm="ftk"),
    "normalized": tk.NormalizedKernel(tk.SubsetTreeKernel(normalize=False) + tk.SubtreeKernel()),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SINGLE)
def test_online_learner_equals_oracle(name: str, rule: str) -> None:
    """Every kernel by every rule, with averages and numbers of classes in turn."""
    X, new, kernel = TREES, NEW, SINGLE[name]
    turn = list(SINGLE).index(name) + RULES.index(rule)
    average, classes = AVERAGES[turn % 3], 2 + turn % 2
    for seed in range(20):
        labels = np.random.RandomState(seed).randint(classes, size=len(X))
        oracle = OnlineOracle(rule, classes, 0.3).learn(kernel(X), labels, [*range(len(X))] * 2)
        if not oracle.doubtful:
            break
    assert not oracle.doubtful
    learner = learner_of(rule, kernel, average=average, epochs=2, shuffle=False).fit(X, labels)
    assert learner.n_updates_ == oracle.updates
    assert learner.loss_ == pytest.approx(oracle.loss)
    agree(learner, X, oracle.scores(kernel(X), average))
    agree(learner, new, oracle.scores(kernel(new, X), average))


@pytest.mark.parametrize(("rule", "average"), [*zip(RULES, AVERAGES, strict=True)])
def test_columns_of_trees_and_vectors_equal_oracle(rule: str, average: Any) -> None:
    random = np.random.RandomState(0)
    X = {"tree": TREES, "v": random.normal(size=(40, 3)), "w": random.normal(size=40)}
    new = {"tree": NEW, "v": random.normal(size=(25, 3)), "w": random.normal(size=25)}
    kernel = (
        tk.SubsetTreeKernel(on="tree")
        + 0.5 * tk.LinearKernel(on="v")
        + 0.1 * tk.PolynomialKernel(2, on=["w"])
        + 0.2 * tk.LinearKernel(on=["w"])
        + 0.7
    )
    labels = random.randint(3, size=40)
    learner = learner_of(rule, kernel, average=average, epochs=1, shuffle=False).fit(X, labels)
    oracle = OnlineOracle(rule, 3, 0.3).learn(kernel(X), labels, range(40))
    assert not oracle.doubtful
    agree(learner, new, oracle.scores(kernel(new, X), average))


def test_sparse_vectors_equal_oracle() -> None:
    """Also where entries are given in parts."""
    from scipy.sparse import csr_matrix

    random = np.random.RandomState(0)
    dense = random.normal(size=(40, 6)) * (random.uniform(size=(40, 6)) < 0.4)
    whole = csr_matrix(dense)
    parts = csr_matrix(
        (
            np.repeat(whole.data / 2, 2),
            np.repeat(whole.indices, 2),
            2 * whole.indptr,
        ),
        shape=whole.shape,
    )
    labels = (dense[:, 0] > 0).astype(int)
    kernel = tk.LinearKernel() + 0.1 * tk.PolynomialKernel()
    oracle = OnlineOracle("hinge", 2, 0.3).learn(kernel(dense), labels, range(40))
    for X in (dense, whole, parts):
        learner = learner_of("hinge", kernel, average=None, epochs=1, shuffle=False).fit(X, labels)
        agree(learner, X, oracle.scores(kernel(dense), None))


@given(
    forest_kernels(),
    tree_lists(),
    st.integers(2, 3),
    st.sampled_from(RULES),
    st.sampled_from(AVERAGES),
    st.integers(0, 1000),
)
@example(tk.SubsetTreeKernel(), tk.Forest(["(A)"]), 2, "hinge", None, 0)  # of norm 0
@example(tk.SubsetTreeKernel(leaf_weight=1), tk.Forest(["(A)"] * 2), 2, "hinge", None, 0)
def test_online_learner_equals_oracle_on_any_trees(
    kernel: tk.Kernel, trees: tk.Forest, classes: int, rule: str, average: Any, seed: int
) -> None:
    labels = np.random.RandomState(seed).randint(classes, size=len(trees))
    learner = learner_of(rule, kernel, average=average)
    learner.partial_fit(trees, labels, classes=np.arange(classes))
    oracle = OnlineOracle(rule, classes, 0.3).learn(kernel(trees), labels, range(len(trees)))
    assume(not oracle.doubtful)
    scores, doubts = oracle.scores(kernel(trees), average)
    assert (np.abs(learner.decision_function(trees) - scores) <= 1e-8 + doubts).all()


@pytest.mark.parametrize(
    ("name", "average", "classes"),
    [
        ("subset-leaves", "vote", 3),
        ("subtree", None, 2),
        ("sum", "mean", 3),
        ("partial", "vote", 2),
    ],
)
def test_standard_perceptron_equals_forest(name: str, average: Any, classes: int) -> None:
    kernel = SINGLE[name]
    labels = np.random.RandomState(classes).randint(classes, size=len(TREES))
    parameters = {"average": average, "epochs": 2, "random_state": 0}
    forest = tk.TreePerceptron(kernel, **parameters).fit(TREES, labels)
    standard = tk.TreePerceptron(kernel, solver="standard", **parameters).fit(TREES, labels)
    assert standard.n_updates_ == forest.n_updates_
    close(standard.decision_function(NEW), forest.decision_function(NEW))


def test_batches_of_the_forest_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    from treekernels.learners.online import learner as online

    labels = np.arange(40) % 3
    fitted = []
    for size in (1000, 11):
        monkeypatch.setattr(online, "_BATCH", size)
        learner = tk.TreePassiveAggressive("sst", average="mean", epochs=3, random_state=0)
        fitted.append(learner.fit(TREES, labels))
    whole, small = (learner.decision_function(NEW) for learner in fitted)
    assert np.array_equal(whole, small)
