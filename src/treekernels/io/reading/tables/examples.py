"""Lines of examples with labels, trees, vectors and texts, as in SVM-LIGHT-TK and KeLP files.

An example that lacks a part which others have gets a tree or vector that is missing, or None: see
`treekernels.data.tree` and `treekernels.data.vectors`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from treekernels.data.table import Table
from treekernels.data.tree import EMPTY
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.bracket_columns import BracketColumns, batches
from treekernels.io.reading.tables.columns import LENIENT, as_numbers

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
) -> Table:
    """Return a table with the column "label" first, then the others in order of first use.

    `parse` takes a line, its number and the name of the file. Empty lines, and lines that start
    with #, are passed over.
    """
    collector = _Collector(str(path), problems, origins)
    for batch in batches(lines_of(path, problems)):
        for number, line in batch:
            if not (start := line.lstrip()) or start.startswith("#"):
                continue
            try:
                collector.add(parse(line, number, str(path)))
            except ParseError as error:
                problems.report(error)
        collector.flush()
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

    def add(self, example: Example) -> None:
        """Add an example, or raise a `ParseError` if its parts do not fit those before."""
        for name, (kind, part) in example.parts.items():
            if name not in self._columns:
                self._columns[name] = _SparseColumn() if kind == "sparse" else _Column(kind)
            if reason := self._columns[name].misfit(kind, part):
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

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.parts: dict[int, Any] = {}
        self.width: int | None = None  # of dense vectors

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
        self.parts[row] = part

    def to_column(self, length: int, n_features: int | None) -> Any:
        """Return the column of a table with so many rows."""
        if self.kind == "dense":
            matrix = np.full((length, self.width or 0), np.nan)
            for row, values in self.parts.items():
                matrix[row] = values
            return matrix
        if self.kind == "text":
            return np.array([self.parts.get(row) for row in range(length)], object)
        numbers = [self.parts.get(row, np.nan) for row in range(length)]
        integers = all(isinstance(number, int) for number in numbers)
        return np.array(numbers, np.int64 if integers else np.float64)


class _SparseColumn(_Column):
    """Sparse vectors, in arrays, since there may be many millions of entries."""

    def __init__(self) -> None:
        super().__init__("sparse")
        self.names: dict[str, int] = {}
        self.present: list[int] = []
        self.rows = array("q")
        self.features = array("q")
        self.values = array("d")

    def add(self, row: int, part: Any) -> None:
        names = self.names
        self.present.append(row)
        self.rows.extend([row] * len(part))
        self.features.extend([names.setdefault(name, len(names)) for name, _ in part])
        self.values.extend([value for _, value in part])

    def to_column(self, length: int, n_features: int | None) -> Any:
        if all(name.isascii() and name.isdigit() and int(name) > 0 for name in self.names):
            return self._matrix(length, n_features)
        # Features have names: the numbers of columns would depend on the file.
        vectors: list[Any] = [None] * length
        for row in self.present:
            vectors[row] = {}
        name_of = list(self.names)
        for row, feature, value in zip(self.rows, self.features, self.values, strict=True):
            vectors[row][name_of[feature]] = value
        column = np.empty(length, object)
        column[:] = vectors
        return column

    def _matrix(self, length: int, n_features: int | None) -> Any:
        from scipy.sparse import csr_matrix

        numbers = np.array([int(name) - 1 for name in self.names], np.int64)
        width = int(numbers.max(initial=-1)) + 1
        if n_features is not None and width > n_features:
            raise ParameterError(f"there is a feature {width}, and n_features is {n_features}")
        missing = np.setdiff1d(np.arange(length), self.present)
        if len(missing):
            width = max(1, width)  # for the NaN that says so
        nothing = np.full(len(missing), np.nan)
        rows = np.concatenate([np.array(self.rows, np.int64), missing])
        features = numbers[np.array(self.features, np.int64)]
        features = np.concatenate([features, np.zeros(len(missing), np.int64)])
        values = np.concatenate([np.array(self.values, np.float64), nothing])
        matrix = csr_matrix((values, (rows, features)), shape=(length, n_features or width))
        matrix.sort_indices()
        return matrix


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
