"""Few trees of a large forest, which are copied before they are compared: bits stay the same."""

from __future__ import annotations

import numpy as np
import pytest

import treekernels as tk
from helpers import SETTINGS, make, random_forest

LABELS = ("A", "B", "C", "x", "y", "z")


def _forest() -> tuple[tk.Forest, tk.Forest]:
    """Return a forest of so few subtrees that nothing is copied, and trees to make it large."""
    small = tk.Forest.from_trees(random_forest(120, 1, size=60, labels=LABELS))
    assert small.n_subtrees < 5000
    more = tk.Forest.from_trees(random_forest(800, 2, size=80, labels=(*LABELS, "D", "E")))
    assert more.n_subtrees > 10_000
    return small, more


def test_values_do_not_depend_on_the_size_of_the_forest() -> None:
    forest, more = _forest()
    kernels = [
        make(setting, normalize=False, algorithm=algorithm)
        for setting in SETTINGS.values()
        for algorithm in ("corpus", "ftk")
    ]
    other = tk.Forest.from_brackets(forest[:2].to_brackets())
    pairs = [(forest[i : i + 2], forest[i + 40 : i + 43]) for i in range(0, 40, 4)]

    def values() -> list[np.ndarray]:
        found = [kernel(rows, columns) for kernel in kernels for rows, columns in pairs]
        for kernel in kernels:
            for rows, _ in pairs:
                found += [kernel(rows), kernel(rows, other), kernel(other, rows), kernel.diag(rows)]
        return found

    before = values()
    forest.extend(more)
    for a, b in zip(before, values(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kernel", [tk.SubsetTreeKernel(leaf_weight=0.3), tk.SubtreeKernel()])
def test_scores_do_not_depend_on_the_size_of_the_forest(kernel: tk.Kernel) -> None:
    forest, more = _forest()
    model = tk.WeightedForest(kernel)
    model.add(forest[:60], np.random.default_rng(0).normal(size=60))
    parts = [forest[i : i + 2] for i in range(0, 118, 2)]
    before = [model.score(part) for part in parts]
    forest.extend(more)
    for part, scores in zip(parts, before, strict=True):
        np.testing.assert_array_equal(model.score(part), scores)


def test_wrong_roots_are_refused() -> None:
    forest, more = _forest()
    forest.extend(more)
    wrong = tk.Forest.from_roots(forest.dag, np.array([len(forest.dag)], np.uint32))
    with pytest.raises(IndexError):
        tk.SubsetTreeKernel()(wrong, forest[:1])
    with pytest.raises(IndexError):
        tk.SubsetTreeKernel()(forest[:1], wrong)
    model = tk.WeightedForest()
    with pytest.raises(IndexError):
        model.score(wrong)


def test_a_subtree_below_two_parents_counts_below_both() -> None:
    """The row of X is needed by P and by Q, and is not let go after the first of them."""
    shared = [f"(X (A a) (B b{number}))" for number in range(40)]
    trees = [f"(S (P {x} c) (Q {x} d))" for x in shared]
    matrix = tk.SubsetTreeKernel(0.5, normalize=False)(trees)
    x = 0.5 * 1.5  # C of two different X, of which A -> a agrees
    below = 4 * x + 4 * 0.5  # four pairs of X, and four of A
    parents = 2 * 0.5 * (1 + x)
    root = 0.5 * (1 + 0.5 * (1 + x)) ** 2
    np.testing.assert_allclose(matrix[0, 1:], below + parents + root)
