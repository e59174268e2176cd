"""Tables of several files as one: columns by name, with gaps where a file does not have one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.data.tree import MISSING
from treekernels.data.tree_sets import TreeSets
from treekernels.errors import DataError


def joined(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, one after the other, with the columns that any has."""
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    return Table({name: _joined_column(name, tables) for name in names})


def _joined_column(name: str, tables: Sequence[Table]) -> Any:
    given = [table.get(name) for table in tables]
    columns = [column if column is not None and column.shape[0] else None for column in given]
    kinds = {_kind(column) for column in columns if column is not None}
    if len(kinds) > 1:
        raise DataError(
            f"the column {name!r} holds {' in one file and '.join(sorted(kinds))} in another"
        )
    kind = next(iter(kinds), "values")
    lengths = [len(table) for table in tables]
    if kind == "trees":
        missing = Forest([f"({MISSING})"])
        return Forest.concatenate(
            [
                missing[np.zeros(length, np.intp)] if column is None else column
                for column, length in zip(columns, lengths, strict=True)
            ]
        )
    if kind in ("pairs", "sets of trees"):
        there = [column for column in columns if column is not None]
        if len(there) < len(columns):
            raise DataError(f"the column {name!r} of {kind} is missing in a file")
        return type(there[0]).concatenate(there)
    if kind == "sparse vectors":
        return _joined_sparse(columns, lengths)
    if kind == "vectors":
        return _joined_dense(name, columns, lengths)
    return _joined_values(columns, lengths)


def _kind(column: Any) -> str:
    if isinstance(column, Forest):
        return "trees"
    if isinstance(column, Pairs):
        return "pairs"
    if isinstance(column, TreeSets):
        return "sets of trees"
    if hasattr(column, "tocsr"):
        return "sparse vectors"
    return "vectors" if column.ndim == 2 else "values"


def _joined_sparse(columns: Sequence[Any], lengths: Sequence[int]) -> Any:
    from scipy.sparse import csr_matrix, vstack

    width = max(1, *(column.shape[1] for column in columns if column is not None))
    parts = []
    for column, length in zip(columns, lengths, strict=True):
        part = csr_matrix(np.full((length, 1), np.nan)) if column is None else column.copy()
        part.resize(length, width)
        parts.append(part)
    return vstack(parts, format="csr")


def _joined_dense(name: str, columns: Sequence[Any], lengths: Sequence[int]) -> Any:
    widths = {column.shape[1] for column in columns if column is not None}
    if len(widths) > 1:
        counts = " and ".join(map(str, sorted(widths)))
        raise DataError(f"the vectors in column {name!r} have {counts} numbers")
    (width,) = widths
    return np.concatenate(
        [
            np.full((length, width), np.nan) if column is None else column
            for column, length in zip(columns, lengths, strict=True)
        ]
    )


def _joined_values(columns: Sequence[Any], lengths: Sequence[int]) -> Any:
    kinds = {column.dtype.kind for column in columns if column is not None}
    if kinds <= set("iuf") and all(column is not None for column in columns):
        return np.concatenate(columns)
    values = np.empty(sum(lengths), object)
    at = 0
    texts = "O" in kinds
    for column, length in zip(columns, lengths, strict=True):
        if column is not None:
            # If one file has texts, the numbers of the others are texts, as in a single file.
            is_number = texts and column.dtype.kind in "iuf"
            values[at : at + length] = [str(v) for v in column] if is_number else list(column)
        at += length
    return values
