"""explain against the enumeration of all fragments."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.base import clone

import treekernels as tk
from oracles import kernels as oracle
from treekernels.testing import strategies


def path_features(tree: oracle.Tree, counts: str, **shape: Any) -> dict[oracle.Tree, oracle.Weight]:
    """Return paths as trees of one branch."""
    assert counts == "linear"
    return {
        functools.reduce(lambda below, label: (label, below), reversed(path[:-1]), path[-1:]): first
        for path, first in oracle.subpath_features(tree, **shape).items()
    }


FEATURES = {
    tk.SubsetTreeKernel: oracle.subset_features,
    tk.SubtreeKernel: oracle.subtree_features,
    tk.PartialTreeKernel: oracle.partial_features,
    tk.SubpathKernel: path_features,
}
WEIGHTS = {"A": 0.5, ("B", "x"): 0.7, "B": 1.0, None: 0.9}
KERNELS = [
    partial(tk.SubsetTreeKernel, leaf_weight=0.7),
    partial(tk.SubtreeKernel, leaf_weight=2.0),
    partial(tk.SubsetTreeKernel, weights=WEIGHTS, counts="log"),
    partial(tk.SubtreeKernel, weights=WEIGHTS, counts="binary"),
    partial(tk.PartialTreeKernel, vertical_decay=0.6, counts="log"),
    partial(tk.PartialTreeKernel, vertical_decay=1.0, gaps="span"),
    tk.SubpathKernel,
    partial(tk.SubpathKernel, max_length=2),
]


def weight_of(production: tuple[str, ...]) -> float:
    return WEIGHTS.get(production, WEIGHTS.get(production[0], WEIGHTS[None]))


def features_of(kernel: Any, tree: oracle.Tree) -> dict[oracle.Tree, oracle.Weight]:
    own = kernel.get_params()
    names = ("decay", "vertical_decay", "gaps", "max_length", "leaf_weight", "counts")
    shape = {name: own[name] for name in names if name in own}
    if own.get("weights") is not None:
        shape["weight"] = weight_of
    return FEATURES[type(kernel)](tree, **shape)


def expected(machine: Any, column: int = 0) -> dict[str, float]:
    """Return the weight of every fragment of the support trees, one by one."""
    kernel = machine.kernel
    weights: dict[str, float] = defaultdict(float)
    support = machine.support_examples_
    norms = clone(kernel).set_params(normalize=False).diag(support)
    for tree, coefficient, norm in zip(support, machine.dual_coef_[:, column], norms, strict=True):
        scale = 1 / math.sqrt(norm) if kernel.normalize and norm > 0 else 1.0
        for fragment, weight in features_of(kernel, oracle.parse(str(tree))).items():
            text = oracle.to_brackets(fragment)
            weights[text] += coefficient * scale * weight.side * math.sqrt(weight.shared)
    return weights


def machine_of(
    trees: list[oracle.Tree], kernel: tk.Kernel, solver: str = "auto", seed: int = 0
) -> tk.TreeSVC:
    labels = np.random.default_rng(seed).integers(0, 2, len(trees))
    assume(len(set(labels.tolist())) == 2)
    learner = tk.TreeSVC(kernel, C=2.0, tol=0.05, solver=solver, random_state=0)
    return learner.fit(tk.Forest.from_trees(trees), labels)


MANY_WAYS = ("R", *[("A", ("B",), ("B",), ("C",), ("C",))] * 2)
"""Of its partial trees, a large one is the heaviest: it can be found in sixteen ways."""


@pytest.mark.parametrize("make", KERNELS)
@example(trees=[MANY_WAYS, ("T", ("D",))], decay=1.0, normalize=False, seed=2)
@given(
    trees=strategies.forests(min_trees=2, max_nodes=8),
    decay=st.sampled_from([0.4, 1.0]),
    normalize=st.booleans(),
    seed=st.integers(0, 5),
)
def test_exact(make: Any, trees: Any, decay: float, normalize: bool, seed: int) -> None:
    machine = machine_of(trees, make(decay=decay, normalize=normalize), seed=seed)
    listed = tk.explain(machine, top=30, class_=1)
    weights = expected(machine)
    best = sorted((w for w in weights.values() if w > 1e-9), reverse=True)[:30]
    result = [item.weight for item in listed if item.weight > 1e-9]
    np.testing.assert_allclose(result, best, rtol=1e-9, atol=1e-9)
    for item in listed:
        assert item.weight == pytest.approx(weights[str(item.fragment)], abs=1e-9)
    assert len({str(item.fragment) for item in listed}) == len(listed)


@pytest.mark.parametrize("make", KERNELS)
@given(trees=strategies.forests(min_trees=2, max_nodes=8), seed=st.integers(0, 5))
def test_a_prediction_adds_up(make: Any, trees: Any, seed: int) -> None:
    machine = machine_of(trees, make(decay=0.5), seed=seed)
    tree = tk.Forest.from_trees(trees)[:1]
    listed = tk.explain(machine, tree=tree, top=10_000, class_=1)
    score = machine.decision_function(tree)[0] - machine.intercept_[0]
    assert sum(item.weight for item in listed) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("factor", [0.25, 9.0])
def test_the_weight_of_a_summand(factor: float) -> None:
    """A kernel that counts w times has features that are sqrt(w) times as large.

    So a fragment has that factor once in the model, and once more in what a tree has of it.
    """
    trees = tk.Forest(["(S (A a) (A a))", "(S (A a) (B b))", "(T (A a) (B b))", "(T (A c) (B b))"])
    tree_kernel = tk.SubsetTreeKernel(decay=0.5, normalize=False, on="t")
    kernel = factor * tree_kernel + tk.LinearKernel(on="v")
    X = {"t": trees, "v": np.zeros((4, 1))}
    machine = tk.TreeSVC(kernel, random_state=0).fit(X, [0, 0, 1, 1])
    in_model = {
        item.text: (item.weight if item.class_ == 1 else -item.weight)
        for item in tk.explain(machine, top=1000)
    }
    example = {"t": trees[0], "v": [0.0]}
    listed = tk.explain(machine, tree=example, top=1000, class_=1)
    own = oracle.subset_features(oracle.parse(str(trees[0])), decay=0.5)
    features = {
        oracle.to_brackets(fragment): weight.side * math.sqrt(weight.shared)
        for fragment, weight in own.items()
    }
    assert len(listed) == 5
    for item in listed:
        expected = in_model[item.text] * math.sqrt(factor) * features[item.text]
        assert item.weight == pytest.approx(expected)


def test_counts_of_trees_and_both_solvers() -> None:
    trees = [("S", ("A", "a"), ("B", word)) for word in "uvw"] + [("S", ("C", w)) for w in "uvw"]
    forest = tk.Forest.from_trees(trees)
    labels = ["x"] * 3 + ["y"] * 3
    listings = []
    for solver in ("forest", "gram"):
        machine = tk.TreeSVC("sst", C=1.0, tol=1e-4, solver=solver, random_state=0).fit(
            forest, labels
        )
        listed = tk.explain(machine, top=5, class_="x")
        listings.append([str(item.fragment) for item in listed[:3]])
        by_text = {str(item.fragment): item for item in listed}
        assert by_text["(S (A a) B)"].trees == 3
        assert by_text["(S (A a) B)"].size == 2
        assert by_text["(S (A a) B)"].class_ == "x"
    assert sorted(listings[0]) == sorted(listings[1])


def test_classes_columns_and_averages() -> None:
    trees = [f"(S ({label} {word}) (X x))" for label in "ABC" for word in "uvw"]
    labels = [label for label in "ABC" for _ in "uvw"]
    for learner in (
        tk.TreeSVC("sst", random_state=0),
        tk.TreePerceptron("sst", random_state=0, epochs=3, average="mean"),
        tk.TreePassiveAggressive("sst", random_state=0, epochs=3),
    ):
        learner.fit(trees, labels)
        listed = tk.explain(learner, top=1)
        assert [result.class_ for result in listed] == ["A", "B", "C"]
        assert all(result.class_ in str(result.fragment) for result in listed)
    X = {"tree": trees, "size": np.arange(9.0).reshape(-1, 1)}
    kernel = 2.0 * tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="size")
    machine = tk.TreeSVC(kernel, random_state=0).fit(X, labels)
    assert {result.on for result in tk.explain(machine, top=1)} == {"tree"}
    result = {"tree": trees[0], "size": [0.0]}
    assert (
        tk.explain(machine, tree=result, top=1)[0].class_
        == machine.predict({"tree": trees[:1], "size": np.zeros((1, 1))})[0]
    )


def test_what_cannot_be_explained() -> None:
    trees = ["(A b)", "(A c)", "(B b)", "(B c)"]
    product = tk.TreeSVC(tk.SubpathKernel() * tk.SubsetTreeKernel()).fit(trees, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="no kernel of trees or sentence pairs in a sum"):
        tk.explain(product)
    machine = tk.TreeSVC("sst").fit(trees, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="no class 7"):
        tk.explain(machine, class_=7)
    with pytest.raises(ValueError, match="no class 7"):
        tk.explain(machine, class_=[1, 7])
    assert {fragment.class_ for fragment in tk.explain(machine, class_=[1])} == {1}
    assert {fragment.class_ for fragment in tk.explain(machine, class_=[1, 0])} == {0, 1}
    with pytest.raises(ValueError, match="top must be"):
        tk.explain(machine, top=0)


def test_deep_trees() -> None:
    deep = "(A " * 3000 + "a" + ")" * 3000
    machine = tk.TreeSVC(tk.SubtreeKernel(), random_state=0).fit([deep, "(A b)"], [1, 0])
    assert tk.explain(machine, top=3, class_=1)
