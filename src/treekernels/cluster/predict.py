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
from treekernels.cluster.workers.slicing import renumbered, rows_of_a_task
from treekernels.common.arrays import text_array
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
    empty = model.classes_[:0] if hasattr(model, "classes_") else np.zeros(0)
    return _tiled(model, "predict", partitions(X, client=client), empty)


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

    The parameters are those of `predict`; `y` has the label or number of each example, in
    partitions, a Dask collection or an array.
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
        return np.array([len(y), np.sum(text_array(predicted) == text_array(y)), 0, 0, 0], float)
    y = y.astype(float)
    return np.array([len(y), 0, y.sum(), (y**2).sum(), ((y - predicted) ** 2).sum()])


def _tiled(model: Any, method: str, data: Partitions, empty: NDArray[Any]) -> Any:
    """Return what a method of a model says of all examples, as one array like an empty one.

    The last bits of scores depend on which examples are scored together. So these are always the
    same, wherever partitions end.
    """
    tiles = data.cut_every(rows_of_a_task(len(data), tasks=_TILES, most=_MOST_ROWS))
    lent = lend(tiles.client, model)
    task = partial(_apply, method=method, empty=empty)
    place = (0,) * (empty.ndim - 1)
    tasks = {(i, *place): (task, lent, part) for i, part in enumerate(tiles.futures)}
    widths = [[size] for size in empty.shape[1:]]
    return array_of("predictions", tasks, (tiles.lengths, *widths), empty.dtype)


def _apply(model: Any, part: Any, *, method: str, empty: NDArray[Any]) -> NDArray[Any]:
    if not length(part):
        return empty
    result: NDArray[Any] = getattr(model, method)(renumbered(part))
    return result
