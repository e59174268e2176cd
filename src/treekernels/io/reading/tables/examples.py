"""Lines of examples with labels, trees, vectors and texts, as in SVM-LIGHT-TK and KeLP files.

An example that lacks a part which others have gets a tree or vector that is missing, or None: see
`treekernels.data.tree` and `treekernels.data.vectors`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import check_columns, get_limits
from treekernels.common.text import number_of_digits
from treekernels.data.table import Table
from treekernels.data.tree import EMPTY
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import read_block
from treekernels.io.reading.tables.bracket_columns import BracketColumns
from treekernels.io.reading.tables.columns import LENIENT, as_numbers
from treekernels.io.reading.tables.value_columns import as_objects

Place: TypeAlias = tuple[str, int]
"""A text, and how many characters stand before it on its line."""

ExamplePart: TypeAlias = tuple[str, Any]
"""A "tree" with its `Place`, "sparse" with entries, "dense" with numbers, a "number", a "text"."""

_ITEM = re.compile(r"\S+")
_EMPTY_TREE = f"({EMPTY})"
_SPACE = r"\x20"


class EscapedText(str):
    """A tree in whose leaves spaces have been escaped; `escape` is how a space is written."""

    __slots__ = ()
    escape = _SPACE

    def original_length(self, length: int) -> int:
        """Return how long the first characters were before."""
        return max(0, length - (len(_SPACE) - 1) * self.count(_SPACE, 0, length))


@dataclass
class Example:
    """One line of a file."""

    line: int
    labels: tuple[str, ...]
    parts: dict[str, ExamplePart] = field(default_factory=dict)


def read_examples(
    path: PathLike,
    parse: Callable[[str, int, str], Example],
    problems: Problems,
    origins: Origins | None,
    n_features: int | None = None,
    *,
    kelp: bool = False,
) -> Table:
    """Return a table with the column "label" first, then the others in order of first use.

    `parse` takes a line that the core does not read, its number and the name of the file. Empty
    lines, and lines that start with #, are passed over.
    """
    collector = _Collector(str(path), problems, origins)

    def read_good(begin: int, number: int) -> tuple[int, int]:
        return collector.add_block(block, begin, number, kelp)

    def read_lines(number: int, raw: bytes) -> None:
        for at, line in lines_in(raw, number, path, problems):
            if not (start := line.lstrip()) or start.startswith("#"):
                continue
            try:
                collector.add(parse(line, at, str(path)))
            except ParseError as error:
                problems.report(error)
        collector.flush()

    for first, block in blocks_of(path):
        read_block(first, block, read_good, read_lines)
    return collector.table(n_features)


def sparse_entries(place: Place, line: int, source: str) -> list[tuple[str, float]]:
    """Return the entries of ``name:value name:value ...``; a colon may be part of a name."""
    text, before = place
    entries: list[tuple[str, float]] = []
    for item in _ITEM.finditer(text):
        name, colon, value = item.group().rpartition(":")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not (colon and name) or not np.isfinite(number):
            reason = f"{item.group()!r:.40} is not a feature and its value, such as 7:0.5"
            column = before + item.start() + 1
            raise ParseError(reason, source=source, line=line, column=column)
        entries.append((name, number))
    if len({name for name, _ in entries}) < len(entries):
        reason = "a feature occurs twice in a vector"
        raise ParseError(reason, source=source, line=line, column=before + 1)
    return entries


class _Collector:
    """Collects examples, and makes a table of them with a column for each name."""

    def __init__(self, source: str, problems: Problems, origins: Origins | None) -> None:
        self._source = source
        self._trees = BracketColumns(source, problems, origins)
        self._pending: list[Example] = []
        self._labels: list[tuple[str, ...]] = []
        self._columns: dict[str, _Column] = {}

    def add_block(self, block: bytes, begin: int, number: int, kelp: bool) -> tuple[int, int]:
        """Add the examples of a block up to the first that the core does not read."""
        known = [
            (name, _KINDS.index(column.kind), column.width)
            for name, column in self._columns.items()
        ]
        heads, numbers, parts, (lines, end, count) = _native.read_examples(
            self._trees.dag, block, begin, kelp, known, get_limits().label_bytes
        )
        before = len(self._labels)
        labels = [tuple(head.split()) for head in heads]
        self._labels += [labels[number] for number in numbers.tolist()]
        roots = {}
        for name, kind, width, rows, values, *entries in parts:
            if not len(rows):
                continue
            column = self._column(name, _KINDS[kind])
            if _KINDS[kind] == "tree":
                roots[name] = self._trees.missing(len(numbers))
                roots[name][rows] = values
            else:
                column.width = width
                column.add_block(rows.astype(np.int64) + before, values, *entries)
        for name, column in self._columns.items():
            if column.kind == "tree" and name not in roots:
                roots[name] = self._trees.missing(len(numbers))
        self._trees.add_roots(roots, lines.astype(np.int64) + number)
        return end, count

    def _column(self, name: str, kind: str) -> _Column:
        if name not in self._columns:
            check_columns(len(self._columns) + 1)
            self._columns[name] = _COLUMNS.get(kind, _Column)(kind)
            if kind == "number" and name == "cost":
                self._columns[name].read = float
        return self._columns[name]

    def add(self, example: Example) -> None:
        """Add an example, or raise a `ParseError` if its parts do not fit those before."""
        for name, (kind, part) in example.parts.items():
            if reason := self._column(name, kind).misfit(kind, part):
                reason = f"{name!r} {reason}"
                raise ParseError(reason, source=self._source, line=example.line)
        self._pending.append(example)

    def flush(self) -> None:
        """Parse the trees of the examples that were added, and leave out those with bad ones."""
        pending, self._pending = self._pending, []
        names = [name for name, column in self._columns.items() if column.kind == "tree"]
        places = {name: [_tree_of(example, name) for example in pending] for name in names}

        def locate(name: str, row: int, before: int) -> tuple[int, int | None]:
            text, start = places[name][row]
            if isinstance(text, EscapedText):
                before = text.original_length(before)
            return 0, start + before + 1

        lines = [example.line for example in pending]
        texts = {name: [text for text, _ in places[name]] for name in names}
        good = self._trees.add(lines, texts, locate)
        for example, is_good in zip(pending, good, strict=True):
            if is_good:
                for name, (kind, part) in example.parts.items():
                    if kind != "tree":
                        self._columns[name].add(len(self._labels), part)
                self._labels.append(example.labels)

    def table(self, n_features: int | None) -> Table:
        """Return all examples."""
        columns = {
            name: self._trees.forest(name)
            if column.kind == "tree"
            else column.to_column(len(self._labels), n_features)
            for name, column in self._columns.items()
        }
        return Table({"label": _label_column(self._labels), **columns})


def _tree_of(example: Example, name: str) -> tuple[str | None, int]:
    """Return the text of a tree, None if it is missing, and what stands before it."""
    if name not in example.parts:
        return None, 0
    text, before = example.parts[name][1]
    return text if text.strip() else _EMPTY_TREE, before


class _Column:
    """The parts of examples that have the same name, by the rows of the examples."""

    read: Callable[[str], Any] = staticmethod(str.strip)  # what a text means

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.width: int | None = None  # of dense vectors
        self._rows: list[NDArray[np.int64]] = []
        self._parts: list[NDArray[Any]] = []

    def misfit(self, kind: str, part: Any) -> str | None:
        """Return why a part does not fit those before, or None if it does."""
        if kind != self.kind:
            return f"is a {_NOUNS[kind]} here, and a {_NOUNS[self.kind]} before"
        if kind == "dense":
            self.width = len(part) if self.width is None else self.width
            if self.width != len(part):
                return f"is a dense vector of {len(part)} numbers, and the first has {self.width}"
        return None

    def add(self, row: int, part: Any) -> None:
        """Add the part of an example."""
        self._extend(np.array([row]), as_objects([part]))

    def add_block(self, rows: NDArray[np.int64], values: Any, *entries: Any) -> None:
        """Add the parts of a block as the core has read them: the numbers of texts."""
        self._extend(rows, as_objects(map(self.read, entries[-1]))[values])

    def _extend(self, rows: NDArray[np.int64], parts: NDArray[Any]) -> None:
        self._rows.append(rows)
        self._parts.append(parts)

    def to_column(self, length: int, n_features: int | None) -> Any:
        """Return the column of a table with so many rows."""
        column = np.full(length, None, object)
        for rows, parts in zip(self._rows, self._parts, strict=True):
            column[rows] = parts
        return column


class _NumberColumn(_Column):
    """Numbers such as those of queries."""

    read = int

    def to_column(self, length: int, n_features: int | None) -> Any:
        numbers = [
            np.nan if value is None else value for value in super().to_column(length, n_features)
        ]
        integers = all(isinstance(number, int) for number in numbers)
        return np.array(numbers, np.int64 if integers else np.float64)


class _DenseColumn(_Column):
    """Vectors with the same number of entries."""

    def add(self, row: int, part: Any) -> None:
        self._extend(np.array([row]), np.array([part], np.float64).reshape(1, -1))

    def add_block(self, rows: NDArray[np.int64], values: Any, *entries: Any) -> None:
        numbers = _with_unread(*entries[1:4])
        self._extend(rows, numbers.reshape(len(rows), -1))

    def to_column(self, length: int, n_features: int | None) -> Any:
        matrix = np.full((length, self.width or 0), np.nan)
        for rows, parts in zip(self._rows, self._parts, strict=True):
            matrix[rows] = parts
        return matrix


class _SparseColumn(_Column):
    """Sparse vectors, in arrays, since there may be many millions of entries."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.names: dict[str, int] = {}
        self._counts: list[NDArray[Any]] = []  # of the entries of each row
        self._values: list[NDArray[np.float64]] = []

    def add(self, row: int, part: Any) -> None:
        features = [self.names.setdefault(name, len(self.names)) for name, _ in part]
        self._add(np.array([row]), [len(part)], features, [value for _, value in part])

    def add_block(self, rows: NDArray[np.int64], values: Any, *entries: Any) -> None:
        features, numbers, unread, unread_texts, names = entries
        numbering = np.zeros(len(names), np.int64)
        for number in np.unique(features).tolist():  # others were in lines that are not good
            numbering[number] = self.names.setdefault(names[number], len(self.names))
        in_table = numbering[features]
        self._add(rows, values, in_table, _with_unread(numbers, unread, unread_texts))

    def _add(self, rows: Any, counts: Any, features: Any, values: Any) -> None:
        self._extend(np.asarray(rows, np.int64), np.asarray(features, np.int64))
        self._counts.append(np.asarray(counts, np.int64))
        self._values.append(np.asarray(values, np.float64))

    def to_column(self, length: int, n_features: int | None) -> Any:
        if not self._rows:  # all that had one were left out
            self._add([], [], [], [])
        rows, counts = np.concatenate(self._rows), np.concatenate(self._counts)
        features, values = np.concatenate(self._parts), np.concatenate(self._values)
        if all(map(number_of_digits, self.names)):
            return self._matrix(length, n_features, rows, np.repeat(rows, counts), features, values)
        # Features have names: the numbers of columns would depend on the file.
        column = np.full(length, None, object)
        names, begin = list(self.names), 0
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            entries = zip(
                features[begin : begin + count].tolist(),
                values[begin : begin + count].tolist(),
                strict=True,
            )
            column[row] = {names[feature]: value for feature, value in entries}
            begin += count
        return column

    def _matrix(
        self,
        length: int,
        n_features: int | None,
        present: NDArray[np.int64],
        rows: NDArray[np.int64],
        features: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> Any:
        from scipy.sparse import csr_matrix

        numbers = np.array([int(name) - 1 for name in self.names], np.int64)
        width = int(numbers.max(initial=-1)) + 1
        if n_features is not None and width > n_features:
            raise ParameterError(f"there is a feature {width}, and n_features is {n_features}")
        is_missing = np.ones(length, bool)
        is_missing[present] = False
        missing = np.flatnonzero(is_missing)
        if len(missing):
            width = max(1, width)  # for the NaN that says so
        rows = np.concatenate([rows, missing])
        features = np.concatenate([numbers[features], np.zeros(len(missing), np.int64)])
        values = np.concatenate([values, np.full(len(missing), np.nan)])
        matrix = csr_matrix((values, (rows, features)), shape=(length, n_features or width))
        matrix.sort_indices()
        return matrix


def _with_unread(
    numbers: NDArray[np.float64], unread: NDArray[np.uint32], texts: list[str]
) -> NDArray[np.float64]:
    """Return numbers with those that the core left as texts."""
    numbers[unread] = [float(text) for text in texts]
    return numbers


_KINDS = ("tree", "sparse", "dense", "text", "number")  # as the core numbers them
_COLUMNS = {"sparse": _SparseColumn, "dense": _DenseColumn, "number": _NumberColumn}
_NOUNS = {
    "tree": "tree",
    "sparse": "sparse vector",
    "dense": "dense vector",
    "text": "text",
    "number": "number",
}


def _label_column(labels: Sequence[tuple[str, ...]]) -> Any:
    """Return numbers if all are, else texts; tuples of texts if an example has not just one."""
    if all(len(names) == 1 for names in labels):
        return as_numbers([text for (text,) in labels], LENIENT)
    column = np.empty(len(labels), object)
    column[:] = labels
    return column
