"""Weights of examples and classes in on-line learners, against sums over the Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import Perceptron
from sklearn.utils.class_weight import compute_class_weight

import treekernels as tk
from learner_data import AVERAGES, NEW, RULES, TREES, learner_of
from oracles.learners import OnlineOracle
from treekernels.testing.strategies import forests

Matrix = NDArray[np.float64]
KERNELS = {
    "subset": tk.SubsetTreeKernel(0.4, leaf_weight=0.5),
    "partial": tk.PartialTreeKernel(normalize=False),
    "product": tk.SubsetTreeKernel() * tk.SubtreeKernel(),
    "sum": tk.SubsetTreeKernel() + 0.5 * tk.SubtreeKernel() + 0.2,
}


each_rule_and_average = pytest.mark.parametrize(
    ("rule", "average"), [*zip(RULES, AVERAGES, strict=True)]
)


def drawn_weights(random: np.random.RandomState, count: int) -> Matrix:
    """Weights of all sizes, some of them 0."""
    weights = np.exp(random.normal(size=count))
    weights[random.uniform(size=count) < 0.2] = 0
    weights[-1] = 1.5
    return weights


@given(
    st.sampled_from(list(KERNELS)),
    forests(8, min_trees=1),
    st.integers(2, 3),
    st.sampled_from(RULES),
    st.sampled_from(AVERAGES),
    st.data(),
)
def test_weighted_learner_equals_oracle_on_any_trees(
    name: str, trees: Any, classes: int, rule: str, average: Any, data: st.DataObject
) -> None:
    """Weights of examples times those of classes, in batches."""
    trees, kernel = tk.Forest(trees), KERNELS[name]
    numbers = st.floats(0, 8, allow_subnormal=False)
    count = len(trees)
    labels = np.array(
        data.draw(st.lists(st.integers(0, classes - 1), min_size=count, max_size=count))
    )
    weights = np.array(data.draw(st.lists(numbers, min_size=count, max_size=count)))
    by_class = {k: data.draw(numbers) for k in range(classes)}
    learner = learner_of(rule, kernel, average=average, class_weight=by_class)
    middle = data.draw(st.integers(0, count))
    for part in (slice(0, middle), slice(middle, count)):
        if len(labels[part]):
            learner.partial_fit(trees[part], labels[part], range(classes), weights[part])
    together = weights * np.array([by_class[label] for label in labels])
    assume(together.any() and np.all((together == 0) | (together > 1e-6)))
    oracle = OnlineOracle(rule, classes, 0.3).learn(kernel(trees), labels, range(count), together)
    assume(not oracle.doubtful and oracle.models[0].any())  # before it there is nobody to vote
    scores, doubts = oracle.scores(kernel(trees), average)
    most = 1e-8 * (1 + np.abs(scores).max()) + doubts
    assert (np.abs(learner.decision_function(trees) - scores) <= most).all()


@each_rule_and_average
def test_weight_0_is_as_if_it_were_not_there(rule: str, average: Any) -> None:
    """In random order too, with balanced classes, and for all that a learner says of itself."""
    labels = np.random.RandomState(3).randint(3, size=40)
    weights = (np.arange(40) % 4 > 0).astype(float)
    kept = weights > 0
    options = {"average": average, "epochs": 3, "random_state": 0, "class_weight": "balanced"}
    with_zeros = learner_of(rule, **options).fit(TREES, labels, weights)
    without = learner_of(rule, **options).fit(TREES[kept], labels[kept])
    assert np.array_equal(with_zeros.decision_function(NEW), without.decision_function(NEW))
    for name in ("t_", "n_updates_", "loss_"):
        assert getattr(with_zeros, name) == getattr(without, name)
    nothing = clone(without).set_params(class_weight=None)
    nothing.partial_fit(TREES, labels, sample_weight=np.zeros(40))
    assert nothing.t_ == 0
    assert not nothing.decision_function(NEW).any()


@pytest.mark.parametrize("rule", RULES)
def test_classes_weigh_as_their_examples_do(rule: str) -> None:
    labels = np.array(["a", "b", "b", "c"])[np.random.RandomState(0).randint(4, size=40)]
    names = np.unique(labels)
    balanced = compute_class_weight("balanced", classes=names, y=labels)
    for class_weight, values in [
        ("balanced", balanced),
        ({"a": 3.0, "b": 0.5, "c": 0.0}, [3.0, 0.5, 0.0]),
        ({"b": 2.0}, [1.0, 2.0, 1.0]),  # the others weigh 1
    ]:
        own = np.array(values)[np.searchsorted(names, labels)]
        by_class = learner_of(rule, class_weight=class_weight, random_state=0).fit(TREES, labels)
        by_example = learner_of(rule, random_state=0).fit(TREES, labels, sample_weight=own)
        assert np.array_equal(by_class.decision_function(NEW), by_example.decision_function(NEW))


@pytest.mark.parametrize("seed", range(2))
def test_perceptron_weighs_as_that_of_scikit_learn(seed: int) -> None:
    """On vectors, without an intercept: the same model."""
    random = np.random.RandomState(seed)
    X, labels = random.normal(size=(60, 4)), random.randint(2, size=60)
    weights = drawn_weights(random, 60)
    theirs = Perceptron(fit_intercept=False, shuffle=False, max_iter=3, tol=None)
    theirs.fit(X, labels, sample_weight=weights)
    ours = tk.TreePerceptron(tk.LinearKernel(), average=None, shuffle=False, epochs=3)
    ours.fit(X, labels, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_heavy_examples_are_not_pushed_beyond_their_margin(loss: str) -> None:
    learner = tk.TreePassiveAggressive("sst", average=None, loss=loss)
    learner.partial_fit(["(A b)", "(B c)"], [0, 1], sample_weight=[1e9, 1e9])
    np.testing.assert_allclose(learner.decision_function(["(A b)", "(B c)"]), [-1, 1], rtol=1e-8)
