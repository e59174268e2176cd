"""The parts of a Python file that can be parsed when the whole of it cannot.

Python's own parser stops at the first mistake. So the file is cut where functions and classes
begin, and each part is parsed by itself; a class that has a mistake is cut into its methods.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

_BEGINS = re.compile(rb"([ \t]*)(?:(?:async[ \t]+)?def|class)[ \t]+\w|([ \t]*)@")
_MOST_LEVELS = 8

Parse = Callable[[bytes], "list[Any] | None"]


def readable_parts(raw: bytes, parse: Parse) -> list[Any]:
    """Return the statements of all parts without mistakes, with the lines that they have.

    Parameters
    ----------
    raw : bytes
        The file.
    parse : callable
        Returns the statements of a text, or None if there is a mistake in it.
    """
    statements: list[Any] = []
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    stack = [(0, len(lines), b"", 0)]
    while stack:
        begin, end, indent, level = stack.pop()
        text = b"\n".join(lines[begin:end]) + b"\n"
        parsed = parse(b"if 1:\n" + text if indent else text) if level else None
        if parsed is not None:
            for statement in parsed[0].body if indent else parsed:
                statements.append(ast.increment_lineno(statement, begin - bool(indent)))
        elif level < _MOST_LEVELS:
            stack += reversed(_cut(lines, begin, end, level))
    return statements


def _cut(lines: list[bytes], begin: int, end: int, level: int) -> list[tuple[int, int, bytes, int]]:
    """Return parts that begin where functions and classes do, those of one indentation.

    What a part begins with is inside of it, so that the next cut is at a deeper indentation.
    """
    starts: list[tuple[int, bytes]] = []
    first = begin if level == 0 else begin + 1
    if level:  # decorators belong to what they decorate
        while first < end and lines[first - 1].lstrip().startswith(b"@"):
            first += 1
    indent: bytes | None = None
    for number in range(first, end):
        found = _BEGINS.match(lines[number])
        if found is None:
            continue
        here = found[1] if found[1] is not None else found[2]
        if indent is None or len(here) < len(indent):
            indent, starts = here, []
        if here == indent and not (starts and _decorates(lines, starts[-1][0], number)):
            starts.append((number, here))
    if not starts or (level and not indent):
        return []
    edges = [number for number, _ in starts] + [end]
    return [
        (number, edges[place + 1], here, level + 1) for place, (number, here) in enumerate(starts)
    ]


def _decorates(lines: list[bytes], first: int, last: int) -> bool:
    """Return whether all lines from one to another are decorators or their arguments."""
    return lines[first].lstrip().startswith(b"@") and not any(
        re.match(rb"\s*(?:(?:async\s+)?def|class)\b", line) for line in lines[first:last]
    )
