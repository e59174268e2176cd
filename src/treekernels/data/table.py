"""Table: examples with several columns, trees among them, that scikit-learn can slice."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from treekernels.common.arrays import object_array
from treekernels.common.text import count_noun, printable
from treekernels.data.columns import column_of, length
from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pairs
from treekernels.data.tree_sets import TreeSets
from treekernels.data.vectors import missing_rows, without_missing
from treekernels.errors import DataError

__all__ = ["Table"]


class Table(dict[str, Any]):
    """Columns of equal length: forests of trees, and arrays of anything else.

    You get a column by its name, a smaller table by a list of names, and some of the rows by a
    number, a slice or an array, as scikit-learn does. So a table can be X when an example has more
    than one part; a kernel then says which column it looks at, with ``on="column"``. A data frame
    of pandas or Polars would do as well, but a table needs no other package, and its trees are
    parsed only once because it keeps them as a `Forest`.

    A table never changes. To add a column, make another table, as in
    ``tk.Table({**table, "more": column})``. The length of a table is the number of its rows, and
    ``pandas.DataFrame(table)`` turns it into a data frame with the same names.

    Parameters
    ----------
    columns : mapping of str to column
        The columns by name. All of them have one entry for each row.

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
    >>> table[["tree"]]
    <Table: 2 rows; tree: Forest>
    """

    # A dictionary, since pandas and Polars keep the names of nothing else that they do not know.

    def __init__(self, columns: Mapping[str, Any]) -> None:
        super().__init__({name: _as_column(name, column) for name, column in columns.items()})
        length(dict(self))  # complains if they differ

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.keys())

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        first = next(iter(self.values()), ())
        return length(first), len(self.columns)

    def forest(self, name: str) -> Forest:
        """Return a column as a forest, whatever it holds its trees as."""
        return as_forest(self[name])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # scikit-learn asks for table[indices, ...]
        if isinstance(key, str):
            return super().__getitem__(key)
        if isinstance(key, int | np.integer):
            return {name: column[key] for name, column in self.items()}
        if isinstance(key, list) and not key:
            key = np.empty(0, np.intp)
        if isinstance(key, list) and all(isinstance(name, str) for name in key):
            return Table({name: self[name] for name in key})
        return Table({name: column[key] for name, column in self.items()})

    def __missing__(self, key: str) -> Any:
        raise KeyError(f"there is no column {key!r}; there are {', '.join(self.columns)}")

    def __len__(self) -> int:
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and all(
            _equal_columns(column, other[name]) for name, column in self.items()
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (dict(self),)

    def copy(self) -> Table:
        """Return the table itself, which does not change."""
        return self

    def _refuse_change(self, *_: Any, **__: Any) -> Any:
        """Raise a `DataError`: a table does not change."""
        raise DataError(
            "a Table does not change: make another, tk.Table({**table, 'name': column})"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse_change
    clear = pop = popitem = setdefault = update = _refuse_change

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Make an array of objects, for estimators that turn everything into one."""
        array = np.empty(self.shape, dtype=object)
        for place, column in enumerate(self.values()):
            for row in range(len(self)):
                array[row, place] = column[row]
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {_type_name(column)}" for name, column in self.items())
        return printable(f"<Table: {count_noun(len(self), 'row')}; {kinds}>")


def _as_column(name: str, column: Any) -> Any:
    if isinstance(column, Forest | Pairs | TreeSets):
        return column
    if hasattr(column, "tocsr"):
        return column.tocsr()
    if hasattr(column, "to_pylist"):  # of Arrow
        return _as_column(name, column_of({name: column}, name))
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
    return object_array(values)


def _equal_columns(a: Any, b: Any) -> bool:
    if hasattr(a, "tocsr") and hasattr(b, "tocsr"):
        missing = missing_rows(a)
        if a.shape != b.shape or not np.array_equal(missing, missing_rows(b)):
            return False
        return bool((without_missing(a, missing) != without_missing(b, missing)).nnz == 0)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        floats = a.dtype.kind == "f" and b.dtype.kind == "f"
        return bool(np.array_equal(a, b, equal_nan=floats))
    return type(a) is type(b) and bool(a == b)


def _type_name(column: Any) -> str:
    if isinstance(column, Forest | Pairs | TreeSets):
        return type(column).__name__
    if column.dtype.kind == "O" and len(column):
        first = next((item for item in column if item is not None), None)
        return type(first).__name__ if first is not None else "nothing"
    return str(column.dtype)
