"""Perceptrons that go through boundary candidates as a stream, measured on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from codes import Monomials, one_hot  # it sets the path

import treekernels as tk
from common import Row

SIZES = [3125, 6250, 12_500, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000, 1_000_000]


def tree_kernel(decay: float = 0.4) -> tk.Kernel:
    """Return the subset-tree kernel."""
    return tk.SubsetTreeKernel(decay, on="tree")


def written_out() -> tk.Kernel:
    """Return the polynomial kernel on the seven features as a linear one on their products."""
    return tk.LinearKernel(on="products")


def polynomial() -> tk.Kernel:
    """Return the same kernel as it stands; 1 for an example with itself."""
    return 1 / 512 * tk.PolynomialKernel(3, gamma=1.0, on="features")


def combined(decay: float, gamma: float, second: tk.Kernel | None = None) -> tk.Kernel:
    """Return gamma * tree kernel + (1 - gamma) * polynomial kernel, written out by default."""
    return gamma * tree_kernel(decay) + (1 - gamma) * (second or written_out())


class Candidates:
    """Trees, features and labels of candidates, of which tables are made when they are needed."""

    def __init__(self, trees: tk.Forest, codes: np.ndarray, y: np.ndarray) -> None:
        self.trees = trees
        self.y = y
        self.features = one_hot(codes)
        self.products = Monomials(codes)

    def table(self, places: np.ndarray) -> tk.Table:
        """Return some examples with all columns."""
        columns = {"tree": self.trees[places], "features": self.features[places]}
        return tk.Table(columns | {"products": self.products(places)})


def sizes_up_to(count: int, least: int = 0) -> list[int]:
    """Return the numbers of examples after which to stop and look."""
    return [size for size in SIZES if least <= size < count] + [count]


def stream(
    kernel: tk.Kernel,
    candidates: Candidates,
    order: np.ndarray,
    sizes: Sequence[int],
    look: Any = None,
    average: Any = "vote",
) -> tuple[list[Row], tk.TreePerceptron]:
    """Learn from the examples in order; give time and updates at each size, and the learner.

    Parameters
    ----------
    look : callable, optional
        Called with the learner at each size, outside the time; gives more columns.
    """
    learner = tk.TreePerceptron(kernel, average=average, n_jobs=1)
    rows: list[Row] = []
    seconds, done = 0.0, 0
    for size in sizes:
        part = candidates.table(order[done:size])
        start = time.process_time()
        learner.partial_fit(part, candidates.y[order[done:size]], classes=[False, True])
        seconds += time.process_time() - start
        done = size
        row: Row = {"examples": size, "seconds": seconds, "updates": learner.n_updates_}
        rows.append(row | (look(learner) if look else {}))
    return rows, learner


def updates_of(learner: tk.TreePerceptron) -> np.ndarray:
    """Return the places of the examples at which a voted perceptron changed its model."""
    assert learner._votes is not None
    places: np.ndarray = learner._votes.times.astype(np.int64)
    return places
