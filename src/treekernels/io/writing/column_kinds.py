"""What a column that is to be written holds, and its entries as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from treekernels.data.forest import Forest, as_forest
from treekernels.data.table import Table
from treekernels.data.tree import brackets_of
from treekernels.data.vectors import missing_rows
from treekernels.errors import DataError

_BARE_LEAF = re.compile(r"\([^\s()]+ [^\s()]+\)|(?<= )[^\s()]+")
_NO_LABEL = re.compile(r"\s|\||^#")


def as_table(data: Any) -> Table:
    """Return a table of anything that can be one; trees alone become the column "tree"."""
    if isinstance(data, Table):
        return data
    if isinstance(data, Mapping) or hasattr(data, "columns") or hasattr(data, "column_names"):
        from treekernels.io.readers.tables.data_frames import from_table

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
    if getattr(column, "ndim", 1) != 1 or column.dtype.kind != "O":
        return "other"
    named = [item for item in column if item is not None]
    return "dict" if named and all(isinstance(item, dict) for item in named) else "other"


def label_texts(table: Table, name: str, format: str, prefix_of_floats: str = "") -> Iterator[str]:
    """Yield the labels of the examples; several of one are separated by spaces."""
    if name not in table:
        raise DataError(
            f"{format} needs labels, and there is no column {name!r}: name it with label=..."
        )
    for place, value in enumerate(table[name], start=1):
        values = value if isinstance(value, tuple | list | set | frozenset) else [value]
        texts = [
            prefix_of_floats + format_number(item) if isinstance(item, float) else str(item)
            for item in values
        ]
        for text in texts:
            if not text or _NO_LABEL.search(text):
                raise DataError(f"row {place}: the label {text!r:.40} cannot be written")
        yield " ".join(texts)


def tree_texts(forest: Forest) -> Iterator[str | None]:
    """Yield trees as SVM-LIGHT-TK and KeLP read them: empty ones as nothing, missing ones as None.

    A leaf that does not hang alone under its parent gets brackets of its own: ``(A b c)`` would be
    one leaf "b c" to the one program, and an error to the other. A bar could be taken for a marker.
    """
    empty, missing = forest.is_empty.tolist(), forest.is_missing.tolist()
    for place, root in enumerate(forest.roots.tolist()):
        if empty[place]:
            yield None if missing[place] else ""
            continue
        text = _BARE_LEAF.sub(_in_brackets, brackets_of(forest.dag, root))
        yield text.replace("|", r"\x7c")


def _in_brackets(leaf: re.Match[str]) -> str:
    text = leaf.group()
    return text if text.startswith("(") else f"({text})"


def sparse_entries(column: Any) -> Iterator[list[tuple[str, float]] | None]:
    """Yield for each row its features, numbered from 1, or named, and their values.

    None stands for a vector that is missing.
    """
    kind = kind_of(column)
    if kind == "dict":
        for entries in column:
            named = None if entries is None else entries.items()
            yield None if named is None else [(str(name), float(value)) for name, value in named]
        return
    missing = missing_rows(column)
    if kind == "dense":
        for row, is_missing in zip(column, missing, strict=True):
            places = np.flatnonzero(row)
            yield None if is_missing else [(str(p + 1), float(row[p])) for p in places]
    else:
        matrix = column.tocsr()
        bounds = zip(matrix.indptr[:-1], matrix.indptr[1:], missing, strict=True)
        for begin, end, is_missing in bounds:
            pairs = sorted(zip(matrix.indices[begin:end], matrix.data[begin:end], strict=True))
            entries = [(str(feature + 1), float(value)) for feature, value in pairs]
            yield None if is_missing else entries


def sparse_text(entries: list[tuple[str, float]]) -> str:
    """Return features and their values as text."""
    return " ".join(f"{feature}:{format_number(value)}" for feature, value in entries)


def dense_texts(column: Any) -> Iterator[str | None]:
    """Yield the numbers of each row, None for one that is missing."""
    for row, is_missing in zip(column, missing_rows(column), strict=True):
        yield None if is_missing else ",".join(format_number(float(value)) for value in row)


def format_number(value: float) -> str:
    """Return a number as text from which reading makes the same, and an integer as one."""
    value = float(value)
    if not np.isfinite(value):
        raise DataError(f"{value} is not a number that can be written")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
