"""Examples: what a kernel looks at of X, made ready once and then only passed on.

Public methods make `Examples` of whatever X is. Inside, nobody looks at X again: a kernel asks for
its trees, pairs, sets, vectors or objects by the name of their column.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from treekernels.common.arrays import Array, Places
from treekernels.data.columns import On, Takes, length, take_columns
from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pairs, as_pairs
from treekernels.data.tree_sets import TreeSets, as_tree_sets
from treekernels.data.vectors import Vectors, are_vectors, as_vectors

_Made = TypeVar("_Made")


class Examples:
    """The columns of X that a kernel looks at: trees as forests, vectors as matrices.

    Parameters
    ----------
    columns : dict
        By name; None stands for X as a whole.
    """

    def __init__(self, columns: dict[Any, Any]) -> None:
        self.columns = columns
        self._ready: dict[Any, Any] = {}  # what is made of a column that is kept as it is

    @classmethod
    def of(cls, X: Any, inputs: Iterable[tuple[On, Takes]]) -> Examples:
        """Take from X the columns that are asked for, each as what it is taken for.

        A column that two kernels look at is made ready once. If one of them takes it as it is, it
        is kept so, and the other makes of it what it needs.
        """
        columns: dict[Any, Any] = {}
        for on, takes in inputs:
            if isinstance(on, list) or on not in columns or takes == "objects":
                for name, column in take_columns(X, on, takes).items():
                    if takes == "objects" or name not in columns:
                        columns[name] = column
        if not columns:  # a constant kernel looks at nothing
            columns[None] = np.empty((length(X), 0))
        if len(columns) > 1:
            length(columns)  # complains if they differ
        return cls(columns)

    @classmethod
    def restored(cls, columns: dict[Any, Any], inputs: Iterable[tuple[On, Takes]]) -> Examples:
        """Take columns from a file, and see that they are what is asked for."""
        length(columns)
        return cls.of(cls(columns).X, inputs)

    @classmethod
    def of_column(cls, column: Any) -> Examples:
        """Return examples that are a single column, such as a forest, which is ready."""
        return cls({None: column})

    def only(self, inputs: Iterable[tuple[On, Takes]]) -> Examples:
        """Return the same examples with no other columns than those that are asked for."""
        names = {name: None for on, takes in inputs for name in self._names(on, takes)}
        if names.keys() == self.columns.keys():
            return self
        columns = {name: self.columns[name] for name in names}
        return Examples(columns or {None: np.empty((len(self), 0))})

    def _names(self, on: On, takes: Takes) -> Sequence[Any]:
        if isinstance(on, list):
            return on
        return ["text", "hypothesis"] if takes == "pairs" and on not in self.columns else [on]

    def trees(self, on: On = None) -> Forest:
        """Return the trees in a column."""
        column = self.columns[on]
        return column if isinstance(column, Forest) else self._made(on, as_forest)

    def pairs(self, on: On = None) -> Pairs:
        """Return the sentence pairs in a column, or in the columns of their two sides."""
        names = self._names(on, "pairs")
        if len(names) == 2:
            return self._made(names, lambda sides: Pairs(*sides))
        column = self.columns[on]
        return column if isinstance(column, Pairs) else self._made(on, as_pairs)

    def sets(self, on: On = None) -> TreeSets:
        """Return the sets of trees in a column, or in the columns that each have a tree of them."""
        if isinstance(on, list):
            return self._made(on, TreeSets.from_columns)
        column = self.columns[on]
        return column if isinstance(column, TreeSets) else self._made(on, as_tree_sets)

    def vectors(self, on: On = None) -> Vectors:
        """Return the vectors in a column, or those that several columns make up."""
        if isinstance(on, list):
            return self._made(on, np.column_stack)
        column = self.columns[on]
        return column if are_vectors(column) else self._made(on, as_vectors)

    def objects(self, on: On = None) -> Any:
        """Return a column as it is, or a list of columns."""
        return [self.columns[name] for name in on] if isinstance(on, list) else self.columns[on]

    def _made(self, on: Any, make: Callable[[Any], _Made]) -> _Made:
        """Return what is made of one column or of a list of them, which is made once."""
        key = make, tuple(on) if isinstance(on, list) else on
        if key not in self._ready:
            columns = self.columns
            self._ready[key] = make(
                [columns[name] for name in on] if isinstance(on, list) else columns[on]
            )
        made: _Made = self._ready[key]
        return made

    @property
    def X(self) -> Any:
        """The examples as something that public methods take."""
        return self.columns[None] if list(self.columns) == [None] else self.columns

    def __len__(self) -> int:
        return length(next(iter(self.columns.values())))

    def take(self, rows: Places) -> Examples:
        """Return some of the examples."""
        return Examples({name: _take(column, rows) for name, column in self.columns.items()})

    def distinct(self) -> tuple[Examples, Places]:
        """Return examples without repetition, and for each of these its place among them.

        Only trees alone are looked at: equal ones are one node of their DAG.
        """
        (column,) = self.columns.values() if len(self.columns) == 1 else (None,)
        if not isinstance(column, Forest):
            return self, np.arange(len(self))
        _, first, places = np.unique(column.roots, return_index=True, return_inverse=True)
        if len(first) == len(self):
            return self, np.arange(len(self))
        return self.take(first), places.astype(np.intp)

    @staticmethod
    def concatenate(parts: list[Examples]) -> Examples:
        """Put examples one after the other."""
        if len(parts) == 1:
            return parts[0]
        names = parts[0].columns
        return Examples({n: join_columns([part.columns[n] for part in parts]) for n in names})

    def digest(self, labels: Array) -> str:
        """Return a text that is another one for other examples or labels."""
        result = hashlib.sha256(labels.tobytes())
        for name, column in self.columns.items():
            result.update(repr(name).encode())
            result.update(_digest(column))
        return result.hexdigest()


def _digest(column: Any) -> bytes:
    """Return bytes that differ for other contents, and are the same in another process."""
    if isinstance(column, Forest):
        # Equal trees in the same order give equal arrays, whatever else their forest holds.
        label_text, *arrays = column.__getstate__()
        parts = (label_text, *(array.tobytes() for array in arrays))
        return b"".join(hashlib.sha256(part).digest() for part in parts)
    if isinstance(column, Pairs):
        return _digest(column.texts) + b"\0" + _digest(column.hypotheses)
    if isinstance(column, TreeSets):
        return _digest(column.trees) + column.offsets.tobytes()
    from joblib import hash as content_hash

    return str(content_hash(column)).encode()


def _take(column: Any, rows: Places) -> Any:
    if isinstance(column, list | tuple):
        return [column[row] for row in rows]
    return column.iloc[rows] if hasattr(column, "iloc") else column[rows]


def join_columns(columns: Sequence[Any]) -> Any:
    """Put columns one after the other: forests, pairs and sets, arrays, data frames or lists."""
    first = columns[0]
    if hasattr(type(first), "concatenate"):
        return type(first).concatenate(columns)
    if any(hasattr(column, "tocsr") for column in columns):
        from scipy.sparse import vstack

        return vstack(columns, format="csr")
    if hasattr(first, "iloc"):
        import pandas

        return pandas.concat(columns)
    if isinstance(first, np.ndarray):
        return np.concatenate(columns)
    return [example for column in columns for example in column]
