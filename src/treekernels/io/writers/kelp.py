"""KeLP: ``label |BT:name| tree |ET| |BV:name| word:1.0 |EV| |BDV:name| 0.5,1 |EDV|``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.writers.column_kinds import (
    dense_texts,
    format_number,
    kind_of,
    label_texts,
    sparse_entries,
    tree_texts,
)

__all__ = ["kelp_lines"]

_NAME = re.compile(r"[^|\s]+")
_MARKED = re.compile(r"\|(?:[BE][A-Z]+(?::[^|\s]*)?|[<,>])\|")


def kelp_lines(table: Table, label: str = "label") -> Iterator[str]:
    """Yield the examples, their parts in the order of the columns."""
    columns = [_column_parts(name, column) for name, column in table.items() if name != label]
    for first in label_texts(table, label, "KeLP"):
        yield " ".join([first, *(next(parts) for parts in columns)])


def _column_parts(name: str, column: Any) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        raise DataError(f"the name of the column {name!r} cannot be written in KeLP's format")
    kind = kind_of(column)
    if kind == "tree":
        return (f"|BT:{name}| {text} |ET|" for text in tree_texts(column))
    if kind == "dense":
        return (f"|BDV:{name}| {text} |EDV|" for text in dense_texts(column))
    if kind in ("sparse", "dict"):
        return (
            f"|BV:{name}| {_vector_text(name, entries)} |EV|" for entries in sparse_entries(column)
        )
    return (f"|BS:{name}| {_text(name, value)} |ES|" for value in column)


def _vector_text(name: str, entries: list[tuple[str, float]]) -> str:
    for feature, _ in entries:
        if not _NAME.fullmatch(feature):
            raise DataError(f"the feature {feature!r:.40} of {name!r} cannot be written")
    return " ".join(f"{feature}:{format_number(value)}" for feature, value in entries)


def _text(name: str, value: object) -> str:
    text = str(value)
    if "\n" in text or "\r" in text or _MARKED.search(text):
        raise DataError(f"a text of the column {name!r} contains a line end or a marker")
    return text
