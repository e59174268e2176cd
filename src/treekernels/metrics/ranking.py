"""How good a ranking is: NDCG, average precision and reciprocal rank, mean over all queries.

Examples of one query that have the same score are in no order. Each metric is then the mean over
all their orders, as far as that can be computed: NDCG is, and for the other two the worst order
counts, so that a constant score is never a good ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treekernels.common.arrays import Floats, Places
from treekernels.common.checks import check_integer, check_numbers
from treekernels.errors import DataError

__all__ = ["average_precision", "ndcg", "reciprocal_rank"]


def ndcg(y: Any, scores: Any, groups: Any = None, *, k: int | None = None) -> float:
    """Return the normalised discounted cumulative gain, the mean of all queries.

    An example of relevance r gains ``2**r - 1``, which counts less the further down it stands:
    divided by the logarithm of its place + 1, to base 2. The sum is divided by that of the best
    ranking. Queries in which nothing is relevant are left out.

    Parameters
    ----------
    y : sequence of float
        How relevant each example is, from 0 up.
    scores : sequence of float
        The ranking: the largest score stands first.
    groups : sequence, optional
        The query of each example; by default they all belong to one.
    k : int, optional
        Look at the first k places only.

    Examples
    --------
    >>> import treekernels as tk
    >>> round(tk.metrics.ndcg([2, 1, 0], [0.1, 0.9, 0.5]), 3)
    0.689
    """
    if k is not None:
        k = check_integer("k", k, 1)

    def gain(relevance: Floats, scores: Floats) -> float | None:
        if (relevance < 0).any():
            raise DataError("relevance is counted from 0 up, and y has numbers below")
        gains = np.exp2(relevance) - 1
        discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
        if k is not None:
            discounts[k:] = 0
        best = float(np.sort(gains)[::-1] @ discounts)
        if best == 0:
            return None
        _, tied = np.unique(-scores, return_inverse=True)
        counts = np.bincount(tied)
        means = np.bincount(tied, gains) / counts  # examples of equal score share their places
        return float(np.repeat(means, counts) @ discounts) / best

    return _mean_of_queries(gain, y, scores, groups)


def average_precision(y: Any, scores: Any, groups: Any = None) -> float:
    """Return the mean average precision (MAP): the mean over the relevant examples of each query.

    The precision of a relevant example is how many of those down to its place are relevant.
    Queries in which nothing is relevant are left out.

    Parameters
    ----------
    y, scores, groups
        As in `ndcg`. Examples with a number above 0 in `y` are relevant.

    Examples
    --------
    >>> import treekernels as tk
    >>> round(tk.metrics.average_precision([1, 0, 1, 0], [4, 3, 2, 1]), 3)
    0.833
    """

    def precision(relevance: Floats, scores: Floats) -> float | None:
        places = _relevant_places(relevance, scores)
        if len(places) == 0:
            return None
        return float(np.mean(np.arange(1, len(places) + 1) / places))

    return _mean_of_queries(precision, y, scores, groups)


def reciprocal_rank(y: Any, scores: Any, groups: Any = None) -> float:
    """Return the mean reciprocal rank (MRR): 1 divided by the place of the first relevant example.

    Queries in which nothing is relevant are left out.

    Parameters
    ----------
    y, scores, groups
        As in `ndcg`. Examples with a number above 0 in `y` are relevant.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.metrics.reciprocal_rank([0, 1, 0, 1], [4, 3, 2, 1])
    0.5
    """

    def first_place(relevance: Floats, scores: Floats) -> float | None:
        places = _relevant_places(relevance, scores)
        return 1 / float(places[0]) if len(places) else None

    return _mean_of_queries(first_place, y, scores, groups)


def rankings(y: Any, groups: Any = None) -> Iterator[Places]:
    """Yield the places of the examples of each query, as they stand."""
    queries = groups_of(groups, len(y))
    order = np.argsort(queries, kind="stable")
    ends = np.flatnonzero(np.diff(queries[order])) + 1
    yield from np.split(order, ends)


def groups_of(groups: Any, count: int) -> Places:
    """Return the number of the query of each example, all 0 if there are no groups."""
    if groups is None:
        return np.zeros(count, np.intp)
    values = np.asarray(groups)
    if values.ndim != 1 or len(values) != count:
        raise DataError(f"there are {count} examples, and groups of shape {values.shape}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise DataError("groups contain NaN: every example needs a query")
    try:
        _, queries = np.unique(values, return_inverse=True)
    except TypeError:
        raise DataError("groups are of several types, which have no order: give one type") from None
    return queries.astype(np.intp)


def _relevant_places(relevance: Floats, scores: Floats) -> Places:
    """Return where relevant examples stand, from 1; behind all others of the same score."""
    relevant = relevance > 0
    order = np.lexsort((relevant, -scores))
    return np.flatnonzero(relevant[order]) + 1


def _mean_of_queries(
    metric: Callable[[Floats, Floats], float | None], y: Any, scores: Any, groups: Any
) -> float:
    relevance, values = check_numbers("y", y), check_numbers("scores", scores)
    if len(relevance) != len(values):
        raise DataError(f"y has {len(relevance)} numbers, and there are {len(values)} scores")
    by_query = [metric(relevance[rows], values[rows]) for rows in rankings(relevance, groups)]
    counted = [value for value in by_query if value is not None]
    if not counted:
        raise DataError("nothing is relevant in any query: y has no number above 0")
    return float(np.mean(counted))
