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
    below = [len(lines) + 1] * (len(lines) + 2)  # the line that comments and decorators stand above
    for number in range(len(lines), 0, -1):
        below[number] = below[number + 1] if _ABOVE.match(lines[number - 1]) else number
    order = sorted(enumerate(places), key=lambda each: (each[1].first_line, -each[1].last_line))
    beginning: dict[int, int] = {}  # of pieces that begin together, such as a class in a template,
    for number, place in order:  # the outermost
        beginning.setdefault(place.first_line, number)
    off: set[int] = set()
    waiting = iter(order)
    following = next(waiting, None)
    around: list[tuple[int, _Place]] = []  # the innermost last
    for line_number, line in enumerate(lines, start=1):
        while following is not None and following[1].first_line <= line_number:
            around.append(following)
            following = next(waiting, None)
        while around and around[-1][1].last_line < line_number:
            around.pop()
        if not _COMMENT.search(line):
            continue
        next_one = beginning.get(below[line_number + 1]) if _ABOVE.match(line) else None
        if next_one is not None:
            off.add(next_one)
        elif around:
            off.add(around[-1][0])
    return off
