"""Forests that several threads use at once."""

from __future__ import annotations

import itertools
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from hammering import hammer, run_together
from helpers import random_forest
from interruption import pressed_after
from treekernels import _native
from treekernels.kernels.base.matrices import Run

TREES = tk.Forest.from_trees(random_forest(60, 3))


def test_forest_is_extended_and_read_at_once() -> None:
    """Nothing is lost, and a reader sees trees that were added and no others."""
    forest = tk.Forest.from_brackets(["(A b)"])
    numbers = itertools.count()
    added: list[str] = []

    def extend() -> None:
        number = next(numbers)
        texts = [f"(A (B w{number}) {part})" for part in range(3)]
        forest.extend(texts)
        added.extend(texts)

    def read() -> None:
        count = len(forest)
        texts = forest[:].to_brackets()
        assert len(texts) >= count
        assert texts[0] == "(A b)"
        assert all(text.startswith("(A (B w") for text in texts[1:])
        groups = zip(*[iter(text.split()[2] for text in texts[1:])] * 3, strict=True)
        assert all(len(set(group)) == 1 for group in groups)

    def look() -> None:
        for _ in range(100):
            roots = forest.roots
            assert len(roots) % 3 == 1

    hammer(extend, extend, read, look)
    assert sorted(forest.to_brackets()[1:]) == sorted(added)


def test_forests_import_from_each_other() -> None:
    """Two threads that lock the same two DAGs the other way round do not wait for each other."""
    result = tk.Forest.from_trees(random_forest(40, 4))
    two = tk.Forest.from_trees(random_forest(40, 5))
    first, second = result[:], two[:]
    hammer(
        lambda: result.dag.import_nodes(two.dag, second.roots),
        lambda: two.dag.import_nodes(result.dag, first.roots),
        lambda: result.sizes,
        lambda: two.sizes,
    )
    assert first == tk.Forest.from_trees(random_forest(40, 4))
    assert second == tk.Forest.from_trees(random_forest(40, 5))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_kernels_are_computed_while_the_forest_grows(n_jobs: int) -> None:
    forest = tk.Forest.from_trees(random_forest(60, 3))
    kernel = tk.SubsetTreeKernel(n_jobs=n_jobs)
    part = forest[:30]
    expected, norms = kernel(part), tk.PartialTreeKernel(normalize=False).diag(part)
    vectors = tk.DistributedTrees(dimension=64, n_jobs=n_jobs)
    embedded = vectors.transform(part)
    numbers = itertools.count()

    def compute() -> None:
        np.testing.assert_array_equal(kernel(part), expected)
        np.testing.assert_array_equal(kernel(part[:1], part[1:2]), expected[:1, 1:2])
        np.testing.assert_array_equal(tk.PartialTreeKernel(normalize=False).diag(part), norms)
        np.testing.assert_array_equal(vectors.transform(part), embedded)

    def extend() -> None:
        forest.extend([f"(A (B w{next(numbers)}) (C c))"])

    assert min(hammer(compute, compute, extend)) > 0


def test_one_matrix_is_filled_by_several_threads() -> None:
    """Its index is made when first needed, by whoever comes first."""
    kernel = tk.SubsetTreeKernel()
    expected = kernel(TREES)
    for _ in range(20):
        matrix = kernel.prepare(TREES)
        results = [np.empty(expected.shape) for _ in range(4)]
        run_together(*(partial(matrix.fill, out, Run()) for out in results))
        for result in results:
            np.testing.assert_array_equal(result, expected)


def test_interrupt_is_heard_while_waiting_for_a_forest() -> None:
    """While another thread adds a long text to it, which takes seconds."""
    dag = _native.Dag()
    text = "(A " + " ".join(f"(B w{number})" for number in range(3_000_000)) + ")"
    begun = threading.Event()

    def parse() -> None:
        begun.set()
        dag.parse([text])

    def look() -> None:
        while thread.is_alive():  # it may not have begun yet when we look first
            len(dag)

    thread = threading.Thread(target=parse)
    thread.start()
    begun.wait()
    try:
        with pytest.raises(KeyboardInterrupt), pressed_after(0.1):
            look()
        assert thread.is_alive()
    finally:
        thread.join()


def test_a_sum_sees_one_state_of_a_growing_forest() -> None:
    """As if another thread added a tree between the two summands."""
    forest = tk.Forest(["(A b)", "(A c)"])

    class Growing(tk.SubsetTreeKernel):
        def self_values(self, X: Any) -> Any:
            result = super().self_values(X)
            forest.extend(["(A d)"])
            return result

    both = Growing(normalize=False) + tk.SubsetTreeKernel(normalize=False)
    assert len(both.diag(forest)) == 2
    assert len(forest) == 3
