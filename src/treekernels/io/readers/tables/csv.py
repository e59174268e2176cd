"""Files with columns separated by commas, entries in quotes where they need to be.

Header, labels and columns of trees are found as in files separated by tabs.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.columns import Row, RowTable


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
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ParameterError(f"delimiter is one character, such as ';', and not {delimiter!r}")
    rows = _rows(path, delimiter, problems)
    first = list(islice(rows, 2))
    table = RowTable(first, str(path), columns, trees, label, header, problems, origins)
    table.add_rows(chain(first, rows))
    return table.result()


def _rows(path: PathLike, delimiter: str, problems: Problems) -> Iterator[Row]:
    # Entries may go on on the next line, so lines get their ends back.
    lines = (f"{line}\n" for _, line in lines_of(path, problems))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begin = 1
    while True:
        try:
            for entries in reader:
                if any(entry.strip(" ") for entry in entries):
                    yield begin, entries
                begin = reader.line_num + 1
            return
        except csv.Error as error:
            line = max(begin, reader.line_num)
            problems.report(ParseError(f"this is not CSV: {error}", source=str(path), line=line))
            begin = reader.line_num + 1
