"""Intercepts of many shards are those of all examples together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treekernels.cluster.learning.descent_tasks import Shard
from treekernels.cluster.learning.intercepts import (
    Cell,
    best_intercept,
    cell_of,
    extent,
    grid_of,
    losses_of,
    sums_of,
)

EPSILONS = st.sampled_from([None, 0.0, 0.3])


def _loss(target: Any, bound: Any, scores: Any, intercept: float, epsilon: float | None) -> float:
    """Return the loss, example by example."""
    total = 0.0
    for t, c, s in zip(target, bound, scores, strict=True):
        if epsilon is None:
            total += c * max(0.0, 1 - t * (s + intercept))
        else:
            total += c * max(0.0, abs(t - s - intercept) - epsilon)
    return total


@given(st.data())
@settings(max_examples=60)
def test_no_intercept_has_a_smaller_loss(data: st.DataObject) -> None:
    epsilon = data.draw(EPSILONS)
    count = data.draw(st.integers(1, 30))
    outputs = data.draw(st.integers(1, 2))
    numbers = st.sampled_from([-1.5, -1.0, -0.25, 0.0, 0.1, 1.0, 7.0]) | st.floats(-5, 5)
    shape = (count, outputs)

    def drawn(values: Any) -> Any:
        size = count * outputs
        return np.array(data.draw(st.lists(values, min_size=size, max_size=size))).reshape(shape)

    target = drawn(st.sampled_from([-1.0, 1.0]) if epsilon is None else numbers)
    bound = drawn(st.sampled_from([0.0, 0.5, 1.0, 2.0]))
    scores = drawn(numbers)
    cuts = sorted(data.draw(st.lists(st.integers(0, count), max_size=4)))
    parts = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, count], strict=True)]
    none: Any = None  # these sums do not look at the examples themselves
    shards = [(Shard(none, target[part], bound[part]), scores[part]) for part in parts]
    sums = [sums_of(*pair, np.zeros_like(pair[1]), epsilon) for pair in shards]
    bounds = extent(sums)
    slopes = np.sum([grid_of(*pair, bounds, epsilon) for pair in shards], axis=0)
    weight = np.sum([own.weight for own in sums], axis=0)
    cells = [cell_of(*pair, bounds, slopes, weight, epsilon) for pair in shards]
    result = np.array(
        [best_intercept(Cell.joined([own[k] for own in cells]), weight[k]) for k in range(outputs)]
    )
    losses = np.sum([losses_of(*pair, result, epsilon) for pair in shards], axis=0)
    for k in range(outputs):
        problem = (target[:, k], bound[:, k], scores[:, k])
        own = _loss(*problem, float(result[k]), epsilon)
        assert losses[k] == pytest.approx(own, abs=1e-9)
        width = epsilon or 0.0
        kinks = np.concatenate([target[:, k] - scores[:, k] + side for side in (-width, width)])
        best = min(_loss(*problem, float(place), epsilon) for place in kinks)
        assert own <= best + 1e-9 * max(1.0, best)


def test_the_middle_of_what_is_flat() -> None:
    none: Any = None
    shard = Shard(none, np.array([[1.0], [-1.0]]), np.ones((2, 1)))
    scores = np.array([[4.0], [-2.0]])  # flat from -3 to 1
    sums = [sums_of(shard, scores, scores, None)]
    slopes = grid_of(shard, scores, extent(sums), None)
    (cell,) = cell_of(shard, scores, extent(sums), slopes, sums[0].weight, None)
    assert best_intercept(Cell.joined([cell]), 2.0) == pytest.approx(-1.0)
