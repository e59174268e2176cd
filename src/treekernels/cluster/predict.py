"""Predictions over partitions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.learning.labels import align_labels
from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.workers.arrays import array_of, lend
from treekernels.cluster.workers.recovery import repeat, results_of
from treekernels.cluster.workers.slicing import renumbered, rows_of_a_task, take_rows
from treekernels.data.columns import length
from treekernels.errors import ParameterError

__all__ = ["decision_function", "predict", "score"]

_MOST_ROWS = 65536
_TILES = 64


def predict(model: Any, X: Any, *, client: Any = None) -> Any:
    """Return what a model predicts of each example, as a ``dask.array``.

    Parameters
    ----------
    model : fitted learner
        Of this module or of `treekernels`. It is sent to each worker once.
    X : Partitions, or anything that `partitions` takes
    client : distributed.Client, optional
        By default the one in use.

    Returns
    -------
    dask.array.Array of shape (examples,)
        Its bits do not depend on how the examples are partitioned.
    """
    data = partitions(X, client=client)
    if not hasattr(model, "classes_"):
        return _tiled(model, "predict", data, np.zeros(0))
    empty = model.classes_[:0]
    if getattr(model, "average", None) == "vote":
        return _tiled(model, "predict", data, empty)
    return _array(model, _labels, data, empty)


def decision_function(model: Any, X: Any, *, client: Any = None) -> Any:
    """Return the scores that a model gives each example, as a ``dask.array``.

    The parameters are those of `predict`; the result has a column for each class if there are more
    than two.
    """
    if not hasattr(model, "decision_function"):
        raise ParameterError(f"{type(model).__name__} predicts numbers, and has no scores")
    width = len(getattr(model, "classes_", ()))
    empty = np.zeros((0, width) if width > 2 else 0)
    return _tiled(model, "decision_function", partitions(X, client=client), empty)


def score(model: Any, X: Any, y: Any, *, client: Any = None) -> float:
    """Return the accuracy of a classifier, or R² of a regression, over all examples.

    Parameters
    ----------
    model : fitted learner
    X : Partitions, or anything that `partitions` takes
    y : Partitions, Dask collection or array
        The labels or numbers, one for each example.
    client : distributed.Client, optional
        By default the one in use.
    """
    data = partitions(X, client=client)
    labels = align_labels(y, data)

    def attempt() -> Any:
        lent = lend(data.client, model)
        futures = [
            data.client.submit(_agreement, lent, *pair, pure=False)
            for pair in zip(data.futures, labels.futures, strict=True)
        ]
        return results_of(data.client, futures)

    sums = np.sum(repeat(data.client, attempt, [*data.parts, *labels.parts]), axis=0)
    count, good, total, squares, errors = sums
    if hasattr(model, "classes_"):
        return float(good / count)
    spread = squares - total**2 / count
    return float(1 - errors / spread) if spread > 0 else float(errors == 0)


def _agreement(model: Any, X: Any, y: Any) -> NDArray[np.float64]:
    """Return the examples, those that agree, and what R² is made of."""
    if not length(X):
        return np.zeros(5)
    predicted, y = model.predict(X), np.asarray(y)
    if hasattr(model, "classes_"):
        return np.array([len(y), np.sum(predicted.astype(str) == y.astype(str)), 0, 0, 0], float)
    y = y.astype(float)
    return np.array([len(y), 0, y.sum(), (y**2).sum(), ((y - predicted) ** 2).sum()])


def _tiled(model: Any, method: str, data: Partitions, empty: NDArray[Any]) -> Any:
    """Return numbers whose bits depend on which examples are scored together."""
    tiles = data.cut_every(rows_of_a_task(len(data), tasks=_TILES, most=_MOST_ROWS))
    return _array(model, partial(_apply, method=method), tiles, empty)


def _array(model: Any, function: Any, data: Partitions, empty: NDArray[Any]) -> Any:
    """Return what a function makes of a model and each part, as one array like an empty one."""
    lent = lend(data.client, model)
    task = partial(function, empty=empty)
    place = (0,) * (empty.ndim - 1)
    tasks = {(i, *place): (task, lent, part) for i, part in enumerate(data.futures)}
    widths = [[size] for size in empty.shape[1:]]
    return array_of("predictions", tasks, (data.lengths, *widths), empty.dtype)


def _apply(model: Any, part: Any, *, method: str, empty: NDArray[Any]) -> NDArray[Any]:
    if not length(part):
        return empty
    result: NDArray[Any] = getattr(model, method)(renumbered(part))
    return result


def _labels(model: Any, part: Any, *, empty: NDArray[Any]) -> NDArray[Any]:
    """Return the labels of a part.

    The last bits of scores depend on what else is scored. So an example whose label hangs on them
    is scored once more, alone.
    """
    if not length(part):
        return empty
    scores = model.decision_function(part)
    for row in np.flatnonzero(_hang_on_rounding(scores)).tolist():
        scores[row] = model.decision_function(renumbered(take_rows(part, row, row + 1)))[0]
    chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    labels: NDArray[Any] = model.classes_[chosen]
    return labels


def _hang_on_rounding(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of the decisions another order of additions might change."""
    size = 1e-9 * max(1.0, float(np.abs(scores).max()))
    if scores.ndim == 1:
        return np.abs(scores) <= size
    two = np.partition(scores, -2, axis=1)[:, -2:]
    result: NDArray[np.bool_] = two[:, 1] - two[:, 0] <= size
    return result
