"""Plain texts, which a parser makes trees of: one on each line, or one in each file."""

from __future__ import annotations

from typing import Literal

import numpy as np

from treekernels.data.table import Table
from treekernels.errors import ParameterError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins


def read_text(
    path: PathLike,
    *,
    each: Literal["line", "file"] = "line",
    problems: Problems,
    origins: Origins | None = None,
) -> Table:
    """Read a table with the column "text".

    Parameters
    ----------
    each : {"line", "file"}, default="line"
        What a text is: each line, except those that are empty, or the file as a whole.
    """
    if each not in ("line", "file"):
        raise ParameterError(f"each is {each!r}, and may be 'line' or 'file'")
    lines = list(lines_of(path, problems))
    if each == "file":
        lines = [(1, "\n".join(line for _, line in lines))]
    lines = [(number, line) for number, line in lines if line.strip()]
    if origins is not None:
        origins.extend("line", [number for number, _ in lines])
    texts = np.empty(len(lines), object)
    texts[:] = [line for _, line in lines]
    return Table({"text": texts})
