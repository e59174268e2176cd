"""Files with columns separated by commas, entries in quotes where they need to be.

Header, labels and columns of trees are found as in files separated by tabs.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import is_utf8
from treekernels.io.reading.tables.columns import RowTable

_QUOTED = re.compile(rb'"([^"]*(?:""[^"]*)*)"')


def read_csv(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str | int] | None = None,
    *,
    label: str | int | None = None,
    header: bool | None = None,
    delimiter: str = ",",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read all columns as a table; the parameters are those of `read_tsv`, and the delimiter."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise ParameterError(f"delimiter is one character, such as ';', and not {delimiter!r}")
    with closing(_rows(path, delimiter, Problems(skip=True))) as rows:
        first = [(row.line, row.entries) for row in islice(rows, 2)]
    table = RowTable(first, str(path), columns, trees, label, header, problems, origins)
    for row in _rows(path, delimiter, problems, table if first else None):
        table.add_row(row.line, row.entries, row.locate)
    return table.result()


class _Row(NamedTuple):
    """The entries of a row, and where in the text each of them begins."""

    line: int
    entries: list[str]
    places: list[int]
    text: bytes
    begin: int

    def locate(self, place: int, characters: int) -> tuple[int, int]:
        """Return how many lines down, and in which column, so many characters of an entry end."""
        begin, inside = self.places[place], self.entries[place][:characters]
        if self.text[begin : begin + 1] == b'"':
            begin, inside = begin + 1, inside.replace('"', '""')
        before = self.text[self.begin : begin].decode() + inside
        return before.count("\n"), len(before) - before.rfind("\n")


class _NotARow(Exception):
    """What is wrong with a row, where that is, and whether more of the file could mend it."""

    def __init__(self, reason: str, place: int, *, is_open: bool = False) -> None:
        self.reason = reason
        self.place = place
        self.is_open = is_open


def _rows(
    path: PathLike, delimiter: str, problems: Problems, table: RowTable | None = None
) -> Generator[_Row, None, None]:
    """Yield the rows of a file; those that the core can read go to the table, if there is one."""
    number, parts, size, enough = 1, [b""], 0, 0
    with closing(blocks_of(path)) as blocks:
        more = True
        while more:
            _, block = next(blocks, (0, b""))
            parts.append(block)
            size, more = size + len(block), bool(block)
            if more and size < enough:
                continue
            text = b"".join(parts)
            begin = 0
            is_good = table is not None and delimiter.isascii() and is_utf8(text)
            while begin < len(text):
                if is_good and table is not None and number > table.header_line:
                    begin, count = table.add_good(text, begin, number, delimiter, quotes=True)
                    number += count
                    if begin == len(text):
                        break
                row, end = None, text.find(b"\n", begin) + 1 or len(text)
                try:
                    row, end = _row_at(text, begin, delimiter, number)
                except _NotARow as error:
                    if error.is_open and more:
                        break  # it may go on in the next block
                    column = len(text[begin : error.place].decode(errors="replace")) + 1
                    reason = f"this is not CSV: {error.reason}"
                    problems.report(
                        ParseError(reason, source=str(path), line=number, column=column)
                    )
                except UnicodeDecodeError:
                    for _ in lines_in(text[begin:end], number, path, problems):
                        pass
                if row is not None and any(entry.strip(" ") for entry in row.entries):
                    yield row
                number += text.count(b"\n", begin, end)
                begin = end
            # An entry of many lines is looked at again when there is twice as much of it.
            parts, size, enough = [text[begin:]], len(text) - begin, 2 * (len(text) - begin)


def _row_at(text: bytes, begin: int, delimiter: str, number: int) -> tuple[_Row, int]:
    """Return the row that begins here, and where the next one does."""
    row = _Row(number, [], [], text, begin)
    at, separator, line_end = begin, delimiter.encode(), begin - 1
    while True:
        row.places.append(at)
        if line_end < at:
            line_end = text.find(b"\n", at)
            line_end = len(text) if line_end < 0 else line_end
        if text[at : at + 1] == b'"':
            match = _QUOTED.match(text, at)
            if match is None:
                raise _NotARow("the quote here is never closed", at, is_open=True)
            raw, at = match[1].replace(b'""', b'"'), match.end()
        else:
            stop = text.find(separator, at, line_end)
            raw = text[at:line_end].rstrip(b"\r") if stop < 0 else text[at:stop]
            at = line_end if stop < 0 else stop
        row.entries.append(raw.decode())
        if text.startswith(separator, at):
            at += len(separator)
            continue
        end = at
        while text[end : end + 1] == b"\r":
            end += 1
        if end < len(text) and text[end : end + 1] != b"\n":
            reason = f"{delimiter!r} or the end of the line was expected behind this quote"
            raise _NotARow(reason, at - 1)
        return row, min(end + 1, len(text))
