"""Examples: what a kernel looks at of X, kept in a form that can be cut, joined and saved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.forest import Forest
from treekernels.kernels import Kernel
from treekernels.kernels.columns import forest_of, length, select, vectors_of
from treekernels.kernels.trees import TreeKernel
from treekernels.kernels.vectors import VectorKernel

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

    @classmethod
    def of(cls, X: Any, kernel: Kernel) -> Examples:
        """Take from X what the kernel looks at."""
        if isinstance(X, Examples):
            return X
        columns: dict[Any, Any] = {}
        for leaf in leaves(kernel):
            on = getattr(leaf, "on", None)
            if isinstance(on, list):
                for name in on:
                    columns[name] = vectors_of(X, name)
            elif on in columns:
                continue
            elif isinstance(leaf, TreeKernel):
                columns[on] = forest_of(X, on)
            elif isinstance(leaf, VectorKernel):
                columns[on] = vectors_of(X, on)
            else:
                columns[on] = X if on is None else select(X, on)
        if not columns:  # a constant kernel looks at nothing
            columns[None] = np.empty((length(X), 0))
        return cls(columns)

    @classmethod
    def restored(cls, columns: dict[Any, Any], kernel: Kernel) -> Examples:
        """Take columns from a file, and see that the kernel can look at them."""
        length(columns)  # complains if they differ
        return cls.of(cls(columns).X, kernel)

    def digest(self, labels: NDArray[Any]) -> str:
        """Give a text that is another one for other examples or labels."""
        result = hashlib.sha256(labels.tobytes())
        for name, column in self.columns.items():
            result.update(repr(name).encode())
            if isinstance(column, Forest):
                result.update("\n".join(column.to_brackets()).encode())
            elif hasattr(column, "tocsr"):
                for part in (column.data, column.indices, column.indptr):
                    result.update(part.tobytes())
            else:
                result.update(np.ascontiguousarray(column).tobytes())
        return result.hexdigest()

    @property
    def X(self) -> Any:
        """What the kernel is to be called with."""
        return self.columns.get(None, self.columns)

    def __len__(self) -> int:
        return length(next(iter(self.columns.values())))

    def take(self, rows: NDArray[np.intp]) -> Examples:
        """Give some of the examples."""
        return Examples({name: _take(column, rows) for name, column in self.columns.items()})

    @staticmethod
    def concatenate(parts: list[Examples]) -> Examples:
        """Put examples one after the other."""
        names = parts[0].columns
        return Examples({name: _joined([part.columns[name] for part in parts]) for name in names})


def leaves(kernel: Kernel) -> Iterator[Kernel]:
    """Give the kernels that a combined one is made of, constants left out."""
    open_ = [kernel]
    while open_:
        one = open_.pop()
        inner = [part for name in ("k2", "k1", "kernel") if (part := getattr(one, name, None))]
        inner = [part for part in inner if isinstance(part, Kernel)]
        if inner:
            open_ += inner
        elif not (hasattr(one, "value") and not hasattr(one, "on")):
            yield one


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
