"""write: one function for all formats."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Iterator
from typing import Any

from treekernels.errors import DataError, ParameterError
from treekernels.io.files.atomic import write_lines
from treekernels.io.formats import FORMATS, format_of
from treekernels.io.writing.column_kinds import as_table

__all__ = ["write"]


def write(
    path: str | os.PathLike[str], data: Any, format: str | None = None, **options: Any
) -> None:
    """Write trees, with labels and other columns if there are any, to a file.

    The file appears under its name only when it is complete. If something goes wrong, a file that
    was there before stays as it was.

    Parameters
    ----------
    path : path
        The name of the file. If it ends in .gz, the file is compressed.
    data : Forest, Table, data frame, mapping of columns, or trees
        What to write.
    format : {"brackets", "tsv", "csv", "penn", "svmlight-tk", "kelp", "jsonl"}, optional
        The format of the file. If you do not say it, the extension decides; with an extension that
        is not known, the format is "brackets", which keeps nothing but the trees.
    **options
        For "svmlight-tk" and "kelp", `label` is the name of the column with the labels. If you do
        not say it, it is "label".

    Examples
    --------
    >>> import tempfile, pathlib, treekernels as tk
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.svmlight"
    >>> table = tk.Table({"label": [1, -1], "tree": tk.Forest(["(A b)", "(A c)"])})
    >>> tk.write(path, table)
    >>> print(path.read_text())
    1 |BT| (A b) |ET|
    -1 |BT| (A c) |ET|
    <BLANKLINE>
    >>> tk.read(path) == table
    True
    """
    if format is None:
        format = format_of(path)
    writers = {name: entry.writer for name, entry in FORMATS.items() if entry.writer is not None}
    if format not in writers:
        raise ParameterError(f"{format!r} cannot be written; known are {', '.join(writers)}")
    module, name = writers[format]
    lines = getattr(importlib.import_module(f"treekernels.io.writers.{module}"), name)
    for option in options:
        if option not in inspect.signature(lines).parameters or option == "table":
            raise ParameterError(f"format {format!r} has no option {option!r} for writing")
    try:
        write_lines(path, _with_the_same_beginning(lines(as_table(data), **options)))
    except UnicodeEncodeError as error:
        raise DataError(
            f"{error.object.strip()!r:.60} cannot be written: it has half of a surrogate pair, "
            "which UTF-8 cannot encode"
        ) from None


def _with_the_same_beginning(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, unless reading would take away how they begin."""
    first = next(lines, None)
    if first is None:
        return
    if first.startswith("\ufeff"):
        raise DataError(
            f"the file would begin with {first!r:.20}, and reading takes the first character for "
            "a byte-order mark: leave it out"
        )
    yield first
    yield from lines
