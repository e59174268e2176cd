"""Predictions over partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.blocks import aligned
from treekernels.cluster.partitions import partitions
from treekernels.cluster.rows import renumbered
from treekernels.cluster.targets import paired
from treekernels.cluster.waiting import repeat, results_of
from treekernels.common.optional import require
from treekernels.data.columns import length
from treekernels.errors import ParameterError

__all__ = ["decision_function", "predict", "score"]

_MOST_ROWS = 65536
_LEAST_ROWS = 256
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
    return _mapped(model, "predict", X, client)


def decision_function(model: Any, X: Any, *, client: Any = None) -> Any:
    """Return the scores that a model gives each example, as a ``dask.array``.

    The parameters are those of `predict`; the result has a column for each class if there are more
    than two.
    """
    if not hasattr(model, "decision_function"):
        raise ParameterError(f"{type(model).__name__} predicts numbers, and has no scores")
    return _mapped(model, "decision_function", X, client)


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
    labels = paired(y, data)
    rows = tile_rows(len(data))
    X_tiles, y_tiles = aligned(data, rows), aligned(labels, rows)

    def attempt() -> Any:
        lent = data.client.scatter(model, broadcast=True, hash=False)
        futures = [
            data.client.submit(_agreement, lent, x, z, pure=False)
            for x, z in zip(X_tiles.futures, y_tiles.futures, strict=True)
        ]
        return results_of(data.client, futures)

    sums = np.sum(repeat(attempt, [*X_tiles.parts, *y_tiles.parts]), axis=0)
    count, good, total, squares, errors = sums
    if hasattr(model, "classes_"):
        return float(good / count)
    spread = squares - total**2 / count
    return float(1 - errors / spread) if spread > 0 else float(errors == 0)


def tile_rows(count: int) -> int:
    """Return how many examples are scored together: it depends on their number alone."""
    wanted = max(_LEAST_ROWS, min(_MOST_ROWS, count // _TILES))
    return int(2 ** np.ceil(np.log2(wanted)))


def _agreement(model: Any, X: Any, y: Any) -> NDArray[np.float64]:
    """Return the examples, those that agree, and what R² is made of."""
    if not length(X):
        return np.zeros(5)
    predicted, y = model.predict(renumbered(X)), np.asarray(y)
    if hasattr(model, "classes_"):
        return np.array([len(y), np.sum(predicted.astype(str) == y.astype(str)), 0, 0, 0], float)
    y = y.astype(float)
    return np.array([len(y), 0, y.sum(), (y**2).sum(), ((y - predicted) ** 2).sum()])


def _mapped(model: Any, method: str, X: Any, client: Any) -> Any:
    da = require("dask.array", "dask", "predictions in blocks")
    dask = require("dask", "dask", "predictions in blocks")
    data = partitions(X, client=client)
    rows = tile_rows(len(data))
    lent = data.client.scatter(model, broadcast=True, hash=False)
    wide = _outputs(model) if method == "decision_function" else 0
    dtype = _dtype(model, method)
    task = dask.delayed(_apply, pure=False, traverse=False)
    tiles = aligned(data, rows)
    chunks = []
    for tile, count in zip(tiles.futures, tiles.lengths, strict=True):
        shape = (count, wide) if wide > 1 else (count,)
        chunks.append(da.from_delayed(task(lent, tile, method), shape, dtype))
    return da.concatenate(chunks)


def _apply(model: Any, part: Any, method: str) -> NDArray[Any]:
    if not length(part):
        wide = _outputs(model) if method == "decision_function" else 1
        return np.zeros((0, wide)) if wide > 1 else np.zeros(0, _dtype(model, method))
    result: NDArray[Any] = getattr(model, method)(renumbered(part))
    return result


def _outputs(model: Any) -> int:
    classes = getattr(model, "classes_", None)
    return 1 if classes is None or len(classes) <= 2 else len(classes)


def _dtype(model: Any, method: str) -> Any:
    if method == "predict" and hasattr(model, "classes_"):
        return model.classes_.dtype
    return np.dtype("float64")
