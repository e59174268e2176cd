"""The subtrees of a DAG as arrays, and what the core counts, spreads and looks up on them."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import treekernels as tk
from interruption import assert_hears_interrupt
from treekernels import _native
from treekernels.explanation.searches.subtree_arrays import (
    ModelSubtrees,
    trees_with,
)
from treekernels.testing import strategies

FORESTS = strategies.forests(min_trees=1, max_nodes=10)


def counts_below(tree: tk.Tree) -> Counter[str]:
    """Return how often a tree has each subtree, by walking through it."""
    return Counter(str(node) for node in tree.preorder())


def texts(dag: _native.Dag, count: int) -> list[str]:
    return [dag.brackets(number, 1000) for number in range(count)]


@given(FORESTS)
def test_weights_go_down_to_all_that_is_below(nested: Any) -> None:
    forest = tk.Forest.from_trees(nested)
    subtrees = ModelSubtrees(forest.dag)
    rows = np.arange(2.0 * len(forest)).reshape(-1, 2) - 3
    weights = subtrees.weights_of(forest.roots, rows, single=False)
    counts = [counts_below(tree) for tree in forest]
    for number, text in enumerate(texts(forest.dag, len(subtrees))):
        expected = sum(count[text] * row for count, row in zip(counts, rows, strict=True))
        assert weights[number].tolist() == expected.tolist()
    alone = subtrees.weights_of(forest.roots, rows, single=True)
    assert alone.sum(axis=0).tolist() == rows.sum(axis=0).tolist()
    assert set(np.flatnonzero(alone.any(axis=1))) <= set(forest.roots.tolist())


@given(FORESTS, FORESTS)
def test_trees_are_counted_in_another_dag(nested: Any, others: Any) -> None:
    model, trees = tk.Forest.from_trees(nested), tk.Forest.from_trees(others)
    known = texts(model.dag, len(model.dag))
    # More sets than there are bits in a word, some of them empty.
    sets = [np.arange(number % len(known), len(known), 3) for number in range(70)]
    sets[3] = sets[66] = np.empty(0, np.int64)
    below = [set(counts_below(tree)) for tree in trees]
    expected = [
        sum(any(known[number] in item for number in members) for item in below) for members in sets
    ]
    assert trees_with(trees, sets, model.dag) == expected
    assert trees_with(trees[:0], sets, model.dag) == [0] * len(sets)
    assert trees_with(trees, [], model.dag) == []


def test_arrays_outlive_their_dag_and_do_not_change() -> None:
    forest = tk.Forest(["(A (B b))"])
    native = _native.Subtrees.of(forest.dag)
    labels = native.labels
    before = labels.tolist()
    forest.extend([f"(X{n} (Y{n} z))" for n in range(1000)])
    del forest, native
    assert labels.tolist() == before
    with pytest.raises(ValueError, match="read-only"):
        labels[0] = 1


def test_explaining_adds_nothing_to_the_model() -> None:
    model = tk.TreeSVC("sst", random_state=0).fit(["(S (A a))", "(T (A b))"], [0, 1])
    dag = model.weighted_examples()[0].examples.dag
    before = len(dag)
    assert tk.explain(model, tree="(S (A a) (NEW (X x)))", top=3)
    assert tk.explain(model)
    assert len(dag) == before


def test_wrong_numbers_are_refused() -> None:
    forest = tk.Forest(["(A b)"])
    native = _native.Subtrees.of(forest.dag)
    with pytest.raises(ValueError, match="a row of values"):
        native.spread(np.zeros((7, 1)))
    with pytest.raises(IndexError, match="no such label"):
        _native.label_texts(forest.dag, np.array([9]))
    with pytest.raises(IndexError, match="no such production"):
        _native.production_labels(forest.dag, 1)
    with pytest.raises(ValueError, match="offsets do not fit"):
        native.count_roots_with(np.array([0, 2]), np.array([0]))
    with pytest.raises(ValueError, match="no such subtree"):
        native.count_roots_with(np.array([0, 1]), np.array([-1]))
    with pytest.raises(IndexError, match="no such subtree"):
        _native.Subtrees.below(forest.dag, np.array([5], np.uint32), forest.dag)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
def test_interrupt() -> None:
    """A node with very many children of one label takes minutes to bound, and hears Ctrl-C."""
    prepare = """
from treekernels import _native
subtrees = _native.Subtrees.of(tk.Forest(["(A" + " b" * 600_000 + ")"]).dag)
"""
    assert_hears_interrupt(prepare, "subtrees.partial_bounds(1.0, 0.4)", after=0.7)
