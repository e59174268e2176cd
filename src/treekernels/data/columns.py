"""What a kernel looks at: all of X, or one of its columns.

X may be a plain sequence of examples, or something with named columns: a data frame, an Arrow
table, a `treekernels.Table`, or a dict of columns of equal length.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from treekernels.data.forest import Forest, as_forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.pairs import Pairs, as_pairs
from treekernels.data.tree import Tree
from treekernels.data.tree_sets import as_tree_sets
from treekernels.data.vectors import Vectors, as_vectors
from treekernels.errors import DataError

On: TypeAlias = Hashable | list[Any]
"""The name of a column, a list of names, or None for X as a whole."""

_SIDES: list[Any] = ["text", "hypothesis"]  # columns of pairs, unless others are named

Takes: TypeAlias = Literal["trees", "pairs", "sets", "vectors", "objects"]
"""What a kernel looks at; "objects" are taken as they are."""


def select(X: Any, on: On) -> Any:
    """Return the column `on` of X, or X itself if that is None; a list of columns for a list."""
    names = column_names(X)
    if names is None:
        return X if on is None else _select_from_array(X, on)
    listed = ", ".join(map(repr, names))
    if on is None and None not in names:
        raise DataError(f"X has columns ({listed}): say which one the kernel looks at, on=...")
    for name in on if isinstance(on, list) else [on]:
        if name not in names:
            raise DataError(f"X has no column {name!r}; it has {listed}")
    return [column_of(X, name) for name in on] if isinstance(on, list) else column_of(X, on)


def _select_from_array(X: Any, on: On) -> Any:
    if isinstance(X, np.ndarray) and X.ndim == 2:
        numbers: list[Any] = on if isinstance(on, list) else [on]
        if all(isinstance(number, int | np.integer) for number in numbers):
            columns = [X[:, number] for number in numbers]
            return columns if isinstance(on, list) else columns[0]
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


def forest_of(X: Any, on: On) -> Forest:
    """Return the trees in a column of X: those that there are now, if others are added later."""
    if on is None and isinstance(X, Forest):
        return Forest.from_roots(X.dag, X.roots, source=X.source)
    if on is None and type(X) is list:  # which has no columns
        return as_forest(X)
    if isinstance(on, list):
        raise DataError("a tree kernel looks at one column, not at a list of them")
    if on is None and (names := column_names(X)) is not None:
        holding = [name for name in names if looks_like_trees(column_of(X, name))]
        if len(holding) == 1:  # there is nothing to choose
            return as_forest(column_of(X, holding[0]))
    if on is None and isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]  # as scikit-learn passes on one column of an array
    return as_forest(select(X, on))


def pairs_of(X: Any, on: On) -> Pairs:
    """Return the sentence pairs that a kernel looks at."""
    if on is None and isinstance(X, Pairs):
        return X
    if on is None and column_names(X) is not None:
        on = _SIDES
    if isinstance(on, list):
        if len(on) != 2:
            raise DataError(f"a pair has two columns, a text and a hypothesis, not {len(on)}")
        texts, hypotheses = select(X, on)
        return Pairs(texts, hypotheses)
    return as_pairs(select(X, on))


def take_columns(X: Any, on: On, takes: Takes) -> dict[Any, Any]:
    """Return the columns of X that a kernel looks at, made ready for it.

    By name: trees as a `Forest`, vectors as a matrix and so on. None stands for X as a whole. To
    the kernel, a dict of these columns is as good as X.
    """
    if takes == "trees":
        return {on: forest_of(X, on)}
    if takes == "vectors":
        names = on if isinstance(on, list) else [on]
        return {name: _vectors_of(X, name) for name in names}
    if takes == "pairs":
        pairs = pairs_of(X, on)
        if on is None and not isinstance(X, Pairs) and column_names(X) is not None:
            on = _SIDES
        if isinstance(on, list):
            return {on[0]: pairs.texts, on[1]: pairs.hypotheses}
        return {on: pairs}
    if takes == "sets":
        if isinstance(on, list):
            return {name: as_forest(select(X, name)) for name in on}
        return {on: as_tree_sets(select(X, on))}
    columns = {name: select(X, name) for name in (on if isinstance(on, list) else [on])}
    return {
        name: forest_of(column, None) if isinstance(column, Forest) else column
        for name, column in columns.items()
    }


def _vectors_of(X: Any, name: Hashable) -> Vectors:
    """Return the vectors in a column of X.

    A data frame with nothing but numbers in it is a matrix, as it is for scikit-learn.
    """
    if name is None and hasattr(X, "shape") and (names := column_names(X)):
        columns = [column_of(X, column) for column in names]
        if all(_is_numeric(column) for column in columns):
            return np.column_stack([np.asarray(column, np.float64) for column in columns])
    return as_vectors(select(X, name))


def column_names(X: Any) -> list[Any] | None:
    """Return the names of the columns of X, or None if it has none."""
    if hasattr(X, "tocsr"):  # a sparse matrix, of which one kind is a dictionary
        return None
    if isinstance(X, Mapping):
        return list(X)
    if type(X).__name__ == "LazyFrame":
        raise DataError("a LazyFrame has no rows yet: give what its .collect() returns")
    names = getattr(X, "column_names", None)  # of Arrow, whose columns are not names
    if names is None:
        names = getattr(X, "columns", None)
    if isinstance(names, Mapping):
        raise DataError("this holds several datasets, such as train and test: give one of them")
    return None if names is None else list(names)


def column_of(X: Any, name: Any) -> Any:
    """Return a column of X; one of Arrow as an array of numbers, or a list."""
    column = X[name]
    if hasattr(column, "to_pylist"):
        kind = str(getattr(column, "type", ""))
        numeric = kind.startswith(("int", "uint", "float", "double"))
        return column.to_numpy() if numeric else column.to_pylist()
    return column


def _is_numeric(column: Any) -> bool:
    """Return whether a column has one number for each example."""
    array = column if hasattr(column, "tocsr") else np.asarray(column)
    return array.ndim == 1 and array.dtype.kind in "biuf"


def looks_like_trees(column: Any) -> bool:
    """Return whether a column is a forest, or texts of which the first starts with a bracket."""
    if isinstance(column, Forest):
        return True
    if not hasattr(column, "__iter__") or hasattr(column, "tocsr"):
        return False
    first = next((item for item in column if not is_nothing(item)), None)
    if isinstance(first, str):
        return first.lstrip().startswith("(")
    return isinstance(first, Tree) or (hasattr(first, "label") and isinstance(first, Sequence))
