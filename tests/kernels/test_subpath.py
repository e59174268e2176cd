"""The subpath kernel against the oracle, in Gram matrices and in learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest, random_tree
from oracles import kernels as oracle
from oracles.kernels import Tree
from treekernels.testing.strategies import forests

lengths = st.sampled_from([None, 1, 2, 5])


def expected(trees: list[Tree], **parameters: Any) -> Any:
    values = [[oracle.kernel("subpath", a, b, **parameters) for b in trees] for a in trees]
    return np.array(values).reshape(len(trees), len(trees))


@given(forests(), st.sampled_from([1.0, 0.4, 0.73]), lengths)
def test_values_are_those_of_the_listed_paths(
    trees: list[Tree], decay: float, max_length: int | None
) -> None:
    kernel = tk.SubpathKernel(decay, max_length=max_length, normalize=False)
    values = expected(trees, decay=decay, max_length=max_length)
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(trees), np.diagonal(values), rtol=1e-12)
    half = len(trees) // 2
    np.testing.assert_allclose(kernel(trees[:half], trees[half:]), values[:half, half:], rtol=1e-12)


def test_larger_trees_against_the_recursion() -> None:
    trees = [random_tree(size, seed) for seed, size in enumerate([1, 60, 120, 200])]
    kernel = tk.SubpathKernel(0.8, normalize=False)
    values = [[oracle.recursive("subpath", a, b, decay=0.8) for b in trees] for a in trees]
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-10)


def test_a_model_keeps_a_weight_for_each_path() -> None:
    trees = tk.Forest(random_forest(60, 2))
    queries = tk.Forest([*random_forest(20, 3), ("unknown", ("A", "b"))])
    alphas = np.random.RandomState(0).normal(size=(60, 3))
    for kernel in (tk.SubpathKernel(), tk.SubpathKernel(0.9, max_length=3, normalize=False)):
        model = tk.WeightedForest(kernel, columns=3)
        for first in range(0, 60, 20):  # it is asked in between, and grows
            model.add(trees[first : first + 20], alphas[first : first + 20])
            so_far = kernel(queries, trees[: first + 20]) @ alphas[: first + 20]
            np.testing.assert_allclose(model.score(queries), so_far, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cache_size", [128, 0.001])
def test_support_vectors_without_the_gram_matrix(cache_size: float) -> None:
    trees = tk.Forest(random_forest(80, 4))
    labels = np.array([str(tree.label) for tree in trees])
    machine = tk.TreeSVC(tk.SubpathKernel(), random_state=0, cache_size=cache_size)
    machine.fit(trees, labels)
    assert machine.solver_ == "forest"
    slow = tk.TreeSVC(tk.SubpathKernel(), solver="gram").fit(trees, labels)
    np.testing.assert_allclose(
        machine.decision_function(trees), slow.decision_function(trees), atol=0.05
    )


def test_on_line_learning_meets_new_paths_and_labels() -> None:
    trees = tk.Forest([*random_forest(50, 5), *random_forest(50, 6, labels=("A", "y", "z"))])
    labels = np.array([tree.size % 2 for tree in trees])
    forest = tk.TreePerceptron(tk.SubpathKernel(), average=None).partial_fit(trees, labels)
    kernel = tk.SubpathKernel() * 1.0**2  # the same, learned one by one
    standard = tk.TreePerceptron(kernel, average=None, solver="standard").partial_fit(trees, labels)
    np.testing.assert_allclose(
        forest.decision_function(trees), standard.decision_function(trees), atol=1e-9
    )


def test_a_saved_model_scores_with_the_same_bits(tmp_path: Any) -> None:
    trees = tk.Forest(random_forest(40, 7))
    learner = tk.TreePerceptron(tk.SubpathKernel(max_length=4), average="mean")
    learner.fit(trees, [tree.size % 2 for tree in trees])
    tk.save(learner, tmp_path / "model.tkm")
    again = tk.load(tmp_path / "model.tkm")
    assert np.array_equal(again.decision_function(trees), learner.decision_function(trees))
    more = tk.Forest(random_forest(10, 8))
    for one in (learner, again):
        one.partial_fit(more, [tree.size % 2 for tree in more])
    assert np.array_equal(again.decision_function(more), learner.decision_function(more))


def test_a_chain_that_is_too_deep_is_refused_with_a_remedy() -> None:
    deep = "(A " * 20_000 + "b" + ")" * 20_000
    with pytest.raises(tk.KernelMemoryError, match="max_length"):
        tk.SubpathKernel()([deep])
    assert tk.SubpathKernel(max_length=5)([deep], [deep]) == 1.0
