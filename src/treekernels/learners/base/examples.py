"""Examples: what a kernel looks at of X, kept in a form that can be cut, joined and saved."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import length
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.tree_sets import TreeSets
from treekernels.kernels import Kernel

__all__ = ["Examples"]


class Examples:
    """The columns of X that a kernel looks at: trees as forests, vectors as matrices.

    Parameters
    ----------
    columns : dict
        By name; None for X as a whole.
    """

    def __init__(self, columns: dict[Any, Any]) -> None:
        self.columns = columns
        self.features: dict[str, Any] | None = None  # what X had for columns, in learning

    @classmethod
    def of(cls, X: Any, kernel: Kernel) -> Examples:
        """Take from X what the kernel looks at."""
        if isinstance(X, Examples):
            return X
        columns = kernel.columns_of(X)
        if not columns:  # a constant kernel looks at nothing
            columns[None] = np.empty((length(X), 0))
        return cls(columns)

    @classmethod
    def restored(cls, columns: dict[Any, Any], kernel: Kernel) -> Examples:
        """Take columns from a file, and see that the kernel can look at them."""
        length(columns)  # complains if they differ
        return cls.of(cls(columns).X, kernel)

    def digest(self, labels: NDArray[Any]) -> str:
        """Return a text that is another one for other examples or labels."""
        result = hashlib.sha256(labels.tobytes())
        for name, column in self.columns.items():
            result.update(repr(name).encode())
            result.update(_digest(column))
        return result.hexdigest()

    @property
    def X(self) -> Any:
        """What the kernel is to be called with."""
        return self.columns.get(None, self.columns)

    def __len__(self) -> int:
        return length(next(iter(self.columns.values())))

    def take(self, rows: NDArray[np.intp]) -> Examples:
        """Return some of the examples."""
        return Examples({name: _take(column, rows) for name, column in self.columns.items()})

    def distinct(self) -> tuple[Examples, NDArray[np.intp]]:
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
        names = parts[0].columns
        return Examples({name: _joined([part.columns[name] for part in parts]) for name in names})


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


def _take(column: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(column, list | tuple):
        return [column[row] for row in rows]
    return column.iloc[rows] if hasattr(column, "iloc") else column[rows]


def _joined(columns: list[Any]) -> Any:
    first = columns[0]
    if len(columns) == 1:
        return first
    if isinstance(first, Forest):
        return Forest.concatenate(columns)
    if hasattr(first, "tocsr"):
        from scipy.sparse import vstack

        return vstack(columns, format="csr")
    if isinstance(first, np.ndarray):
        return np.concatenate(columns)
    if hasattr(type(first), "concatenate"):
        return type(first).concatenate(columns)
    return [example for column in columns for example in column]
