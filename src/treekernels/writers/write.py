"""write: one function for all formats."""

from __future__ import annotations

import importlib
import inspect
import os
from typing import Any

from treekernels.readers.read import format_of
from treekernels.writers.atomic import write_lines
from treekernels.writers.columns import as_table

__all__ = ["write"]

_FORMATS = {
    "brackets": ("brackets", "bracket_lines"),
    "tsv": ("tsv", "tsv_lines"),
    "penn": ("brackets", "penn_lines"),
    "svmlight-tk": ("svmlight", "svmlight_lines"),
    "kelp": ("kelp", "kelp_lines"),
}


def write(
    path: str | os.PathLike[str], data: Any, format: str | None = None, **options: Any
) -> None:
    """Write trees to a file, which appears whole or not at all.

    Parameters
    ----------
    path : path
        A name that ends in .gz makes the file compressed.
    data : Forest, Table, data frame, mapping of columns, or trees
    format : {"brackets", "tsv", "penn", "svmlight-tk", "kelp"}, optional
        By default told by the extension: "brackets" where it says nothing.
    **options
        For "svmlight-tk" and "kelp", `label`: the column of labels, by default "label".

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
    if format not in _FORMATS:
        raise ValueError(f"{format!r} cannot be written; known are {', '.join(_FORMATS)}")
    module, name = _FORMATS[format]
    lines = getattr(importlib.import_module(f"treekernels.writers.{module}"), name)
    for option in options:
        if option not in inspect.signature(lines).parameters or option == "table":
            raise TypeError(f"format {format!r} has no option {option!r} for writing")
    write_lines(path, lines(as_table(data), **options))
