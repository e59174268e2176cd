"""Files with columns separated by tabs, one example per line, no header."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.writers.column_kinds import kind_of

__all__ = ["tsv_lines"]


def tsv_lines(table: Table) -> Iterator[str]:
    """Return the lines, with the columns in their order."""
    columns = [_entry_texts(name, column) for name, column in table.items()]
    return ("\t".join(row) for row in zip(*columns, strict=True))


def _entry_texts(name: str, column: Any) -> Iterator[str]:
    if isinstance(column, Forest):
        yield from (column.dag.brackets(root) for root in column.roots.tolist())
        return
    if kind_of(column) != "other":
        raise DataError(f"the column {name!r} holds vectors, and a tsv file cannot: leave it out")
    for place, value in enumerate(column, start=1):
        text = str(value)
        if any(character in text for character in "\t\n\r"):
            raise DataError(f"row {place} of the column {name!r} contains a tab or a line end")
        yield text
