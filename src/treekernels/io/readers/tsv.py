"""Files with columns separated by tabs, one example per line, with or without a header.

Empty lines are passed over. Columns whose first entry starts with a bracket hold trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress, islice

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.wording import count_noun
from treekernels.data.forest import Forest, Roots
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.bracket_batches import BATCH, parse_texts
from treekernels.io.readers.lines import PathLike, lines_of

__all__ = ["check_names", "read_tsv"]

_BATCH = BATCH


def read_tsv(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
    *,
    header: bool = False,
    problems: Problems | None = None,
) -> Forest | Table:
    """Read the only column of trees as a forest or, with names, all columns as a table.

    `trees` names the columns of trees where they cannot be told from the first line. With `header`
    that line has the names of the columns, unless they are given.
    """
    problems = problems or Problems()
    source = str(path)
    collector: _ColumnCollector | None = None
    lines = ((number, line) for number, line in lines_of(path, problems) if line.strip(" "))
    if header:
        _, first = next(lines, (0, ""))
        columns = [name.strip() for name in first.split("\t")] if columns is None else columns
    check_names(columns, trees)
    while batch := list(islice(lines, _BATCH)):
        numbers = [number for number, _ in batch]
        rows = [line.split("\t") for _, line in batch]
        if collector is None:
            if columns is not None and len(columns) != len(rows[0]):
                count = count_noun(len(rows[0]), "column")
                reason = f"this line has {count}, but {len(columns)} were named"
                raise ParseError(reason, source=source, line=numbers[0])
            collector = _ColumnCollector(
                source, _places_of_trees(rows[0], columns, trees), len(rows[0])
            )
        collector.add(numbers, rows, problems)
    if collector is None:
        return Forest() if columns is None else Table({c: np.empty(0, object) for c in columns})
    if columns is not None:
        return collector.table(columns)
    return collector.forest()


class _ColumnCollector:
    """The columns of a file as far as it has been read."""

    def __init__(self, source: str, trees: list[int], width: int) -> None:
        self.source = source
        self.width = width
        self.dag = _native.Dag()
        self.roots: dict[int, list[Roots]] = {place: [] for place in trees}
        self.texts: dict[int, list[str]] = {p: [] for p in range(width) if p not in trees}

    def add(self, numbers: list[int], rows: list[list[str]], problems: Problems) -> None:
        """Add lines; one that is bad anywhere is left out everywhere."""
        fitting = np.array([len(row) == self.width for row in rows])
        for index in np.flatnonzero(~fitting):
            count = count_noun(len(rows[index]), "column")
            reason = f"this line has {count}, and the first has {self.width}"
            problems.report(ParseError(reason, source=self.source, line=numbers[index]))
        if not fitting.all():
            numbers, rows = list(compress(numbers, fitting)), list(compress(rows, fitting))
        good: NDArray[np.bool_] = np.ones(len(rows), bool)
        roots_by_place = {}
        for place in self.roots:
            texts = [row[place] for row in rows]
            locate = partial(_locate, numbers, rows, place)
            roots_by_place[place], is_good = parse_texts(
                self.dag, texts, locate, self.source, problems
            )
            good &= is_good
        for place, roots in roots_by_place.items():
            self.roots[place].append(roots[good])
        if not good.all():
            rows = list(compress(rows, good))
        for place, texts in self.texts.items():
            texts.extend(row[place] for row in rows)

    def table(self, names: Sequence[str]) -> Table:
        """Return all columns."""
        columns: dict[int, object] = {place: self._forest(place) for place in self.roots}
        columns |= {place: np.array(texts, object) for place, texts in self.texts.items()}
        return Table({name: columns[place] for place, name in enumerate(names)})

    def forest(self) -> Forest:
        """Return the only column of trees."""
        if len(self.roots) != 1:
            raise ParameterError(
                f"{self.source} has {len(self.roots)} columns of trees among {self.width}: name "
                "all columns with columns=[...] to get a table"
            )
        return self._forest(next(iter(self.roots)))

    def _forest(self, place: int) -> Forest:
        return Forest.from_roots(self.dag, np.concatenate(self.roots[place]))


def _places_of_trees(
    row: list[str], columns: Sequence[str] | None, trees: Sequence[str] | None
) -> list[int]:
    if trees is not None and columns is not None:
        return [place for place, name in enumerate(columns) if name in trees]
    return [place for place, entry in enumerate(row) if entry.lstrip().startswith("(")]


def check_names(columns: Sequence[str] | None, trees: Sequence[str] | None = None) -> None:
    """Raise an error if names of columns are not a list, not distinct, or not there."""
    for names in (columns, trees):
        if isinstance(names, str):
            raise ParameterError(f"names of columns come in a list: write [{names!r}]")
    if columns is not None and len(set(columns)) != len(columns):
        raise ParameterError(f"the names of columns must differ, and these do not: {list(columns)}")
    if trees is not None:
        missing = [name for name in trees if columns is None or name not in columns]
        if missing:
            raise ParameterError(f"the column of trees {missing[0]!r} is not among columns=...")


def _locate(
    numbers: list[int], rows: list[list[str]], place: int, index: int, before: int
) -> tuple[int, int]:
    return numbers[index], sum(map(len, rows[index][:place])) + place + before + 1
