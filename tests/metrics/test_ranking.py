"""Metrics of rankings: the definitions, and scikit-learn's."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

import treekernels as tk
from treekernels.errors import DataError, ParameterError

RANKED = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=12
)


def _by_definition(metric: str, relevance: list[int], k: int | None = None) -> float | None:
    """The metric of one query whose examples stand in this order."""
    if not any(relevance):
        return None
    if metric == "ndcg":

        def gain(order: Any) -> float:
            return sum(
                (2**r - 1) / np.log2(i + 2) for i, r in enumerate(order) if k is None or i < k
            )

        return gain(relevance) / gain(sorted(relevance, reverse=True))
    places = [i + 1 for i, r in enumerate(relevance) if r > 0]
    if metric == "reciprocal":
        return 1 / places[0]
    return float(np.mean([(n + 1) / place for n, place in enumerate(places)]))


def _expected(metric: str, rows: Any, k: int | None = None) -> float | None:
    result = []
    for query in {q for *_, q in rows}:
        own = [(s, r) for r, s, q in rows if q == query]
        if metric == "ndcg":  # the mean over all orders of those that are tied, few enough here
            values = [
                _by_definition(metric, [r for _, r in order], k)
                for order in permutations(own)
                if all(a[0] >= b[0] for a, b in pairwise(order))
            ]
            value = None if values[0] is None else float(np.mean(values))
        else:
            value = _by_definition(metric, [r for _, r in sorted(own, key=lambda x: (-x[0], x[1]))])
        if value is not None:
            result.append(value)
    return float(np.mean(result)) if result else None


@given(RANKED, st.sampled_from(["ndcg", "precision", "reciprocal"]))
@settings(max_examples=40, deadline=None)
def test_definitions(rows: Any, metric: str) -> None:
    if metric == "ndcg":
        rows = rows[:6]
    y, scores, groups = zip(*rows, strict=True)
    function = {
        "ndcg": tk.metrics.ndcg,
        "precision": tk.metrics.average_precision,
        "reciprocal": tk.metrics.reciprocal_rank,
    }[metric]
    expected = _expected(metric, rows)
    if expected is None:
        with pytest.raises(DataError, match="nothing is relevant"):
            function(y, scores, groups)
    else:
        assert function(y, scores, groups) == pytest.approx(expected)
    if metric == "ndcg" and expected is not None:
        assert tk.metrics.ndcg(y, scores, groups, k=2) == pytest.approx(_expected(metric, rows, 2))


def test_those_of_scikit_learn() -> None:
    rng = np.random.RandomState(0)
    y, scores = rng.randint(0, 4, 30), rng.normal(size=30)
    gains = 2.0**y - 1  # scikit-learn takes gains as they are
    for k in (None, 1, 5):
        expected = ndcg_score([gains], [scores], k=k)
        assert tk.metrics.ndcg(y, scores, k=k) == pytest.approx(expected)
    expected = average_precision_score(y > 0, scores)
    assert tk.metrics.average_precision(y, scores) == pytest.approx(expected)


def test_errors() -> None:
    with pytest.raises(DataError, match="from 0 up"):
        tk.metrics.ndcg([-1, 1], [1, 2])
    with pytest.raises(DataError, match="y has 2 numbers, and there are 3 scores"):
        tk.metrics.ndcg([0, 1], [1, 2, 3])
    with pytest.raises(DataError, match="scores must be a list of numbers"):
        tk.metrics.reciprocal_rank([0, 1], ["a", "b"])
    with pytest.raises(DataError, match="NaN"):
        tk.metrics.average_precision([0, 1], [1, 2], [np.nan, 1])
    with pytest.raises(DataError, match="several types"):
        tk.metrics.average_precision([0, 1], [1, 2], np.array(["a", 1], object))
    with pytest.raises(ParameterError, match="k must be an integer from 1 up"):
        tk.metrics.ndcg([0, 1], [1, 2], k=0)
