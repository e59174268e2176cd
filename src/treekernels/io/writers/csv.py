"""Files with columns separated by commas and a header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treekernels.data.table import Table
from treekernels.io.spreadsheets import cell_of
from treekernels.io.writers.tsv import entry_texts

_IN_QUOTES = re.compile(r'[",\r\n]')


def csv_lines(table: Table) -> Iterator[str]:
    """Yield the lines, with the columns in their order, the names first."""
    columns = [entry_texts(name, column, "csv") for name, column in table.items()]
    yield _line([cell_of(name) for name in table.columns])
    for row in zip(*columns, strict=True):
        yield _line(row)


def _line(entries: tuple[str, ...] | list[str]) -> str:
    if list(entries) == [""]:
        return '""'  # a line without anything is passed over
    return ",".join(
        '"' + entry.replace('"', '""') + '"' if _IN_QUOTES.search(entry) else entry
        for entry in entries
    )
