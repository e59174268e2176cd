"""Perceptrons that go through boundary candidates as a stream, measured on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import shared  # noqa: F401  (first: it sets the path)

import treekernels as tk
from common import Row

SIZES = [3125, 6250, 12_500, 25_000, 50_000, 100_000, 200_000]


def tree_kernel(decay: float = 0.4) -> tk.Kernel:
    """Return the subset-tree kernel."""
    return tk.SubsetTreeKernel(decay, on="tree")


def polynomial() -> tk.Kernel:
    """Return the polynomial kernel on the seven features; 1 for an example with itself."""
    return 1 / 512 * tk.PolynomialKernel(3, gamma=1.0, on="features")


def combined(decay: float, gamma: float) -> tk.Kernel:
    """Return gamma * tree kernel + (1 - gamma) * polynomial kernel."""
    return gamma * tree_kernel(decay) + (1 - gamma) * polynomial()


def sizes_up_to(count: int, most: int | None = None) -> list[int]:
    """Return the numbers of examples after which to stop and look."""
    last = min(count, most or count)
    return [size for size in SIZES if size < last] + [last]


def stream(
    kernel: tk.Kernel,
    X: tk.Table,
    y: np.ndarray,
    sizes: Sequence[int],
    solver: Any = "forest",
    look: Any = None,
) -> list[Row]:
    """Learn from the examples in order; give time and size of the model at each size.

    Parameters
    ----------
    look : callable, optional
        Called with the learner at each size, outside the time; gives more columns.
    """
    learner = tk.TreePerceptron(kernel, average="vote", solver=solver, n_jobs=2)
    rows: list[Row] = []
    seconds, done = 0.0, 0
    for size in sizes:
        part = X[np.arange(done, size)]
        start = time.process_time()
        learner.partial_fit(part, y[done:size], classes=[False, True])
        seconds += time.process_time() - start
        done = size
        row: Row = {"examples": size, "seconds": seconds, "updates": learner.n_updates_}
        rows.append(row | model_size(learner, solver) | (look(learner) if look else {}))
    return rows


def model_size(learner: tk.TreePerceptron, solver: str) -> Row:
    """Return tree nodes that a model keeps: distinct subtrees, or all nodes of support trees."""
    assert learner._votes is not None
    parts = [part.columns.get("tree") for part in learner._votes.support]
    forests = [part for part in parts if part is not None]
    if not forests:
        return {}
    support = tk.Forest.concatenate(forests)
    return {"nodes": int(support.n_nodes if solver == "standard" else support.n_subtrees)}
