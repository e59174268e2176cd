"""The standard kernel perceptron, as a baseline: kernel values are counted, and none is wasted.

An example is compared with every support example that there is when it comes. Which examples
become support examples is known from the perceptron on DAGs, which makes the same updates; so
values can be computed in blocks, without a call for every update. The scores that come of them are
looked at as well: a mistake that is no update, or the other way round, would be told.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from sklearn.base import clone

import treekernels as tk
from common import Row

BLOCK = 256


def standard_perceptron(
    kernel: Any, X: tk.Table, y: np.ndarray, updates: np.ndarray, sizes: Sequence[int]
) -> list[Row]:
    """Go through the examples in order; give time, kernel values and nodes at each size.

    Parameters
    ----------
    updates : array
        The places of the examples at which the model changes.
    """
    kernel = pair_by_pair(kernel)
    signs = np.where(y, 1.0, -1.0)
    computed, seconds, differ = 0, 0.0, 0
    rows: list[Row] = []
    bounds = sorted({*range(0, sizes[-1], BLOCK), *sizes})
    for first, last in pairwise(bounds):
        start = time.process_time()
        block = np.arange(first, last)
        support = updates[updates < last]
        scores = np.zeros(len(block))
        if len(support):
            values = kernel(X[block], X[support])
            computed += values.size
            values[block[:, np.newaxis] <= support] = 0  # what comes later is not known yet
            scores = values @ signs[support]
        seconds += time.process_time() - start
        mistakes = block[scores * signs[block] <= 0]
        differ += len(np.setxor1d(mistakes, support[support >= first]))
        if last in sizes:
            needed = values_needed(support, last)
            rows.append(
                {"examples": last, "seconds": seconds * needed / computed, "updates": len(support)}
                | {"nodes": int(X["tree"][support].n_nodes), "kernel values": needed}
                | {"computed": computed, "decided otherwise": differ}
            )
    return rows


def pair_by_pair(kernel: Any) -> Any:
    """Return a kernel that compares trees by the fast algorithm for two of them, on one thread."""
    copy = clone(kernel)
    for leaf in copy.leaves():
        if "algorithm" in leaf.get_params(deep=False):
            leaf.algorithm, leaf.n_jobs = "ftk", 1
    return copy


def values_needed(updates: np.ndarray, examples: int) -> int:
    """Count the kernel values of a standard perceptron that made these updates.

    Examples
    --------
    >>> values_needed(np.array([0, 2]), 5)  # 0 is compared with four, 2 with two
    6
    """
    return int(np.sum(examples - 1 - updates.astype(np.int64)))
