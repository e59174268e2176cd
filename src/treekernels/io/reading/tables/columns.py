"""Files of rows and columns, whatever separates the entries: names, trees, numbers and texts.

Columns whose first entry starts with a bracket hold trees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.data.parsing import SENTENCES
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import lines_in
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import read_block
from treekernels.io.reading.tables.bracket_columns import BracketColumns
from treekernels.io.spreadsheets import text_of

Row = tuple[int, list[str]]  # the number of its line, and its entries


_USUAL_NAMES = frozenset(
    [
        *("text", "texts", "sentence", "sentences", "question", "review", "comment", "title"),
        *("document", "body", "content", "premise", "hypothesis", "label", "class", "category"),
    ]
)
"""What columns of texts and labels are mostly called, by which a header is known."""


class _NumberSyntax(NamedTuple):
    """What texts are taken for numbers."""

    integer: re.Pattern[str]
    decimal: re.Pattern[str]


_STRICT = _NumberSyntax(
    re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII),
    re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII),
)
"""Numbers as Python writes them: "+1" and "007" stay texts, so that labels are what a file has."""

LENIENT = _NumberSyntax(
    re.compile(r"[+-]?\d+", re.ASCII),
    re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII),
)
"""Numbers as C reads them."""


class RowTable:
    """The rows of a file, as far as it has been read; other parameters are those of `read_tsv`.

    Parameters
    ----------
    first : list of Row
        The first two rows of the file, which say what is in its columns.
    """

    def __init__(
        self,
        first: list[Row],
        source: str,
        columns: Sequence[str] | None,
        trees: Sequence[str | int] | None,
        label: str | int | None,
        header: bool | None,
        problems: Problems,
        origins: Origins | None,
    ) -> None:
        check_names(columns, trees)
        layout, has_header = _layout(first, source, columns, trees, label, header)
        self._layout = layout or _Layout(list(columns or ()), [], columns is not None)
        self.header_line = first[0][0] if has_header else 0
        self._source = source
        self._problems = problems
        names = self._layout.names
        guessed = self._layout.trees if trees is None and len(names) > 1 else []
        self._forests = BracketColumns(
            source, problems, origins, {place: names[place] for place in guessed}
        )
        places = range(len(self._layout.names))
        self._holds_trees = [place in self._layout.trees for place in places]
        self._texts: dict[int, list[str]] = {p: [] for p in places if not self._holds_trees[p]}

    def add_block(self, number: int, block: bytes) -> None:
        """Add a block of lines whose entries are separated by tabs."""
        while number <= self.header_line and block:
            _, _, block = block.partition(b"\n")
            number += 1
        if self._holds_trees:
            read_block(
                number,
                block,
                lambda begin, number: self.add_good(block, begin, number, "\t"),
                self._add_lines,
            )

    def add_good(
        self, block: bytes, begin: int, number: int, separator: str, *, quotes: bool = False
    ) -> tuple[int, int]:
        """Add good rows, and return where the first other one begins, and after how many lines."""
        texts, end, count = self._forests.add_block(
            number, block, begin, self._holds_trees, separator, quotes=quotes
        )
        self._add_texts(texts)
        return end, count

    def _add_lines(self, number: int, raw: bytes) -> None:
        lines = lines_in(raw, number, self._source, self._problems)
        rows = [(at, line.split("\t")) for at, line in lines if line.strip(" ")]
        if rows:
            self._add(rows, lambda place, row, before: (0, _column_of(row, place) + before))

    def add_row(
        self, line: int, entries: list[str], locate: Callable[[int, int], tuple[int, int]]
    ) -> None:
        """Add a row, of which `locate` says where so many characters of an entry end."""
        if line != self.header_line:
            self._add([(line, entries)], lambda place, _, before: locate(place, before))

    def _add(
        self, rows: list[Row], locate: Callable[[int, list[str], int], tuple[int, int | None]]
    ) -> None:
        width = len(self._holds_trees)
        if any(len(row) != width for _, row in rows):
            rows = [row for row in rows if self._is_fitting(*row)]
        columns = {place: [row[place] for _, row in rows] for place in self._layout.trees}
        good = self._forests.add(
            [number for number, _ in rows],
            columns,
            lambda place, number, before: locate(place, rows[number][1], before),
        )
        if not good.all():
            rows = list(compress(rows, good))
        self._add_texts({place: [row[place] for _, row in rows] for place in self._texts})

    def _add_texts(self, texts: dict[int, list[str]]) -> None:
        for place, cells in texts.items():
            self._texts[place] += [text_of(cell) if cell[:1] == "'" else cell for cell in cells]

    def _is_fitting(self, number: int, row: list[str]) -> bool:
        """Return whether a row has the right number of entries, or report it."""
        width = len(self._holds_trees)
        if len(row) != width:
            count = count_noun(len(row), "column")
            reason = f"this line has {count}, and the first has {width}"
            self._problems.report(ParseError(reason, source=self._source, line=number))
        return len(row) == width

    def result(self) -> Forest | Table:
        """Return all columns as a table or, if there is only one column of trees, a forest."""
        layout = self._layout
        if not layout.named and len(layout.names) <= 1:
            return self._forests.forest(0)
        return Table(
            {
                name: self._forests.forest(place)
                if self._holds_trees[place]
                else as_numbers(self._texts[place])
                for place, name in enumerate(layout.names)
            }
        )


def _column_of(row: list[str], place: int) -> int:
    """Return where on its line an entry begins, counted from 1."""
    return sum(map(len, row[:place])) + place + 1


class _Layout(NamedTuple):
    """What is known of the columns before they are read."""

    names: list[str]
    trees: list[int]
    named: bool


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
    with_trees = [[entry.lstrip().startswith("(") for entry in row] for _, row in first]
    asked = [name for name in (*(trees or ()), label) if isinstance(name, str)]
    asked = [name for name in asked if not name.isdecimal() and name not in ("folder", "file")]
    if header is None and columns is None and asked and len(first) == 2:
        names_there = [entry.strip() for entry in first[0][1]]
        header = True if all(name in names_there for name in asked) else None
    if trees is not None and not len(trees):  # whatever the entries look like
        with_trees = [[False] * len(row) for row in with_trees]
        header = _looks_like_header(first[0][1]) if header is None else header
    if header is None:
        header = len(first) == 2 and not any(with_trees[0]) and any(with_trees[1])
    names = None if columns is None else list(columns)
    if header and names is None:
        names = [text_of(entry.strip()) for entry in first[0][1]]
        check_names(names)
    if names is not None and header and len(first) < 2:
        return _Layout(names, _places(trees or (), names, source), True), True
    line, entries = first[1 if header else 0]
    is_tree = with_trees[1 if header else 0]
    if names is None:
        guessed = default_names(is_tree)
        for name in trees or ():
            place = column_at(name, guessed, source)
            if not is_tree[place] and not str(name).isdecimal():
                raise ParameterError(f"{source}: the column {name!r} does not hold trees")
            is_tree[place] = True
        if not any(is_tree) and trees != []:
            raise ParameterError(
                f"{source} has no column of trees: no entry of its first line starts with a "
                "bracket; say which columns hold trees with trees=[...], or which other format "
                f"this is with format=...; {SENTENCES}"
            )
    elif len(names) != len(entries):
        count = count_noun(len(entries), "column")
        were = "were named" if columns is not None else "have a name in the header"
        reason = f"this line has {count}, but {len(names)} {were}"
        raise ParseError(reason, source=source, line=line)
    places = [place for place, holds_tree in enumerate(is_tree) if holds_tree]
    if names is not None and trees is not None:
        places = _places(trees, names, source)
    return _Layout(names or default_names(is_tree, label), places, names is not None), header


def _looks_like_header(entries: Sequence[str]) -> bool:
    """Return whether a row of a file without trees has the names of columns."""
    return not _USUAL_NAMES.isdisjoint(entry.strip().lower() for entry in entries)


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
    hint = " (they are counted from 1)" if str(name) == "0" else ""
    raise ParameterError(f"{source} has no column {str(name)!r}{hint}; it has {', '.join(names)}")


def _places(trees: Iterable[str | int], names: Sequence[str], source: str) -> list[int]:
    return sorted({column_at(name, names, source) for name in trees})


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


def as_numbers(texts: Sequence[str], syntax: _NumberSyntax = _STRICT) -> Any:
    """Return an array of integers or floats if all texts are numbers, else of the texts.

    A text that is empty is NaN among numbers.
    """
    distinct = set(texts) - {""}
    if distinct and all(syntax.integer.fullmatch(text) for text in distinct):
        # Longer texts are no 64-bit numbers, and Python may refuse to read them.
        if all(len(text) <= 20 and -(2**63) <= int(text) < 2**63 for text in distinct):
            if "" not in texts:
                return np.array([int(text) for text in texts], np.int64)
            return np.array([float(text) if text else np.nan for text in texts])
    elif distinct and all(syntax.decimal.fullmatch(text) for text in distinct):
        floats = np.array([float(text) if text else np.nan for text in texts])
        if not np.isinf(floats).any():
            return floats
    column = np.empty(len(texts), object)
    column[:] = texts  # several times as fast as np.array(texts, object)
    return column
