"""SVM-LIGHT-TK: ``label |BT| tree |BT| tree |ET| 1:0.5 2:1 |BV| 1:0.3 |EV|``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.writing.column_kinds import (
    format_number,
    kind_of,
    label_texts,
    sparse_entries,
    sparse_text,
    tree_texts,
)


def svmlight_lines(table: Table, label: str = "label") -> Iterator[str]:
    """Yield the examples: first the trees, then the vectors, each in the order of the columns."""
    trees: list[Iterator[str | None]] = []
    vectors: list[Iterator[str | None]] = []
    specials: list[Iterator[str | None]] = []
    for name, column in table.items():
        kind = kind_of(column)
        if name == label:
            continue
        if kind == "tree":
            trees.append(tree_texts(column))
        elif kind in ("sparse", "dense"):
            vectors.append(
                None if entries is None else sparse_text(entries)
                for entries in sparse_entries(column)
            )
        elif name in _SPECIAL and (numbers := _as_numbers(column)) is not None:
            specials.append(_special_texts(name, numbers))
        else:
            raise DataError(
                f"the column {name!r} holds neither trees nor vectors of numbers, and SVM-LIGHT-TK "
                "has no place for it: leave it out, as table[['label', 'tree']] does"
            )
    for row, first in enumerate(label_texts(table, label, "SVM-LIGHT-TK"), start=1):
        special = (next(texts) for texts in specials)
        parts = [first, *(text for text in special if text is not None)]
        forest = _without_end([next(texts) for texts in trees])
        entries = _without_end([next(texts) for texts in vectors])
        if None in entries:
            raise DataError(
                f"row {row} has no vector {entries.index(None) + 1} but one after it, and "
                "SVM-LIGHT-TK would take it for a vector of zeros: write another format"
            )
        if not trees and len(vectors) == 1 and entries:  # plain SVM-light
            yield " ".join([*parts, *(text for text in entries if text)])
            continue
        # There is a first tree in any case, since vectors are found behind the trees.
        parts += [f"|BT| {text or ''}" for text in forest or [""]]
        parts.append("|ET|")
        if entries:
            parts += [" |BV| ".join(text or "" for text in entries), "|EV|"]
        yield " ".join(parts)


_SPECIAL = ("qid", "sid", "cost")


def _without_end(texts: list[str | None]) -> list[str | None]:
    """Leave out what is missing at the end."""
    while texts and texts[-1] is None:
        texts.pop()
    return texts


def _as_numbers(column: Any) -> Any:
    """Return a column as numbers, or None; other formats keep the number of a query as text."""
    if column.dtype.kind in "iuf":
        return column
    try:
        return np.array([np.nan if is_nothing(value) else float(value) for value in column])
    except (TypeError, ValueError):
        return None


def _special_texts(name: str, column: Any) -> Iterator[str | None]:
    for value in column:
        yield None if value != value else f"{name}:{format_number(value)}"
