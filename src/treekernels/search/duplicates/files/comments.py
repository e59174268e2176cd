"""Comments in code by which its author says that a copy is meant.

``treekernels: ignore`` in a piece, or right above it, switches it off: the innermost piece that the
comment is in. ``treekernels: ignore-file`` anywhere switches off the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

_COMMENT = re.compile(
    rb"(?:#|//|/\*|<!--|--|;|%|\*)[ \t]*treekernels:[ \t]*ignore(-file)?(?![\w-])"
)
_ABOVE = re.compile(rb"^\s*(?:@|#|//|/\*|\*|<!--|--|template\b)")
"""What may stand between the comment and its piece: decorators, and other comments."""


class _Place(Protocol):
    @property
    def first_line(self) -> int: ...
    @property
    def last_line(self) -> int: ...


def switches_off_file(content: bytes) -> bool:
    """Return whether a comment switches off the whole file."""
    return b"treekernels:" in content and any(found[1] for found in _COMMENT.finditer(content))


def switched_off(content: bytes, places: Iterable[_Place]) -> set[int]:
    r"""Return which of the pieces of a file are switched off, by their number.

    Examples
    --------
    >>> from treekernels.search.duplicates.pieces import Piece
    >>> code = b"# treekernels: ignore\n@cached\ndef f():\n    pass\ndef g():\n    pass\n"
    >>> switched_off(code, [Piece("a.py", 3, 4, "f"), Piece("a.py", 5, 6, "g")])
    {0}
    """
    if b"treekernels:" not in content:
        return set()
    lines = content.splitlines()
    places = list(places)
    off: set[int] = set()
    for number, line in enumerate(lines, start=1):
        if not _COMMENT.search(line):
            continue
        around = [i for i, p in enumerate(places) if p.first_line <= number <= p.last_line]
        below = number + 1
        while below <= len(lines) and _ABOVE.match(lines[below - 1]):
            below += 1
        alone = _ABOVE.match(line) is not None
        next_ones = [i for i, p in enumerate(places) if alone and p.first_line == below]
        # If several pieces begin together, such as a class in a template, it is the outermost.
        if next_ones:
            off.add(max(next_ones, key=lambda i: places[i].last_line))
        elif around:
            off.add(max(around, key=lambda i: (places[i].first_line, -places[i].last_line)))
    return off
