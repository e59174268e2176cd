"""Partial and elastic trees learned on a compact model, against Gram matrices and plain sums."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from learner_data import DATA, SCARCE
from oracles.kernels import to_brackets
from treekernels.testing import strategies

SIMILAR = {("A", "B"): 0.5, ("C", "D"): 0.25}
KERNELS = {
    "partial": tk.PartialTreeKernel(),
    "span": tk.PartialTreeKernel(0.5, gaps="span"),
    "skipped, as it is": tk.PartialTreeKernel(
        0.5, vertical_decay=0.7, gaps="skipped", normalize=False
    ),
    "similar partial": tk.ElasticTreeKernel(elastic=False, similarity=SIMILAR),
    "elastic": tk.ElasticTreeKernel(),
    "elastic, as it is": tk.ElasticTreeKernel(0.2, normalize=False),
    "similar elastic": tk.ElasticTreeKernel(similarity=SIMILAR),
    "sum": 0.5 * tk.PartialTreeKernel(normalize=False)
    + 2 * tk.ElasticTreeKernel()
    + tk.SubsetTreeKernel(),
}
kernels = pytest.mark.parametrize("name", KERNELS)


@kernels
@given(data=st.data())
def test_scores_are_weighted_sums(name: str, data: st.DataObject) -> None:
    kernel = KERNELS[name]
    trees = data.draw(
        st.lists(strategies.trees(labels="ABCD", max_nodes=8), min_size=2, max_size=12)
    )
    texts = [to_brackets(tree) for tree in trees]
    cut = data.draw(st.integers(1, len(texts) - 1))
    support, others = tk.Forest.from_brackets(texts[:cut]), tk.Forest.from_brackets(texts[cut:])
    weights = data.draw(
        st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=cut, max_size=cut)
    )
    model = tk.WeightedForest(kernel, 2)
    middle = data.draw(st.integers(0, cut))
    for part in (slice(None, middle), slice(middle, None)):
        if len(support[part]):
            model.add(support[part], np.array(weights)[part])
    for asked in (others, support):
        expected = kernel(asked, support) @ np.array(weights)
        np.testing.assert_allclose(model.score(asked), expected, rtol=1e-12, atol=1e-11)


@kernels
def test_machine_decides_as_with_a_gram_matrix(name: str) -> None:
    trees, labels = DATA["grammar"]
    forest = tk.Forest(trees)
    settings: dict[str, Any] = {"tol": 1e-6, "max_iter": 20_000, "random_state": 0}
    kernel = KERNELS[name]
    compact = tk.TreeSVC(kernel, solver="forest", cache_size=SCARCE, **settings).fit(forest, labels)
    gram = tk.TreeSVC(kernel, solver="gram", **settings).fit(forest, labels)
    assert compact.solver_ == "forest"
    scale = np.abs(gram.decision_function(forest)).max()
    np.testing.assert_allclose(
        compact.decision_function(forest),
        gram.decision_function(forest),
        atol=2e-3 * max(1.0, scale),
    )


@pytest.mark.parametrize("name", ["partial", "elastic"])
def test_memory_for_rows_changes_nothing(name: str) -> None:
    trees, labels = DATA["grammar"]
    forest = tk.Forest(trees)
    machines = [
        tk.TreeSVC(KERNELS[name], solver="forest", cache_size=size, random_state=0).fit(
            forest, labels
        )
        for size in (SCARCE, 0.08)
    ]
    np.testing.assert_array_equal(machines[0].dual_coef_, machines[1].dual_coef_)


@pytest.mark.parametrize("name", ["partial", "elastic"])
def test_what_was_made_ready_is_that_of_the_model_as_it_stands(name: str) -> None:
    trees, _ = DATA["syntax"]
    forest, kernel = tk.Forest(trees), KERNELS[name]
    model, other = tk.WeightedForest(kernel), tk.WeightedForest(kernel)
    other.add(forest[:5], np.ones(5))
    sums = np.zeros(len(forest))
    for first in range(0, 60, 20):
        some = forest[first : first + 20]
        model.add(some, np.arange(20.0))
        sums += kernel(forest, some) @ np.arange(20.0)
        np.testing.assert_allclose(model.score(forest), sums, rtol=1e-12)
        np.testing.assert_array_equal(model.score(forest), model.score(forest))
    model.merge(other, 2.0)
    np.testing.assert_allclose(
        model.score(forest), sums + 2 * kernel(forest, forest[:5]) @ np.ones(5), rtol=1e-12
    )


@pytest.mark.parametrize("name", ["partial", "elastic"])
def test_a_model_is_made_ready_once(name: str) -> None:
    """The first score pays for it, and those of single trees from then on do not."""
    labels = [f"w{number}" for number in range(2000)]
    random = np.random.default_rng(0)
    texts = [
        f"(S {' '.join(f'({a} {b})' for a, b in random.choice(labels, (8, 2)))})"
        for _ in range(3000)
    ]
    model = tk.WeightedForest(KERNELS[name])
    model.add(tk.Forest(texts), np.ones(len(texts)))
    seconds = []
    for text in texts[:6]:
        tree = tk.Forest([text])
        started = time.process_time()
        model.score(tree)
        seconds.append(time.process_time() - started)
    assert min(seconds[1:]) < seconds[0] / 3


def test_the_order_of_trees_does_not_matter_to_the_time() -> None:
    """A kernel that compares many trees at a time must not do so again for each of them."""
    random = np.random.default_rng(0)
    texts = [
        f"(S {' '.join(f'({a} {b})' for a, b in random.choice(50, (8, 2)))})" for _ in range(900)
    ]
    forest, labels = tk.Forest(texts), np.arange(900) % 2
    seconds = []
    for order in (np.arange(200, 900), random.permutation(np.arange(200, 900))):
        learner = tk.TreePassiveAggressive(KERNELS["elastic"])
        learner.partial_fit(forest[:200], labels[:200], classes=[0, 1])
        started = time.process_time()
        learner.partial_fit(forest[order], labels[order])
        seconds.append(time.process_time() - started)
    assert seconds[1] < 4 * seconds[0]


def test_labels_that_similarities_alone_know() -> None:
    """They have classes of their own, beyond the labels of a model."""
    known = {(f"x{n}", f"y{n}"): 0.5 for n in range(5_000)}
    forest = tk.WeightedForest(tk.PartialTreeKernel(similarity=known))
    forest.add(["(A (b c))"], [1.0])
    strangers = [f"(x{n} (y{n} x{n}) (x{n} y{n}))" for n in range(0, 5_000, 50)]
    assert (forest.score(strangers) == 0).all()
