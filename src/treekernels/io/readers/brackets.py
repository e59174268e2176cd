"""Files with one tree in Penn bracket notation per line.

Empty lines, and lines that start with #, are passed over.
"""

from __future__ import annotations

from functools import partial
from itertools import compress, islice

import numpy as np

from treekernels import _native
from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.bracket_batches import BATCH, parse_texts
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.origins import Origins

__all__ = ["read_brackets"]

_BATCH = BATCH


def read_brackets(
    path: PathLike, *, problems: Problems | None = None, origins: Origins | None = None
) -> Forest:
    """Read a forest; memory beyond it stays small however long the file is."""
    problems = problems or Problems()
    dag = _native.Dag()
    parts = [np.empty(0, np.uint32)]
    lines = (
        (number, line)
        for number, line in lines_of(path, problems)
        if (start := line.lstrip()) and not start.startswith("#")
    )
    while batch := list(islice(lines, _BATCH)):
        if len(parts) == 1 and not problems.skip:
            _check_format(batch[0][1], str(path), batch[0][0])
        numbers = [number for number, _ in batch]
        texts = [text for _, text in batch]
        locate = partial(_locate, numbers)
        roots, good = parse_texts(dag, texts, locate, str(path), problems)
        parts.append(roots[good])
        if origins is not None:
            origins.extend("line", compress(numbers, good))
    return Forest.from_roots(dag, np.concatenate(parts))


def _locate(numbers: list[int], index: int, before: int) -> tuple[int, int]:
    return numbers[index], before + 1


def _check_format(line: str, source: str, number: int) -> None:
    """Raise a `ParseError` that names the format if a file is clearly of another."""
    if line.lstrip().startswith("("):
        return
    reason = "a tree starts with '(', and this does not"
    for sign, format in (("|BT|", "svmlight-tk"), ("|BT:", "kelp"), ("\t(", "tsv")):
        if sign in line:
            reason = f"{reason}; it looks like format={format!r}"
            column = len(line) - len(line.lstrip()) + 1
            raise ParseError(reason, source=source, line=number, column=column)
