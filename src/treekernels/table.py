"""Table: examples with several columns, trees among them, that scikit-learn can slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from treekernels.forest import Forest, as_forest
from treekernels.kernels.columns import length

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
        length(dict(columns))  # complains if they differ
        self._columns = {
            name: column if isinstance(column, Forest) else _as_array(column)
            for name, column in columns.items()
        }

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return length(dict(self._columns)), len(self._columns)

    def forest(self, name: str) -> Forest:
        """Give a column as a forest."""
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

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.shape[0]

    def items(self) -> Any:
        """The names and columns. (The length of a table is that of its rows.)"""
        return self._columns.items()

    def keys(self) -> Any:
        """The names of the columns."""
        return self._columns.keys()

    def values(self) -> Any:
        """The columns."""
        return self._columns.values()

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {_kind(column)}" for name, column in self._columns.items())
        return f"<Table: {len(self):,} rows; {kinds}>"


def _as_array(column: Any) -> Any:
    if hasattr(column, "tocsr"):
        return column.tocsr()
    array = np.asarray(column)
    # Texts as objects: arrays of fixed-width text would cost as much for each as for the longest.
    return array.astype(object) if array.dtype.kind == "U" else array


def _kind(column: Any) -> str:
    if isinstance(column, Forest):
        return "Forest"
    if column.dtype.kind == "O" and len(column):
        return type(column[0]).__name__
    return str(column.dtype)
