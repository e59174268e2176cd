"""Columns of trees in brackets, parsed by the thousand; a bad tree takes its row with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.data.forest import Forest, Roots
from treekernels.data.parsing import SENTENCES, parse_until_bad
from treekernels.data.tree import MISSING
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.origins import Origins

Name = TypeVar("Name", bound=Hashable)
Row = TypeVar("Row")

BATCH = 65536
"""How many rows are in memory at a time."""

_STEP = 64
_MORE_TEXT = "there is more text after the tree"
_MISSING_TREE = f"({MISSING})"


def batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield rows in lists that are small enough for memory."""
    while batch := list(islice(rows, BATCH)):
        yield batch


class BracketColumns:
    """The columns of trees of a file, as far as it has been read.

    Parameters
    ----------
    source : str
        The name of the file, for errors.
    problems : Problems
        Where bad trees are reported.
    origins : Origins, optional
        Where the lines of good rows are noted.
    guessed : mapping, optional
        What the columns are called that were taken for trees because of their first entries.
    """

    def __init__(
        self,
        source: str,
        problems: Problems,
        origins: Origins | None = None,
        guessed: Mapping[Any, str] | None = None,
    ) -> None:
        self._guessed = guessed or {}
        self._source = source
        self._problems = problems
        self._origins = origins
        self.dag = _native.Dag()
        self._roots: dict[Hashable, list[Roots]] = {}
        self._length = 0

    def add(
        self,
        lines: Sequence[int],
        columns: Mapping[Name, Sequence[str | None]],
        locate: Callable[[Name, int, int], tuple[int, int | None]],
    ) -> NDArray[np.bool_]:
        """Add rows, and return which of them are good in all columns.

        Parameters
        ----------
        lines : sequence of int
            The line on which each row begins.
        columns : mapping
            The texts of each column, with None for a tree that is missing.
        locate : callable
            Takes the name of a column, the number of a row, and a number of characters into its
            text. Returns how many lines further down that is, and in which column of the line, or
            None if that is not known.
        """
        good = np.ones(len(lines), bool)
        roots = {
            name: self._parse(name, texts, lines, locate, good) for name, texts in columns.items()
        }
        good_roots = {name: column[good] for name, column in roots.items()}
        self.add_roots(good_roots, np.array(lines, np.int64)[good])
        return good

    def add_block(
        self,
        number: int,
        block: bytes,
        begin: int,
        holds_trees: Sequence[bool],
        separator: str,
        *,
        quotes: bool = False,
    ) -> tuple[dict[int, list[str]], int, int]:
        """Add the rows of a block of lines as far as they are good, at the speed of the core.

        Parameters
        ----------
        number : int
            The number of the line where to begin.
        block : bytes
            Whole lines in UTF-8.
        begin : int
            Where to begin.
        holds_trees : sequence of bool
            Which columns hold trees; their names are their places.
        separator : str
            What separates columns. If it is empty, each line is a tree, and lines that start with
            # are comments.
        quotes : bool
            Whether entries may be in quotes.

        Returns
        -------
        The texts of the other columns, where the first row begins that is not good, and how many
        lines are before it.
        """
        columns, (lines, end, count) = _native.read_rows(
            self.dag, block, begin, list(holds_trees), separator, quotes, get_limits().label_bytes
        )
        made: dict[int, Any] = dict(enumerate(columns))
        roots = {place: made[place] for place in made if holds_trees[place]}
        texts = {place: made[place] for place in made if not holds_trees[place]}
        self.add_roots(roots, lines.astype(np.int64) + number)
        return texts, end, count

    def add_roots(self, roots: Mapping[Any, Roots], lines: NDArray[np.int64]) -> None:
        """Add rows whose trees are nodes of `dag` already."""
        for name, column in roots.items():
            if name not in self._roots:  # a column that begins late is missing before
                self._roots[name] = [self.missing(self._length)]
            self._roots[name].append(column)
        self._length += len(lines)
        if self._origins is not None:
            self._origins.extend("line", lines.tolist())

    def __len__(self) -> int:
        return self._length

    def forest(self, name: Hashable) -> Forest:
        """Return a column."""
        parts = self._roots.get(name, [])
        return Forest.from_roots(self.dag, np.concatenate([self.missing(0), *parts]))

    def missing(self, count: int) -> Roots:
        """Return so many trees that are missing."""
        root = self.dag.parse([_MISSING_TREE])[0][0] if count else 0
        return np.full(count, root, np.uint32)

    def _parse(
        self,
        name: Name,
        column: Sequence[str | None],
        lines: Sequence[int],
        locate: Callable[[Name, int, int], tuple[int, int | None]],
        good: NDArray[np.bool_],
    ) -> Roots:
        """Return the roots of a column, and note the rows of bad trees in `good`."""
        texts = [text if text is not None else _MISSING_TREE for text in column]
        roots = np.zeros(len(texts), np.uint32)
        done, step = 0, len(texts)
        while done < len(texts):
            batch, failure = parse_until_bad(self.dag, texts[done : done + step])
            roots[done : done + len(batch)] = batch
            done += len(batch)
            step *= 2
            if failure is not None:
                _, before, reason = failure
                if name in self._guessed and reason.endswith((SENTENCES, _MORE_TEXT)):
                    reason = (
                        f"{reason.removesuffix(f'; {SENTENCES}')}; the column "
                        f"{self._guessed[name]!r} was taken for trees, since "
                        "its first entry starts with a bracket: if it holds texts, say which "
                        "columns hold trees with trees=[...], or let tk.parse make trees of them "
                        "(--parser on the command line)"
                    )
                further, place = locate(name, done, before)
                line = lines[done] + further
                error = ParseError(reason, source=self._source, line=line, column=place)
                self._problems.report(error)
                good[done] = False
                done += 1
                step = _STEP  # a bad text costs a small batch, not a large one
        return roots
