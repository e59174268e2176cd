"""The columns of what is to be written, by kind, and how their entries are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from treekernels.data.empty_tree import EMPTY
from treekernels.data.forest import Forest, as_forest
from treekernels.data.table import Table
from treekernels.errors import DataError

__all__ = [
    "as_table",
    "dense_texts",
    "format_number",
    "kind_of",
    "label_texts",
    "sparse_entries",
    "tree_texts",
]

_MARKER = re.compile(r"\|(?=[A-Z]+[:|]|[<,>]\|)")
_NO_LABEL = re.compile(r"\s|\||^#")
_EMPTY_TREE = f"({EMPTY})"


def as_table(data: Any) -> Table:
    """Return a table for anything that can be one; of trees only, one with the column "tree"."""
    if isinstance(data, Table):
        return data
    if isinstance(data, Mapping) or hasattr(data, "columns") or hasattr(data, "column_names"):
        from treekernels.io.readers.data_frames import from_table

        return from_table(data)
    return Table({"tree": as_forest(data)})


def kind_of(column: Any) -> str:
    """Return what a column holds: tree, sparse, dense, dict, or other."""
    if isinstance(column, Forest):
        return "tree"
    if hasattr(column, "tocsr"):
        return "sparse"
    if getattr(column, "ndim", 1) == 2 and column.dtype.kind in "biuf":
        return "dense"
    return "dict" if len(column) and all(isinstance(item, dict) for item in column) else "other"


def label_texts(table: Table, name: str, format: str) -> Iterator[str]:
    """Yield the labels of the examples; several of one are separated by spaces."""
    if name not in table:
        raise DataError(
            f"{format} needs labels, and there is no column {name!r}: name it with label=..."
        )
    for place, value in enumerate(table[name], start=1):
        values = value if isinstance(value, tuple | list | set | frozenset) else [value]
        texts = [format_number(item) if isinstance(item, float) else str(item) for item in values]
        for text in texts:
            if not text or _NO_LABEL.search(text):
                raise DataError(f"row {place}: the label {text!r:.40} cannot be written")
        yield " ".join(texts)


def tree_texts(forest: Forest) -> Iterator[str]:
    """Yield trees in brackets, empty ones as nothing, so that none can be taken for a marker."""
    for root in forest.roots.tolist():
        text = forest.dag.brackets(root)
        if text == _EMPTY_TREE:
            yield ""
        else:
            yield _MARKER.sub(r"\\x7c", text) if "|" in text else text


def sparse_entries(column: Any) -> Iterator[list[tuple[str, float]]]:
    """Yield for each row its features, numbered from 1, or named, and their values."""
    kind = kind_of(column)
    if kind == "dict":
        for entries in column:
            yield [(str(name), float(value)) for name, value in entries.items()]
    elif kind == "dense":
        for row in column:
            yield [(str(place + 1), float(row[place])) for place in np.flatnonzero(row)]
    else:
        matrix = column.tocsr()
        for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            pairs = sorted(zip(matrix.indices[begin:end], matrix.data[begin:end], strict=True))
            yield [(str(feature + 1), float(value)) for feature, value in pairs]


def dense_texts(column: Any) -> Iterator[str]:
    """Yield the numbers of each row."""
    for row in column:
        yield ",".join(format_number(float(value)) for value in row)


def format_number(value: float) -> str:
    """Return a number as text from which reading makes the same, and an integer as one."""
    value = float(value)
    if not np.isfinite(value):
        raise DataError(f"{value} is not a number that can be written")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
