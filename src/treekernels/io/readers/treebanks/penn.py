"""Files of bracketed trees that take as many lines as they like, as the Penn Treebank's .mrg.

An outer bracket without a label, as the treebank has it around each tree, is taken off. Lines
outside of trees that start with # or ``*x*`` are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import lines_that_are_left
from treekernels.io.reading.tables.bracket_columns import BracketColumns, batches

_BRACKET = re.compile(r"[()]")
_UNLABELLED = re.compile(r"\(\s*(?=[()])")
_COMMENTS = ("#", "*x*")

_Piece = tuple[int, int, str]  # the line and column where a tree begins, and its text


def read_penn(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read a forest from trees of one or many lines."""
    trees = BracketColumns(str(path), problems, origins)

    def read_good(block: bytes, number: int, _: bool) -> tuple[int, int, bool]:
        roots, (lines, end, count), may_go_on = _native.read_penn(
            trees.dag, block, get_limits().label_bytes
        )
        trees.add_roots({"tree": roots}, lines.astype(np.int64) + number)
        return end, count, may_go_on

    rest = lines_that_are_left(path, problems, read_good)
    for batch in batches(_TreeCutter(str(path), problems).cut(rest)):
        lines = [line for line, _, _ in batch]
        texts = [_without_outer_bracket(text) for _, _, text in batch]
        trees.add(lines, {"tree": texts}, partial(_locate, batch))
    return trees.forest("tree")


class _TreeCutter:
    """Cuts lines into the texts of single trees."""

    def __init__(self, source: str, problems: Problems) -> None:
        self.source = source
        self.problems = problems

    def cut(
        self, lines: Iterable[tuple[int, str]], *, column_one: bool = False
    ) -> Iterator[_Piece]:
        """Yield trees. With `column_one`, one that begins a line ends an unclosed one before."""
        depth = 0
        tree_lines: list[tuple[int, str]] = []  # of the tree that is open
        start = 0
        for number, line in lines:
            if depth and column_one and line.startswith("("):
                self._report_unclosed(tree_lines[0][0], start)
                depth, tree_lines = 0, []
            if not depth and line.lstrip().startswith(_COMMENTS):
                continue
            if depth:
                tree_lines.append((number, line))
                closing = line.count(")")
                if closing < depth:  # it cannot end here
                    depth += line.count("(") - closing
                    continue
            at = 0
            for bracket in _BRACKET.finditer(line):
                if not depth:
                    self._report_text_outside(line[at : bracket.start()], number, at)
                    at = bracket.end()
                    if bracket.group() == ")":
                        self._report(
                            "a closing bracket without an opening one", number, bracket.start()
                        )
                        continue
                    start, tree_lines = bracket.start(), [(number, line)]
                depth += 1 if bracket.group() == "(" else -1
                if not depth:
                    at = bracket.end()
                    yield tree_lines[0][0], start, _tree_text(tree_lines, start, at)
            if not depth:
                self._report_text_outside(line[at:], number, at)
        if depth:
            self._report_unclosed(tree_lines[0][0], start)
            # What follows may be good. Only a tree that begins a line can be told from the rest.
            yield from self.cut(tree_lines[1:], column_one=True) if not column_one else ()

    def _report_text_outside(self, text: str, number: int, at: int) -> None:
        if stripped := text.strip():
            at += text.index(stripped)
            self._report("a tree starts with '(', and this does not", number, at)

    def _report_unclosed(self, number: int, start: int) -> None:
        self._report("the bracket opened here is never closed", number, start)

    def _report(self, reason: str, number: int, at: int) -> None:
        error = ParseError(reason, source=self.source, line=number, column=at + 1)
        self.problems.report(error)


def _tree_text(tree_lines: list[tuple[int, str]], start: int, end: int) -> str:
    lines = [line for _, line in tree_lines]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return "\n".join(lines)


def _without_outer_bracket(text: str) -> str:
    """Return a tree with a blank for an outer bracket, so that places in the text stay right."""
    outer = _UNLABELLED.match(text)
    return " " + text[1:-1] if outer and text[outer.end()] == "(" else text


def _locate(batch: list[_Piece], name: str, row: int, before: int) -> tuple[int, int]:
    _, start, text = batch[row]
    further = text.count("\n", 0, before)
    column = before - text.rindex("\n", 0, before) if further else start + before + 1
    return further, column
