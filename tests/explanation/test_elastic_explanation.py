"""Explanations of elastic models against the enumeration of all small fragments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treekernels as tk
from oracles import kernels as oracle
from treekernels.explanation.searches.elastic_trees import MOST_NODES
from treekernels.testing import strategies

SIMILARITY = {("A", "B"): 0.5, ("B", "B"): 1.5}


def similarity_of(kernel: tk.ElasticTreeKernel, a: str, b: str) -> float:
    table = kernel.similarity or {}
    return table.get((a, b), table.get((b, a), float(a == b)))


def labels_of(fragment: Any) -> list[str]:
    return [node[0] for node in oracle.nodes(fragment)]


def shape_of(fragment: Any) -> Any:
    children = () if isinstance(fragment, str) else fragment[1:]
    return tuple(shape_of(child) for child in children)


def small_features(kernel: tk.ElasticTreeKernel, tree: Any) -> dict[Any, float]:
    """Return the fragments of a tree and how often it has them, as far as they are small."""
    features = oracle.elastic_features if kernel.elastic else oracle.ordered_features
    return {
        fragment: float(weight.side)
        for fragment, weight in features(tree).items()
        if len(oracle.nodes(fragment)) <= MOST_NODES
    }


def matches(kernel: tk.ElasticTreeKernel, one: Any, other: Any) -> float:
    """Return how well two fragments match: not at all, unless they have the same shape."""
    if shape_of(one) != shape_of(other):
        return 0.0
    pairs = zip(labels_of(one), labels_of(other), strict=True)
    return math.prod(similarity_of(kernel, a, b) for a, b in pairs)


def scaled_support(machine: tk.TreeSVC) -> Iterator[tuple[Any, float]]:
    """Yield the support trees, with the coefficients that they have in the plain kernel."""
    support = machine.support_examples_
    kernel = machine.kernel
    norms = tk.ElasticTreeKernel(
        kernel.decay, elastic=kernel.elastic, similarity=kernel.similarity, normalize=False
    ).diag(support)
    for tree, coefficient, norm in zip(support, machine.dual_coef_[:, 0], norms, strict=True):
        yield oracle.parse(str(tree)), coefficient / (math.sqrt(norm) if kernel.normalize else 1)


def responses(machine: tk.TreeSVC) -> dict[Any, float]:
    """Return what the model makes of each fragment that it has itself, without the decay."""
    weights: dict[Any, float] = defaultdict(float)
    for tree, coefficient in scaled_support(machine):
        for fragment, count in small_features(machine.kernel, tree).items():
            weights[fragment] += coefficient * count
    return {
        item: sum(
            weight * matches(machine.kernel, item, other) for other, weight in weights.items()
        )
        for item in weights
    }


KERNELS = st.builds(
    tk.ElasticTreeKernel,
    st.sampled_from([0.4, 1.0]),
    elastic=st.booleans(),
    similarity=st.sampled_from([None, SIMILARITY]),
    normalize=st.booleans(),
)


def machine_of(trees: list[Any], kernel: tk.Kernel, seed: int) -> tk.TreeSVC:
    labels = np.random.default_rng(seed).integers(0, 2, len(trees))
    assume(len(set(labels.tolist())) == 2)
    machine = tk.TreeSVC(kernel, C=2.0, tol=0.05, random_state=0)
    return machine.fit(tk.Forest.from_trees(trees), labels)


@given(trees=strategies.forests(min_trees=2, max_nodes=7), kernel=KERNELS, seed=st.integers(0, 5))
def test_a_model(trees: Any, kernel: tk.ElasticTreeKernel, seed: int) -> None:
    machine = machine_of(trees, kernel, seed)
    weights = {
        oracle.to_brackets(fragment): value * kernel.decay ** (len(oracle.nodes(fragment)) / 2)
        for fragment, value in responses(machine).items()
    }
    listed = tk.explain(machine, top=30, class_=1)
    best = sorted((w for w in weights.values() if w > 1e-9), reverse=True)[:30]
    result = [item.weight for item in listed if item.weight > 1e-9]
    np.testing.assert_allclose(result, best, rtol=1e-9, atol=1e-9)
    for item in listed:
        assert item.weight == pytest.approx(weights[str(item.fragment)], abs=1e-9)
    assert len({str(item.fragment) for item in listed}) == len(listed)


@given(
    trees=strategies.forests(min_trees=2, max_nodes=7),
    tree=strategies.trees(max_nodes=MOST_NODES),
    kernel=KERNELS,
    seed=st.integers(0, 5),
)
def test_a_prediction_adds_up(
    trees: Any, tree: Any, kernel: tk.ElasticTreeKernel, seed: int
) -> None:
    machine = machine_of(trees, kernel, seed)
    listed = tk.explain(machine, tree=tree, class_=1, top=10_000)
    score = machine.decision_function(tk.Forest.from_trees([tree]))[0] - machine.intercept_[0]
    assert sum(item.weight for item in listed) == pytest.approx(score, abs=1e-9)


def test_labels_that_the_model_does_not_have() -> None:
    kernel = tk.ElasticTreeKernel(similarity={("dog", "cat"): 0.5})
    machine = tk.TreeSVC(kernel, random_state=0).fit(["(N dog)", "(V runs)"], ["n", "v"])
    (listed,) = [
        fragment for fragment in tk.explain(machine, tree="(X cat)") if fragment.class_ == "n"
    ]
    assert str(listed.fragment) == "(cat)"
    assert listed.weight > 0


def test_deep_trees_are_refused_by_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the pairs of a chain of 30 nodes are 4,060 nodes, of which no level has 1,000."""
    deep = "(A " * 29 + "a" + ")" * 29
    machine = tk.TreeSVC(tk.ElasticTreeKernel(0.1), random_state=0).fit([deep, "(A b)"], [1, 0])
    tk.explain(machine, class_=1)
    monkeypatch.setattr("treekernels.explanation.searches.elastic_trees._MOST_CANDIDATES", 1000)
    with pytest.raises(tk.DataError, match="too large to list"):
        tk.explain(machine, class_=1)
