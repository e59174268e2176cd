"""Models that are added up, against learning all in one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from learner_data import DATA
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.model import Model


def equal_letters(p: str, q: str) -> float:
    return float(p == q)


KERNELS = {
    "subset": tk.SubsetTreeKernel(leaf_weight=0.5),
    "subtree": tk.SubtreeKernel(),
    "weighted": tk.SubsetTreeKernel(
        {"A": 0.3, None: 0.4}, weights={"A": 0.6, "B": 1.2, None: 0.9}, counts="log"
    ),
    "subpath": tk.SubpathKernel(),
    "partial": tk.PartialTreeKernel(),
    "weighted partial": tk.PartialTreeKernel(weights={"A": 0.6, None: 0.9}, counts="log"),
    "elastic": tk.ElasticTreeKernel(normalize=False),
    "support": tk.SubsetTreeKernel() * tk.SubtreeKernel(),
    "sum": tk.SubsetTreeKernel(normalize=False) + 0.5 * tk.PartialTreeKernel(),
}
kernels = pytest.mark.parametrize("name", KERNELS)
FIRST, SECOND = random_forest(30, 1, size=12), random_forest(40, 2, size=12)
NEW = random_forest(20, 3, size=12)


def close(found: Any, expected: Any) -> None:
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * scale)


@kernels
@pytest.mark.parametrize("columns", [1, 3])
def test_merged_forests_score_as_one(name: str, columns: int) -> None:
    rng = np.random.RandomState(0)
    alphas = [rng.normal(size=(len(trees), columns)) for trees in (FIRST, SECOND)]
    one, two, both = (tk.WeightedForest(KERNELS[name], columns) for _ in range(3))
    one.add(FIRST, alphas[0])
    two.add(SECOND, alphas[1])
    before = two.score(NEW)
    both.add(FIRST, alphas[0])
    both.add(SECOND, -2.5 * alphas[1])
    one.merge(two, scale=-2.5)
    close(one.score(NEW), both.score(NEW))
    np.testing.assert_array_equal(two.score(NEW), before)
    one.add(NEW[:5], np.ones((5, columns)))  # and learns on
    both.add(NEW[:5], np.ones((5, columns)))
    close(one.score(NEW), both.score(NEW))
    empty = tk.WeightedForest(KERNELS[name], columns)
    empty.merge(two)
    close(empty.score(NEW), before)
    two.merge(two)
    close(two.score(NEW), 2 * before)


def test_mapping_kernels_and_vectors_merge() -> None:
    kernel = tk.MappingKernel(list, equal_letters, on="text") + tk.LinearKernel(on="x")
    rng = np.random.RandomState(0)

    def table(texts: list[str]) -> dict[str, Any]:
        return {"text": texts, "x": rng.normal(size=(len(texts), 3))}

    X, Y, new = table(["aab", "bc"]), table(["cd", "a", "dd"]), table(["abcd", "xa"])
    one, two, both = (tk.WeightedForest(kernel) for _ in range(3))
    one.add(X, [1.0, 2.0])
    two.add(Y, [0.5, -1.0, 3.0])
    both.add(X, [1.0, 2.0])
    both.add(Y, [0.25, -0.5, 1.5])
    one.merge(two, scale=0.5)
    close(one.score(new), both.score(new))
    wide = tk.WeightedForest(kernel)
    wide.add({"text": ["z"], "x": np.ones((1, 7))}, [1.0])
    before = one.score(new)
    with pytest.raises(tk.DataError, match="features"):
        one.merge(wide)
    np.testing.assert_array_equal(one.score(new), before)


def model_of(kernel: tk.Kernel, X: Any, alphas: Any) -> Model:
    model = Model(kernel, alphas.shape[1])
    model.add(kernel.examples(X), alphas)
    return model


@kernels
def test_scaled_snapshots_score_in_proportion(name: str) -> None:
    alphas = np.random.RandomState(0).normal(size=(len(FIRST), 3))
    snapshot = model_of(KERNELS[name], FIRST, alphas).snapshot()
    factors = np.array([2.0, 0.0, -0.5])
    before = snapshot.restored().score(KERNELS[name].examples(NEW), Run())
    scaled = snapshot.scaled(factors).restored()
    close(scaled.score(KERNELS[name].examples(NEW), Run()), factors * before)
    scaled.merge(snapshot.restored(), -factors)
    nothing = scaled.score(KERNELS[name].examples(NEW), Run())
    np.testing.assert_allclose(nothing, 0, atol=1e-9 * np.abs(before).max())


@pytest.mark.parametrize("average", ["mean", None])
@pytest.mark.parametrize("name", ["subset", "partial", "support"])
def test_learners_add_up(name: str, average: Any) -> None:
    trees, labels = DATA["unbalanced"]
    X = tk.Forest(trees)
    one, two = (
        tk.TreePerceptron(KERNELS[name], average=average).partial_fit(
            X[part], labels[part], classes=[0, 1, 2, 3]
        )
        for part in (slice(0, 90), slice(90, 200))
    )
    expected = one.decision_function(X) + two.decision_function(X)
    times, updates = one.t_ + two.t_, one.n_updates_ + two.n_updates_
    assert one.merge(two) is one
    close(one.decision_function(X), expected)
    assert (one.t_, one.n_updates_) == (times, updates)
    one.partial_fit(X[:10], labels[:10])


@pytest.mark.parametrize("solver", ["forest", "gram"])
def test_machines_add_up(solver: Any) -> None:
    trees, labels = DATA["grammar"]
    X = tk.Forest(trees)
    one, two = (
        tk.TreeSVC("sst", solver=solver, random_state=0).fit(X[part], labels[part])
        for part in (slice(0, 70), slice(70, 150))
    )
    expected = one.decision_function(X) + two.decision_function(X)
    close(one.merge(two).decision_function(X), expected)
    assert len(one.support_) == len(one.support_examples_) == len(one.dual_coef_)
    values = [
        tk.TreeSVR("sst", solver=solver).fit(X[part], labels[part])
        for part in (slice(0, 40), slice(40, 90))
    ]
    expected = values[0].predict(X) + values[1].predict(X)
    close(values[0].merge(values[1]).predict(X), expected)


def test_what_does_not_add_up_is_refused() -> None:
    result = tk.WeightedForest(tk.SubsetTreeKernel())
    with pytest.raises(tk.DataError, match="equal kernels"):
        result.merge(tk.WeightedForest(tk.SubsetTreeKernel(0.9)))
    with pytest.raises(tk.DataError, match="outputs"):
        result.merge(tk.WeightedForest(tk.SubsetTreeKernel(), 2))
    with pytest.raises(tk.DataError, match="WeightedForest"):
        result.merge("model")  # type: ignore[arg-type]
    with pytest.raises(tk.ParameterError, match="scale"):
        result.merge(result, scale=float("nan"))
    trees, labels = FIRST, np.arange(30) % 2
    voted = [tk.TreePerceptron("sst", average="vote").fit(trees, labels) for _ in range(2)]
    with pytest.raises(tk.DataError, match="mean"):
        voted[0].merge(voted[1])
    perceptron = tk.TreePerceptron("sst", average=None).fit(trees, labels)
    with pytest.raises(tk.DataError, match="classes"):
        perceptron.merge(tk.TreePerceptron("sst", average=None).fit(trees, labels + 1))
    with pytest.raises(tk.DataError, match="TreePassiveAggressive"):
        perceptron.merge(tk.TreePassiveAggressive("sst", average=None).fit(trees, labels))
    machine = tk.TreeSVC("sst").fit(trees, labels)
    with pytest.raises(tk.DataError, match="TreeSVR"):
        machine.merge(tk.TreeSVR("sst").fit(trees, labels))
    with pytest.raises(tk.DataError, match="classes"):
        machine.merge(tk.TreeSVC("sst").fit(trees, labels + 1))
