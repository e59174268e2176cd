"""What a kernel looks at: all of X, or one of its columns.

X may be a plain sequence of examples, or something with named columns: a data frame, a
`treekernels.Table`, or a dict of columns of equal length.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pairs, as_pairs
from treekernels.errors import DataError

__all__ = ["Takes", "forest_of", "length", "pairs_of", "select", "take_columns", "vectors_of"]

Takes: TypeAlias = Literal["trees", "pairs", "vectors", "objects"]
"""What a kernel looks at; "objects" are taken as they are."""


def select(X: Any, on: Any) -> Any:
    """Return the column `on` of X, or X itself if that is None; a list of columns for a list."""
    names = _column_names(X)
    if names is None:
        return X if on is None else _select_from_array(X, on)
    listed = ", ".join(map(repr, names))
    if on is None:
        raise DataError(f"X has columns ({listed}): say which one the kernel looks at, on=...")
    for name in on if isinstance(on, list) else [on]:
        if name not in names:
            raise DataError(f"X has no column {name!r}; it has {listed}")
    return [X[name] for name in on] if isinstance(on, list) else X[on]


def _select_from_array(X: Any, on: Any) -> Any:
    if isinstance(X, np.ndarray) and X.ndim == 2:
        numbers = on if isinstance(on, list) else [on]
        if all(isinstance(number, int | np.integer) for number in numbers):
            return [X[:, number] for number in on] if isinstance(on, list) else X[:, on]
        raise DataError(
            f"the kernel looks at column {on!r}, but X is an array, whose columns have no names "
            "(some of scikit-learn's estimators make one of a data frame): give on= as a number"
        )
    raise DataError(
        f"the kernel looks at column {on!r}, but X is a {type(X).__name__} without columns: "
        "give a data frame, a Table or a dict of columns"
    )


def length(X: Any) -> int:
    """Return the number of examples of X."""
    if isinstance(X, Mapping) and not hasattr(X, "shape"):
        sizes = {name: length(column) for name, column in X.items()}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name!r}: {size}" for name, size in sizes.items())
            raise DataError(f"the columns of X differ in length ({listed})")
        return next(iter(sizes.values()), 0)
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def forest_of(X: Any, on: Any) -> Forest:
    """Return the trees that a kernel looks at."""
    if on is None and isinstance(X, Forest):
        return X
    if isinstance(on, list):
        raise DataError("a tree kernel looks at one column, not at a list of them")
    return as_forest(select(X, on))


def pairs_of(X: Any, on: Any) -> Pairs:
    """Return the sentence pairs that a kernel looks at."""
    if on is None and isinstance(X, Pairs):
        return X
    if on is None and _column_names(X) is not None:
        on = ["text", "hypothesis"]
    if isinstance(on, list):
        if len(on) != 2:
            raise DataError(f"a pair has two columns, a text and a hypothesis, not {len(on)}")
        texts, hypotheses = select(X, on)
        return Pairs(texts, hypotheses)
    return as_pairs(select(X, on))


def vectors_of(X: Any, on: Any) -> Any:
    """Return the vectors that a kernel looks at, as a matrix of floats, dense or sparse."""
    column = select(X, on)
    if isinstance(on, list):
        return np.column_stack([np.asarray(part, dtype=np.float64) for part in column])
    if hasattr(column, "tocsr"):
        return column.tocsr()
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.dtype == object and array.ndim == 1 and len(array):
        array = np.stack([np.asarray(vector, dtype=np.float64) for vector in array])
    array = np.asarray(array, dtype=np.float64)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def take_columns(X: Any, on: Any, takes: Takes) -> dict[Any, Any]:
    """Return the columns of X that a kernel looks at, made ready for it.

    Parameters
    ----------
    X : examples
    on : name, list of names, or None
        Of the kernel.
    takes : {"trees", "pairs", "vectors", "objects"}

    Returns
    -------
    dict
        By name: trees as a `Forest`, pairs as `Pairs`, vectors as a matrix. None stands for X as a
        whole. A dict of these columns is X to the kernel as much as X itself was.
    """
    if takes == "pairs":
        if on is None and not isinstance(X, Pairs) and _column_names(X) is not None:
            on = ["text", "hypothesis"]
        if isinstance(on, list):
            pairs = pairs_of(X, on)
            return dict(zip(on, (pairs.texts, pairs.hypotheses), strict=True))
        return {on: pairs_of(X, on)}
    if takes == "trees":
        return {on: forest_of(X, on)}
    take = vectors_of if takes == "vectors" else select
    return {name: take(X, name) for name in (on if isinstance(on, list) else [on])}


def _column_names(X: Any) -> list[Any] | None:
    if isinstance(X, Mapping):
        return list(X)
    return list(X.columns) if hasattr(X, "columns") else None
