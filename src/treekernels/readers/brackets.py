"""Files with one tree in Penn bracket notation per line. Empty lines are passed over."""

from __future__ import annotations

import os
from functools import partial
from itertools import islice

import numpy as np

from treekernels import _native
from treekernels.forest import Forest, parse_into
from treekernels.readers.text import lines_of

__all__ = ["read_brackets"]

_BATCH = 65536


def read_brackets(path: str | os.PathLike[str]) -> Forest:
    """Read a forest; memory beyond it stays small however long the file is."""
    dag = _native.Dag()
    parts = [np.empty(0, np.uint32)]
    lines = ((number, line) for number, line in lines_of(path) if line.strip())
    while batch := list(islice(lines, _BATCH)):
        numbers = [number for number, _ in batch]
        texts = [text for _, text in batch]
        locate = partial(_line, numbers)
        parts.append(parse_into(dag, texts, source=str(path), locate=locate))
    return Forest._of(dag, np.concatenate(parts))


def _line(numbers: list[int], index: int) -> tuple[int, int]:
    return numbers[index], 0
