"""KeLP: ``label |BT:name| tree |ET| |BV:name| word:1.0 |EV| |BDV:name| 0.5,1 |EDV|``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.writing.column_kinds import (
    dense_texts,
    kind_of,
    label_texts,
    sparse_entries,
    sparse_text,
    tree_texts,
)

_NAME = re.compile(r"[^|\s]+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", re.ASCII)
_MARKED = re.compile(r"\|(?:E|[<,>]\|)")  # KeLP ends a part at |E, whatever follows


def kelp_lines(table: Table, label: str = "label") -> Iterator[str]:
    """Yield the examples, their parts in the order of the columns."""
    columns = [_column_parts(name, column) for name, column in table.items() if name != label]
    # KeLP takes a number for regression where it has a name, and else for the name of a class.
    for row, first in enumerate(
        label_texts(table, label, "KeLP", prefix_of_floats="label:"), start=1
    ):
        _check_labels(first, row)
        parts = (next(parts) for parts in columns)
        yield " ".join([first, *(part for part in parts if part is not None)])


def _check_labels(text: str, row: int) -> None:
    """Raise an error for a label that KeLP would take for a name and a number."""
    for label in text.split():
        _, colon, number = label.rpartition(":")
        if colon and not _NUMBER.fullmatch(number):
            raise DataError(
                f"row {row}: KeLP would take the label {label!r:.40} for a name and a number: "
                "write it without the colon"
            )


def _column_parts(name: str, column: Any) -> Iterator[str | None]:
    """Yield the parts, None for one that is missing; KeLP cannot read an empty tree."""
    if not _NAME.fullmatch(name):
        raise DataError(f"the name of the column {name!r} cannot be written in KeLP's format")
    kind = kind_of(column)
    if kind == "tree":
        return (f"|BT:{name}| {text} |ET|" if text else None for text in tree_texts(column))
    if kind == "dense":
        return (
            None if text is None else f"|BDV:{name}| {text} |EDV|" for text in dense_texts(column)
        )
    if kind in ("sparse", "dict"):
        return (
            None if entries is None else f"|BV:{name}| {_vector_text(name, entries)} |EV|"
            for entries in sparse_entries(column)
        )
    return (
        None if is_nothing(value) else f"|BS:{name}| {_text(name, value)} |ES|" for value in column
    )


def _vector_text(name: str, entries: list[tuple[str, float]]) -> str:
    for feature, _ in entries:
        if not _NAME.fullmatch(feature):
            raise DataError(f"the feature {feature!r:.40} of {name!r} cannot be written")
    return sparse_text(entries)


def _text(name: str, value: object) -> str:
    text = str(value)
    if "\n" in text or "\r" in text or _MARKED.search(text):
        raise DataError(f"a text of the column {name!r} contains a line end or a marker")
    if text != text.strip():
        raise DataError(
            f"a text of the column {name!r} begins or ends with a blank, which KeLP takes away"
        )
    return text
