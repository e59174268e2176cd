"""Table: examples with several columns, trees among them, that scikit-learn can slice."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from treekernels.common.wording import count_noun
from treekernels.data.columns import length
from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pairs
from treekernels.errors import DataError

__all__ = ["Table"]


class Table(Mapping[str, Any]):
    """Columns of equal length: forests of trees, and arrays of anything else.

    A string selects a column; integers, slices and arrays select rows, as scikit-learn does. So a
    table can be X where an example has more than one part, and kernels say ``on="column"``.
    A data frame does the same; this one needs no package and keeps trees as a `Forest`.

    Parameters
    ----------
    columns : mapping of str to column

    Examples
    --------
    >>> import treekernels as tk
    >>> table = tk.Table({"tree": tk.Forest.from_brackets(["(A b)", "(A c)"]), "label": ["x", "y"]})
    >>> table
    <Table: 2 rows; tree: Forest, label: str>
    >>> table["label"][1]
    'y'
    >>> table[1:]["tree"].to_brackets()
    ['(A c)']
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {name: _as_column(name, column) for name, column in columns.items()}
        length(self._columns)  # complains if they differ

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return length(self._columns), len(self._columns)

    def forest(self, name: str) -> Forest:
        """Return a column as a forest."""
        return as_forest(self._columns[name])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # scikit-learn asks for table[indices, ...]
        if isinstance(key, str):
            return self._columns[key]
        if isinstance(key, int | np.integer):
            return {name: column[key] for name, column in self._columns.items()}
        if isinstance(key, list) and not key:
            key = np.empty(0, np.intp)
        return Table({name: column[key] for name, column in self._columns.items()})

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def get(self, name: Any, default: Any = None) -> Any:
        """Return a column by name, or the default if there is none."""
        return self._columns.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.shape[0]

    def items(self) -> Any:
        """Return the names and columns. (The length of a table is that of its rows.)"""
        return self._columns.items()

    def keys(self) -> Any:
        """Return the names of the columns."""
        return self._columns.keys()

    def values(self) -> Any:
        """Return the columns."""
        return self._columns.values()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and all(
            _equal_columns(column, other._columns[name]) for name, column in self._columns.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Make an array of objects, for estimators that turn everything into one."""
        array = np.empty(self.shape, dtype=object)
        for place, column in enumerate(self._columns.values()):
            for row in range(len(self)):
                array[row, place] = column[row]
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {_type_name(column)}" for name, column in self._columns.items())
        return f"<Table: {count_noun(len(self), 'row')}; {kinds}>"


def _as_column(name: str, column: Any) -> Any:
    if isinstance(column, Forest | Pairs):
        return column
    if hasattr(column, "tocsr"):
        return column.tocsr()
    if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
        raise DataError(
            f"column {name!r} is a single {type(column).__name__}: give one value for each row"
        )
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if not isinstance(array, np.ndarray):
        array = _array_of(list(column))
    if array.ndim == 0:
        raise DataError(f"column {name!r} is a single value: give one for each row")
    # Texts as objects: arrays of fixed-width text would cost as much for each as for the longest.
    return array.astype(object) if array.dtype.kind == "U" else array


def _array_of(values: list[Any]) -> Any:
    """Return an array of numbers, texts or vectors; trees and other objects stay what they are."""
    if all(isinstance(value, str | int | float | np.generic) for value in values):
        return np.array(values)
    if all(isinstance(value, np.ndarray | list) for value in values):
        with contextlib.suppress(ValueError):
            array = np.array(values)
            if array.dtype.kind in "bifc" and not any(hasattr(value, "label") for value in values):
                return array
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _equal_columns(a: Any, b: Any) -> bool:
    if hasattr(a, "tocsr") and hasattr(b, "tocsr"):
        return bool(a.shape == b.shape and (a != b).nnz == 0)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    return type(a) is type(b) and bool(a == b)


def _type_name(column: Any) -> str:
    if isinstance(column, Forest | Pairs):
        return type(column).__name__
    if column.dtype.kind == "O" and len(column):
        return type(column[0]).__name__
    return str(column.dtype)
