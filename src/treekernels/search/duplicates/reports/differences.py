"""Which lines two pieces have in common, and which not."""

from __future__ import annotations

import difflib
import keyword
import re

from treekernels.search.duplicates.near_copies import Copies

_NAME_OR_LITERAL = re.compile(r'"[^"]*"|\'[^\']*\'|\b\w+\b')
_KEPT = {  # words of languages, which are no names
    *keyword.kwlist,
    *("case", "catch", "const", "default", "do", "extends", "function", "implements", "let"),
    *("new", "null", "public", "private", "static", "switch", "this", "throw", "throws", "var"),
    *("boolean", "byte", "char", "double", "float", "int", "long", "short", "void"),
}
_MOST_LINES = 400


def shared_lines(first: list[str], second: list[str], renamed: bool) -> tuple[set[int], set[int]]:
    """Return which lines of either are, but for their indentation, lines of both, in order."""
    sides = [[line.strip() for line in side] for side in (first, second)]
    if renamed:
        sides = [[without_names(line) for line in side] for side in sides]
    matcher = difflib.SequenceMatcher(None, sides[0], sides[1], autojunk=False)
    marked: tuple[set[int], set[int]] = (set(), set())
    for block in matcher.get_matching_blocks():
        marked[0].update(range(block.a, block.a + block.size))
        marked[1].update(range(block.b, block.b + block.size))
    return marked


def without_names(line: str) -> str:
    """Return a line of code with one sign for each name and literal.

    >>> without_names("return total(value, 'x') + 1")
    'return _(_, _) + _'
    """
    return _NAME_OR_LITERAL.sub(lambda word: word[0] if word[0] in _KEPT else "_", line)


def differing_lines(group: Copies, renamed: bool) -> list[str]:
    """Return the lines in which the least similar pair of a group differs, as a diff has them.

    Those of a sentence of a treebank say little.
    """
    pair = group.pairs[-1]
    if pair.first.sentence is not None:
        return []  # which are shown as they are
    sides = [piece.text().splitlines()[:_MOST_LINES] for piece in (pair.first, pair.second)]
    shared = shared_lines(sides[0], sides[1], renamed)
    return [
        f"{sign} {line.strip()}"
        for sign, side, common in zip("-+", sides, shared, strict=True)
        for place, line in enumerate(side)
        if place not in common and line.strip()
    ]
