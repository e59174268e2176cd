"""Landmarks: the examples that a Nystroem map compares all others with, and how they are chosen."""

from __future__ import annotations

from typing import Literal

import numpy as np

from treekernels.common.arrays import Floats, Places
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel
from treekernels.kernels.base.matrices import Run

Selection = Literal["uniform", "kmeans++", "leverage"]

_FEWEST_CANDIDATES = 1000
_TIMES_AS_MANY = 2  # candidates as landmarks


def choose_landmarks(
    kernel: Kernel,
    examples: Examples,
    count: int,
    selection: Selection,
    random: np.random.RandomState,
    run: Run,
) -> Places:
    """Return the places of different examples, `count` of them or as many as there are.

    Where choosing takes comparisons, it is done among a random part of the examples, so that its
    time does not grow with their number.
    """
    order = _distinct_in_random_order(examples, random)
    if selection == "uniform" or len(order) <= count:
        return order[:count]
    candidates = order[: max(_FEWEST_CANDIDATES, _TIMES_AS_MANY * count)]
    choose = _far_apart if selection == "kmeans++" else _by_leverage
    chosen = choose(kernel, examples.take(candidates), count, random, run)
    return candidates[chosen]


def _distinct_in_random_order(examples: Examples, random: np.random.RandomState) -> Places:
    """Return the place of each different example, those that occur often more likely first."""
    _, numbers = examples.distinct()
    order = random.permutation(len(examples))
    _, first = np.unique(numbers[order], return_index=True)
    return order[np.sort(first)].astype(np.intp)


def _far_apart(
    kernel: Kernel, examples: Examples, count: int, random: np.random.RandomState, run: Run
) -> Places:
    """Draw each landmark with the squared distance to the nearest one before it as its weight.

    That is how k-means++ begins, in the space of the kernel.
    """
    self_values = kernel.diag(examples)
    nearest = np.full(len(self_values), np.inf)
    weights = np.ones(len(self_values))
    chosen: list[int] = []
    values = np.empty((1, len(self_values)))
    matrix = kernel.matrix_of(examples, None, run)
    for number in range(count):
        total = weights.sum()
        if not total > 0:  # all others are copies of landmarks, as far as the kernel can tell
            break
        place = int(np.searchsorted(np.cumsum(weights), random.uniform() * total, side="right"))
        place = min(place, int(np.flatnonzero(weights)[-1]))  # where rounding has led beyond it
        chosen.append(place)
        matrix.fill_rows(place, place + 1, values, Run(run.n_jobs))
        squares = np.maximum(self_values + self_values[place] - 2 * values[0], 0.0)
        nearest = np.minimum(nearest, squares)
        nearest[chosen] = 0.0
        weights = nearest
        if run.progress is not None:
            run.progress(number + 1, count)
    return np.array(chosen, np.intp)


def _by_leverage(
    kernel: Kernel, examples: Examples, count: int, random: np.random.RandomState, run: Run
) -> Places:
    """Draw landmarks with their ridge leverage scores as weights."""
    matrix = np.empty((len(examples), len(examples)))
    kernel.matrix_of(examples, None, run).fill(matrix, run)
    scores = leverage_scores(matrix, count)
    count = min(count, int(np.count_nonzero(scores)))
    return random.choice(len(scores), count, replace=False, p=scores / scores.sum()).astype(np.intp)


def leverage_scores(matrix: Floats, count: int) -> Floats:
    """Return the diagonal of ``K (K + ridge I)^-1``, with the ridge that makes their sum `count`.

    Examples
    --------
    Two equal examples share what one alone would have:

    >>> import numpy as np
    >>> leverage_scores(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), 1).round(2)
    array([0.29, 0.29, 0.41])
    """
    values, vectors = np.linalg.eigh(matrix)
    values = np.maximum(values, 0.0)
    largest = values[-1]
    if largest == 0:
        return np.ones(len(matrix))  # nothing is like anything: all are alike in that
    values[values < largest * len(matrix) * np.finfo(np.float64).eps] = 0.0
    low, high = 0.0, float(values.sum())  # with the latter as ridge, the sum is below 1
    for _ in range(100):  # until there are no numbers in between
        ridge = (low + high) / 2
        if (values / (values + ridge)).sum() > count:
            low = ridge
        else:
            high = ridge
    shares = np.zeros(len(values))
    kept = values > 0
    shares[kept] = values[kept] / (values[kept] + high)
    scores: Floats = (vectors**2) @ shares
    return scores
