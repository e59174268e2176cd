"""Patterns of files as ``.gitignore`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import count
from typing import NamedTuple

__all__ = ["IgnorePatterns"]

_FEW = 2  # stars, for which all places can be tried


class _Rule(NamedTuple):
    matches: re.Pattern[str]
    ignores: bool
    folders_alone: bool


class IgnorePatterns:
    """The lines of a ``.gitignore``; the last that fits a file decides.

    Examples
    --------
    >>> patterns = IgnorePatterns(["build/", "*.log", "!kept.log", "/docs/**/draft?.md"])
    >>> patterns.verdict("src/build", folder=True), patterns.verdict("src/build", folder=False)
    (True, None)
    >>> patterns.verdict("a/b.log"), patterns.verdict("a/kept.log"), patterns.verdict("b.py")
    (True, False, None)
    >>> patterns.verdict("docs/x/y/draft1.md"), patterns.verdict("old/docs/draft1.md")
    (True, None)
    """

    def __init__(self, lines: Iterable[str]) -> None:
        rules = (_rule(line) for line in lines)
        self._rules = [rule for rule in rules if rule is not None][::-1]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str, *, folder: bool = False) -> bool | None:
        """Return whether a path is ignored, or None if no line speaks of it.

        The path is relative to where the patterns stand, with slashes.
        """
        for rule in self._rules:
            if (folder or not rule.folders_alone) and rule.matches.fullmatch(path):
                return rule.ignores
        return None

    def covers(self, path: str) -> bool:
        """Return whether a file is ignored by itself or with one of the folders that it is in."""
        parts = path.split("/")
        for end in range(1, len(parts)):
            if self.verdict("/".join(parts[:end]), folder=True):
                return True
        return bool(self.verdict(path))


@cache
def _rule(line: str) -> _Rule | None:
    line = re.sub(r"(?<!\\) +$", "", line.rstrip("\r\n"))
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    folders_alone = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    expression = _expression(pattern.removeprefix("/") if anchored else f"**/{pattern}")
    if expression is None or not pattern:
        return None
    return _Rule(re.compile(expression, re.DOTALL), ignores, folders_alone)


def _expression(pattern: str) -> str | None:
    """Return a regular expression, or None for a pattern that git takes for none."""
    groups: list[list[str]] = [[""]]  # between two stars, and between two of those over folders
    at = 0
    while at < len(pattern):
        rest = pattern[at:]
        starts_part = at == 0 or pattern[at - 1] == "/"
        if starts_part and rest.startswith("**/"):
            groups.append([""])
            at += 3
            continue
        if rest.startswith("*") and not (starts_part and rest == "**"):
            groups[-1].append("")
            at += len(rest) - len(rest.lstrip("*"))
            continue
        if rest.startswith("**"):
            piece, length = ".+", 2
        elif rest.startswith("?"):
            piece, length = "[^/]", 1
        elif rest.startswith("["):
            end = rest.find("]", 3 if rest[1:2] in ("!", "^") else 2)
            if end < 0:
                return None
            piece, length = _character_class(rest[1:end]), end + 1
        elif rest.startswith("\\"):
            if len(rest) == 1:
                return None
            piece, length = re.escape(rest[1]), 2
        else:
            piece, length = re.escape(rest[0]), 1
        groups[-1][-1] += piece
        at += length
    return _joined(groups)


def _joined(groups: list[list[str]]) -> str:
    """Return the expression of what stands between stars.

    With many stars, to try all places for each of them would take a power of the length of a name,
    which is in the hands of whoever wrote the pattern. But what follows a star has to be looked for
    only once: in the first place where it fits, most is left for the rest. Nothing goes back into a
    lookahead, and what it has found is then taken as it is.
    """
    if sum(map(len, groups)) <= _FEW + 1:
        return "(?:.*/)?".join("[^/]*".join(parts) for parts in groups)
    groups[-1][-1] += r"\Z"
    names = (f"star{number}" for number in count())

    def once(expression: str) -> str:
        name = next(names)
        return f"(?=(?P<{name}>{expression}))(?P={name})"

    bodies = [parts[0] + "".join(once(f"[^/]*?{part}") for part in parts[1:]) for parts in groups]
    return bodies[0] + "".join(once(f"(?:.*?/)??{body}") for body in bodies[1:])


def _character_class(content: str) -> str:
    negated = content[:1] in ("!", "^")
    inside = re.sub(r"([\[\]\\&~|^])", r"\\\1", content[1:] if negated else content)
    try:
        re.compile(f"[{inside}]")
    except re.error:  # such as a range from z to a, in which there is nothing
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{inside}]"
