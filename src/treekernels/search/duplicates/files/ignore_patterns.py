"""Patterns of files as ``.gitignore`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

__all__ = ["IgnorePatterns"]


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
    expression = _expression(pattern.removeprefix("/"))
    if expression is None or not pattern:
        return None
    matches = re.compile(expression if anchored else f"(?:.*/)?{expression}", re.DOTALL)
    return _Rule(matches, ignores, folders_alone)


def _expression(pattern: str) -> str | None:
    """Return a regular expression, or None for a pattern that git takes for none."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        rest = pattern[at:]
        starts_part = at == 0 or pattern[at - 1] == "/"
        if starts_part and rest.startswith("**/"):
            parts.append("(?:.*/)?")
            at += 3
        elif starts_part and rest == "**":
            parts.append(".+")
            at += 2
        elif rest.startswith("*"):
            parts.append("[^/]*")
            at += len(rest) - len(rest.lstrip("*"))
        elif rest.startswith("?"):
            parts.append("[^/]")
            at += 1
        elif rest.startswith("["):
            end = pattern.find("]", at + (3 if rest[1:2] in ("!", "^") else 2))
            if end < 0:
                return None
            parts.append(_character_class(pattern[at + 1 : end]))
            at = end + 1
        elif rest.startswith("\\"):
            if len(rest) == 1:
                return None
            parts.append(re.escape(rest[1]))
            at += 2
        else:
            parts.append(re.escape(rest[0]))
            at += 1
    return "".join(parts)


def _character_class(content: str) -> str:
    negated = content[:1] in ("!", "^")
    inside = re.sub(r"([\[\]\\&~|^])", r"\\\1", content[1:] if negated else content)
    try:
        re.compile(f"[{inside}]")
    except re.error:  # such as a range from z to a, in which there is nothing
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{inside}]"
