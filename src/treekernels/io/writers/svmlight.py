"""SVM-LIGHT-TK: ``label |BT| tree |BT| tree |ET| 1:0.5 2:1 |BV| 1:0.3 |EV|``."""

from __future__ import annotations

from collections.abc import Iterator

from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.writers.column_kinds import (
    format_number,
    kind_of,
    label_texts,
    sparse_entries,
    tree_texts,
)

__all__ = ["svmlight_lines"]


def svmlight_lines(table: Table, label: str = "label") -> Iterator[str]:
    """Yield the examples: first the trees, then the vectors, each in the order of the columns."""
    trees, vectors = [], []
    for name, column in table.items():
        kind = kind_of(column)
        if name == label:
            continue
        if kind == "tree":
            trees.append(tree_texts(column))
        elif kind in ("sparse", "dense"):
            vectors.append(_vector_texts(column))
        else:
            raise DataError(
                f"the column {name!r} holds neither trees nor vectors of numbers, and SVM-LIGHT-TK "
                "has no place for it: leave it out"
            )
    for first in label_texts(table, label, "SVM-LIGHT-TK"):
        parts = [first, *(f"|BT| {next(texts)}" for texts in trees), "|ET|"]
        if vectors:
            parts += [" |BV| ".join(next(texts) for texts in vectors), "|EV|"]
        yield " ".join(parts)


def _vector_texts(column: object) -> Iterator[str]:
    for entries in sparse_entries(column):
        yield " ".join(f"{feature}:{format_number(value)}" for feature, value in entries)
