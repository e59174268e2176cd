"""Files of bracketed trees that go on for as many lines as they like, as the Penn Treebank's .mrg.

An outer bracket without a label, as the treebank has it around each tree, is taken off. Lines
outside of trees that start with # or ``*x*`` are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from treekernels import _native
from treekernels.data.forest import Forest, Roots
from treekernels.errors import ParseError
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.bracket_batches import BATCH, parse_texts
from treekernels.io.readers.lines import PathLike, lines_of

__all__ = ["read_penn"]

_BRACKET = re.compile(r"[()]")
_UNLABELLED = re.compile(r"\(\s*(?=[()])")
_COMMENTS = ("#", "*x*")

_Piece = tuple[int, int, str]  # the line and column where a tree begins, and its text


def read_penn(path: PathLike, *, problems: Problems | None = None) -> Forest:
    """Read a forest from trees of one or many lines."""
    problems = problems or Problems()
    dag = _native.Dag()
    parts = [np.empty(0, np.uint32)]
    batch: list[_Piece] = []
    for piece in _Pieces(str(path), problems).of(lines_of(path, problems)):
        batch.append(piece)
        if len(batch) == BATCH:
            parts.append(_parsed(dag, batch, str(path), problems))
            batch = []
    parts.append(_parsed(dag, batch, str(path), problems))
    return Forest.from_roots(dag, np.concatenate(parts))


class _Pieces:
    """Cuts lines into the texts of single trees."""

    def __init__(self, source: str, problems: Problems) -> None:
        self.source = source
        self.problems = problems

    def of(self, lines: Iterable[tuple[int, str]], *, column_one: bool = False) -> Iterator[_Piece]:
        """Return trees. With `column_one`, one that begins a line ends an unclosed one before."""
        depth = 0
        held: list[tuple[int, str]] = []  # the lines of the tree that is open
        start = 0
        for number, line in lines:
            if depth and column_one and line.startswith("("):
                self._unclosed(held[0][0], start)
                depth, held = 0, []
            if not depth and line.lstrip().startswith(_COMMENTS):
                continue
            if depth:
                held.append((number, line))
                closing = line.count(")")
                if closing < depth:  # it cannot end here
                    depth += line.count("(") - closing
                    continue
            at = 0
            for found in _BRACKET.finditer(line):
                if not depth:
                    self._outside(line[at : found.start()], number, at)
                    at = found.end()
                    if found.group() == ")":
                        self._bad("a closing bracket without an opening one", number, found.start())
                        continue
                    start, held = found.start(), [(number, line)]
                depth += 1 if found.group() == "(" else -1
                if not depth:
                    at = found.end()
                    yield held[0][0], start, _text(held, start, at)
            if not depth:
                self._outside(line[at:], number, at)
        if depth:
            self._unclosed(held[0][0], start)
            # What follows may be good. Only a tree that begins a line can be told from the rest.
            yield from self.of(held[1:], column_one=True) if not column_one else ()

    def _outside(self, text: str, number: int, at: int) -> None:
        if stripped := text.strip():
            at += text.index(stripped)
            self._bad("a tree starts with '(', and this does not", number, at)

    def _unclosed(self, number: int, start: int) -> None:
        self._bad("the bracket opened here is never closed", number, start)

    def _bad(self, reason: str, number: int, at: int) -> None:
        error = ParseError(reason, source=self.source, line=number, column=at + 1)
        self.problems.report(error)


def _text(held: list[tuple[int, str]], start: int, end: int) -> str:
    lines = [line for _, line in held]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return "\n".join(lines)


def _parsed(dag: _native.Dag, batch: list[_Piece], source: str, problems: Problems) -> Roots:
    texts = []
    for _, _, text in batch:
        outer = _UNLABELLED.match(text)
        # An outer bracket is blanked out, so that places in the text stay right.
        if outer and text[outer.end()] == "(":
            text = " " + text[1:-1]
        texts.append(text)
    locate = partial(_locate, batch)
    roots, good = parse_texts(dag, texts, locate, source, problems)
    return roots[good]


def _locate(batch: list[_Piece], index: int, before: int) -> tuple[int, int]:
    line, start, text = batch[index]
    lines_before = text.count("\n", 0, before)
    if lines_before:
        return line + lines_before, before - text.rindex("\n", 0, before)
    return line, start + before + 1
