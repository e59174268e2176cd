"""What a kernel looks at: all of X, or one of its columns.

X may be a plain sequence of examples, or something with named columns: a data frame, a
`treekernels.Table`, or a dict of columns of equal length.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treekernels.forest import Forest, as_forest

__all__ = ["forest_of", "length", "select", "vectors_of"]


def select(X: Any, on: Any) -> Any:
    """Give the column `on` of X, or X itself if that is None."""
    if on is None:
        if isinstance(X, Mapping) or _is_frame(X):
            names = ", ".join(map(repr, _names(X)))
            raise ValueError(f"X has columns ({names}): say which one the kernel looks at, on=...")
        return X
    if isinstance(X, Mapping) or _is_frame(X):
        wanted = on if isinstance(on, list) else [on]
        missing = [name for name in wanted if name not in _names(X)]
        if missing:
            names = ", ".join(map(repr, _names(X)))
            raise ValueError(f"X has no column {missing[0]!r}; it has {names}")
        return X[on] if not isinstance(on, list) or _is_frame(X) else [X[name] for name in on]
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return X[:, on]
    raise ValueError(
        f"the kernel looks at column {on!r}, but X is a {type(X).__name__} without columns: "
        "give a data frame, a Table or a dict of columns"
    )


def length(X: Any) -> int:
    """Count the examples of X."""
    if isinstance(X, Mapping) and not hasattr(X, "shape"):
        sizes = {name: length(column) for name, column in X.items()}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name!r}: {size}" for name, size in sizes.items())
            raise ValueError(f"the columns of X differ in length ({listed})")
        return next(iter(sizes.values()), 0)
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def forest_of(X: Any, on: Any) -> Forest:
    """Give the trees that a kernel looks at."""
    column = select(X, on)
    if isinstance(column, np.ndarray) and column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    return as_forest(column)


def vectors_of(X: Any, on: Any) -> Any:
    """Give the vectors that a kernel looks at, as a matrix of floats, dense or sparse."""
    column = select(X, on)
    if isinstance(on, list) and not _is_frame(X) and isinstance(column, list):
        return np.column_stack([np.asarray(part, dtype=np.float64) for part in column])
    if hasattr(column, "tocsr"):
        return column.tocsr()
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.dtype == object and array.ndim == 1 and len(array):
        array = np.stack([np.asarray(vector, dtype=np.float64) for vector in array])
    array = np.asarray(array, dtype=np.float64)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "__getitem__")


def _names(X: Any) -> list[Any]:
    return list(X.columns) if _is_frame(X) else list(X)
