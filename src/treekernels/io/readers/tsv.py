"""Files with columns separated by tabs, one example per line, with or without a header.

Empty lines are passed over. Columns whose first entry starts with a bracket hold trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, compress, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.numbers_in_words import count_noun
from treekernels.data.forest import Forest, Roots
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.bracket_batches import BATCH, parse_texts
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.numbers import as_numbers
from treekernels.io.reading.origins import Origins
from treekernels.io.writing.spreadsheets import text_of

__all__ = ["check_names", "column_at", "default_names", "read_rows", "read_tsv"]

_BATCH = BATCH

Row = tuple[int, list[str]]  # the number of its line, and its entries


def read_tsv(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str | int] | None = None,
    *,
    label: str | int | None = None,
    header: bool | None = None,
    problems: Problems | None = None,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read all columns as a table or, if there is only one column of trees, a forest.

    Parameters
    ----------
    columns : sequence of str, optional
        Names for the columns. If you do not give any, they come from the header. If there is none,
        the first column without trees is called "label", those with trees are called "tree" (or
        "tree1", "tree2" and so on), and the others "column3" and the like.
    trees : sequence of str or int, optional
        The columns of trees, by name or by number from 1, if the first line does not show them.
    label : str or int, optional
        The column that holds the labels.
    header : bool, optional
        Whether the first line has the names of the columns. If you do not say it, it is taken for
        a header if there is no tree in it but one in the second line.
    """
    problems = problems or Problems()
    lines = ((number, line) for number, line in lines_of(path, problems) if line.strip(" "))
    return read_rows(
        lines, _split_at_tabs, str(path), columns, trees, label, header, problems, origins
    )


def _split_at_tabs(lines: list[str]) -> list[list[str]]:
    return [line.split("\t") for line in lines]


def read_rows(
    rows: Iterator[tuple[int, Any]],
    split: Callable[[list[Any]], list[list[str]]],
    source: str,
    columns: Sequence[str] | None,
    trees: Sequence[str | int] | None,
    label: str | int | None,
    header: bool | None,
    problems: Problems,
    origins: Origins | None,
    *,
    exact_columns: bool = True,
) -> Forest | Table:
    """Read rows of any source; other parameters are those of `read_tsv`.

    Parameters
    ----------
    rows : iterator of (int, object)
        With the numbers of their lines.
    split : callable
        Returns the entries of many rows at once, which is quicker than one by one.
    """
    check_names(columns, trees)
    first = list(islice(rows, 2))
    entries = split([row for _, row in first])
    numbered = [(number, row) for (number, _), row in zip(first, entries, strict=True)]
    layout, has_header = _layout(numbered, source, columns, trees, label, header)
    if layout is None:
        return Forest() if columns is None else Table({c: np.empty(0, object) for c in columns})
    collector = _ColumnCollector(source, layout, exact_columns)
    rows = chain(first[1:] if has_header else first, rows)
    while batch := list(islice(rows, _BATCH)):
        numbers = [number for number, _ in batch]
        good_lines = collector.add(numbers, split([row for _, row in batch]), problems)
        if origins is not None:
            origins.extend("line", good_lines)
    if layout.named or layout.width > 1:
        return collector.table(layout.names)
    return collector.forest()


class _Layout(NamedTuple):
    """What is known of the columns before they are read."""

    names: list[str]
    trees: list[int]
    named: bool

    @property
    def width(self) -> int:
        return len(self.names)


def _layout(
    first: list[Row],
    source: str,
    columns: Sequence[str] | None,
    trees: Sequence[str | int] | None,
    label: str | int | None,
    header: bool | None,
) -> tuple[_Layout | None, bool]:
    """Return the layout, None for an empty file, and whether the first of two rows is a header."""
    if not first:
        return None, False
    with_trees = [[_is_tree(entry) for entry in entries] for _, entries in first]
    if header is None:
        header = len(first) == 2 and not any(with_trees[0]) and any(with_trees[1])
    named = header or columns is not None
    if header:
        found = [text_of(entry.strip()) for entry in first[0][1]]
        names = found if columns is None else list(columns)
        check_names(names)
        if len(first) < 2:
            return _Layout(names, _places(trees or (), names, source), True), True
    line, entries = first[1 if header else 0]
    if columns is not None:
        names = list(columns)
    if named and len(names) != len(entries):
        count = count_noun(len(entries), "column")
        were = "were named" if columns is not None else "have a name in the header"
        reason = f"this line has {count}, but {len(names)} {were}"
        raise ParseError(reason, source=source, line=line)
    is_tree = with_trees[1 if header else 0]
    if trees is None:
        places = [place for place, holds_tree in enumerate(is_tree) if holds_tree]
    elif named:
        places = _places(trees, names, source)
    else:
        numbers = [str(place + 1) for place in range(len(entries))]
        guessed = default_names(is_tree)
        places = []
        for name in trees:
            places.append(column_at(name, guessed, source))
            if str(name) not in numbers and not is_tree[places[-1]]:
                raise ParameterError(f"{source}: the column {name!r} does not hold trees")
        is_tree = [holds or place in places for place, holds in enumerate(is_tree)]
        places = [place for place, holds_tree in enumerate(is_tree) if holds_tree]
    if not named:
        if not places:
            raise ParameterError(
                f"{source} has no column of trees: no entry of its first line starts with a "
                "bracket; say which columns hold trees with trees=[...], or which other format "
                "this is with format=..."
            )
        names = default_names(is_tree, label)
    return _Layout(names, sorted(places), named), header


def default_names(is_tree: Sequence[bool], label: str | int | None = None) -> list[str]:
    """Return names for columns without any: label, tree or tree1 and so on, column3 and so on."""
    count = sum(is_tree)
    others = [place for place, holds_tree in enumerate(is_tree) if not holds_tree]
    names = [f"column{place + 1}" for place in range(len(is_tree))]
    for number, place in enumerate((p for p, holds in enumerate(is_tree) if holds), start=1):
        names[place] = "tree" if count == 1 else f"tree{number}"
    labelled = int(label) - 1 if label is not None and str(label).isdecimal() else None
    if labelled not in others:
        labelled = next(iter(others), None)
    if labelled is not None:
        names[labelled] = "label"
    return names


def column_at(name: str | int, names: Sequence[str], source: object) -> int:
    """Return the place of a column that is given by its name, or by its number from 1."""
    if name in names:
        return list(names).index(str(name))
    if str(name).isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise ParameterError(f"{source} has no column {str(name)!r}; it has {', '.join(names)}")


def _places(trees: Iterable[str | int], names: Sequence[str], source: str) -> list[int]:
    return sorted({column_at(name, names, source) for name in trees})


def _is_tree(entry: str) -> bool:
    return entry.lstrip().startswith("(")


class _ColumnCollector:
    """The columns of a file as far as it has been read."""

    def __init__(self, source: str, layout: _Layout, exact_columns: bool) -> None:
        self.source = source
        self.width = layout.width
        self.exact_columns = exact_columns  # whether entries stand in lines as they are
        self.dag = _native.Dag()
        self.roots: dict[int, list[Roots]] = {place: [] for place in layout.trees}
        self.texts: dict[int, list[str]] = {
            place: [] for place in range(layout.width) if place not in layout.trees
        }

    def add(self, numbers: list[int], rows: list[list[str]], problems: Problems) -> list[int]:
        """Add rows, one that is bad anywhere nowhere; return the lines of those that are good."""
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
            locate = partial(_locate if self.exact_columns else _locate_line, numbers, rows, place)
            roots_by_place[place], is_good = parse_texts(
                self.dag, texts, locate, self.source, problems
            )
            good &= is_good
        for place, roots in roots_by_place.items():
            self.roots[place].append(roots[good])
        if not good.all():
            numbers, rows = list(compress(numbers, good)), list(compress(rows, good))
        for place, texts in self.texts.items():
            texts.extend(text_of(row[place]) for row in rows)
        return numbers

    def table(self, names: Sequence[str]) -> Table:
        """Return all columns."""
        columns: dict[int, Any] = {place: self._forest(place) for place in self.roots}
        columns |= {place: as_numbers(texts) for place, texts in self.texts.items()}
        return Table({name: columns[place] for place, name in enumerate(names)})

    def forest(self) -> Forest:
        """Return the only column."""
        return self._forest(next(iter(self.roots)))

    def _forest(self, place: int) -> Forest:
        return Forest.from_roots(self.dag, np.concatenate([_NO_ROOTS, *self.roots[place]]))


_NO_ROOTS = np.empty(0, np.uint32)


def check_names(columns: Sequence[str] | None, trees: Sequence[str | int] | None = None) -> None:
    """Raise an error if names of columns are not a list, not distinct, or not there."""
    for names in (columns, trees):
        if isinstance(names, str):
            raise ParameterError(f"names of columns come in a list: write [{names!r}]")
    if columns is not None and len(set(columns)) != len(columns):
        raise ParameterError(f"the names of columns must differ, and these do not: {list(columns)}")
    if trees is not None and columns is not None:
        numbers = [str(place + 1) for place in range(len(columns))]
        missing = [name for name in trees if name not in columns and str(name) not in numbers]
        if missing:
            raise ParameterError(f"the column of trees {missing[0]!r} is not among columns=...")


def _locate(
    numbers: list[int], rows: list[list[str]], place: int, index: int, before: int
) -> tuple[int, int | None]:
    return numbers[index], sum(map(len, rows[index][:place])) + place + before + 1


def _locate_line(
    numbers: list[int], rows: list[list[str]], place: int, index: int, before: int
) -> tuple[int, int | None]:
    return numbers[index], None  # quotes may stand before it, and lines end inside
