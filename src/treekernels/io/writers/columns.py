"""Files with columns separated by tabs or commas, one example per line.

The first line has the names of the columns; with tabs, unless reading finds the same without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.data.tree import brackets_of
from treekernels.errors import DataError
from treekernels.io.reading.tables.columns import default_names
from treekernels.io.spreadsheets import cell_of
from treekernels.io.writing.column_kinds import kind_of

_IN_QUOTES = re.compile(r'[",\r\n]')


def tsv_lines(table: Table) -> Iterator[str]:
    """Yield the lines, with the columns in their order."""
    columns = [_entry_texts(name, column, "tsv") for name, column in table.items()]
    _check_names(table.columns)
    is_tree = [isinstance(column, Forest) for column in table.values()]
    if any(is_tree) and len(table) and table.columns != default_names(is_tree):
        for name in table.columns:
            _check_entry(name, f"the name of the column {name!r}")
        yield "\t".join(map(cell_of, table.columns))
    for row in zip(*columns, strict=True):
        yield "\t".join(row)


def csv_lines(table: Table) -> Iterator[str]:
    """Yield the lines, with the columns in their order, the names first."""
    columns = [_entry_texts(name, column, "csv") for name, column in table.items()]
    _check_names(table.columns)
    yield _line([cell_of(name) for name in table.columns])
    for row in zip(*columns, strict=True):
        yield _line(row)


def _line(entries: Sequence[str]) -> str:
    if list(entries) == [""]:
        return '""'  # a line without anything is passed over
    return ",".join(
        '"' + entry.replace('"', '""') + '"' if _IN_QUOTES.search(entry) else entry
        for entry in entries
    )


def _entry_texts(name: str, column: Any, format: str) -> Iterator[str]:
    """Yield the entries of a column as texts, nothing for what is missing."""
    if isinstance(column, Forest):
        yield from (brackets_of(column.dag, root) for root in column.roots.tolist())
        return
    if kind_of(column) != "other":
        raise DataError(
            f"the column {name!r} holds vectors, and a {format} file cannot: leave it out"
        )
    for place, value in enumerate(column, start=1):
        text = "" if is_nothing(value) else str(value)
        if format == "tsv":
            _check_entry(text, f"row {place} of the column {name!r}")
        yield cell_of(text)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if name != name.strip():
            raise DataError(
                f"the name of the column {name!r} begins or ends with a blank, which reading takes "
                "away: rename it"
            )


def _check_entry(text: str, what: str) -> None:
    if any(character in text for character in "\t\n\r"):
        raise DataError(f"{what} contains a tab or a line end")
