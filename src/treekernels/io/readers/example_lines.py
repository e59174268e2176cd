"""Examples with labels, trees, vectors and texts under names, as in SVM-LIGHT-TK and KeLP files.

One that lacks a part which others have gets a tree or vector that is missing, or None: see
`treekernels.data.empty_tree` and `treekernels.data.vectors`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.empty_tree import EMPTY, MISSING
from treekernels.data.forest import Forest, Roots
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.bracket_batches import BATCH, parse_texts
from treekernels.io.readers.origins import Origins

__all__ = ["EscapedText", "Example", "ExampleCollector", "ExamplePart", "Place", "sparse_entries"]

Place: TypeAlias = tuple[str, int]
"""A text, and how many characters stand before it on its line."""

ExamplePart: TypeAlias = tuple[str, Any]
"""A "tree" with its `Place`, "sparse" with entries, "dense" with numbers, a "number", a "text"."""

_ITEM = re.compile(r"\S+")
_EMPTY_TREE = f"({EMPTY})"
_MISSING_TREE = f"({MISSING})"
_ABSENT = np.uint32(0xFFFFFFFF)
_SPACE = r"\x20"


class EscapedText(str):
    """A tree in whose leaves spaces have been escaped; `escape` is how a space is written."""

    __slots__ = ()
    escape = _SPACE

    def original_length(self, length: int) -> int:
        """Return how long the first characters were before."""
        return max(0, length - (len(_SPACE) - 1) * self.count(_SPACE, 0, length))


_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


@dataclass
class Example:
    """One line of a file."""

    line: int
    labels: tuple[str, ...]
    parts: dict[str, ExamplePart] = field(default_factory=dict)


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


class ExampleCollector:
    """Collects examples, and makes a table of them with a column for each name."""

    def __init__(self, source: str, problems: Problems, origins: Origins | None = None) -> None:
        self._source = source
        self._problems = problems
        self._origins = origins
        self._dag = _native.Dag()
        self._pending: list[Example] = []
        self._labels: list[tuple[str, ...]] = []
        self._columns: dict[str, _Column] = {}

    def add(self, example: Example) -> None:
        """Add an example, or raise a `ParseError` if its parts do not fit those before."""
        for name, (kind, part) in example.parts.items():
            column = self._columns.get(name)
            if column is None:
                column = self._columns[name] = _COLUMN_KINDS[kind]()
            reason = column.misfit(part)
            if not isinstance(column, _COLUMN_KINDS[kind]):
                reason = (
                    f"{name!r} is a {_COLUMN_KINDS[kind].noun} here, and a {column.noun} before"
                )
            if reason is not None:
                raise ParseError(reason, source=self._source, line=example.line)
        self._pending.append(example)
        if len(self._pending) == BATCH:
            self._flush()

    def table(self, n_features: int | None = None) -> Table:
        """Return all examples: the column "label" first, then the others in order of first use."""
        self._flush()
        columns = {
            name: column.to_column(len(self._labels), n_features, self._dag)
            for name, column in self._columns.items()
        }
        return Table({"label": _label_column(self._labels), **columns})

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        before = len(self._labels)
        trees = [name for name, column in self._columns.items() if isinstance(column, _TreeColumn)]
        roots_by_name, good = self._parse_trees(pending, trees)
        examples = [example for example, is_good in zip(pending, good, strict=True) if is_good]
        self._labels.extend(example.labels for example in examples)
        if self._origins is not None:
            self._origins.extend("line", (example.line for example in examples))
        for name, roots in roots_by_name.items():
            self._columns[name].add(before, roots[good])
        for place, example in enumerate(examples, start=before):
            for name, (kind, part) in example.parts.items():
                if kind != "tree":
                    self._columns[name].add(place, part)

    def _parse_trees(
        self, pending: list[Example], names: list[str]
    ) -> tuple[dict[str, Roots], NDArray[np.bool_]]:
        """Return the roots in each column of trees, and which examples are good in all of them."""
        good = np.ones(len(pending), bool)
        roots_by_name: dict[str, Roots] = {}
        for name in names:
            missing = ("tree", (_MISSING_TREE, 0))
            places: list[Place] = [example.parts.get(name, missing)[1] for example in pending]

            def locate(
                index: int, before: int, places: list[Place] = places
            ) -> tuple[int, int | None]:
                text, start = places[index]
                if isinstance(text, EscapedText):
                    before = text.original_length(before)
                return pending[index].line, start + before + 1

            texts = [text if text.strip() else _EMPTY_TREE for text, _ in places]
            roots_by_name[name], is_good = parse_texts(
                self._dag, texts, locate, self._source, self._problems
            )
            good &= is_good
        return roots_by_name, good


class _Column:
    noun: str

    def misfit(self, part: Any) -> str | None:
        """Return why a part does not fit those before, or None if it does."""
        return None

    def add(self, place: int, part: Any) -> None:
        """Add the part of the example at a place, or of all from there on."""
        raise NotImplementedError

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        """Return the column of a table with so many rows."""
        raise NotImplementedError


class _TreeColumn(_Column):
    noun = "tree"

    def __init__(self) -> None:
        self.parts: list[Roots] = []
        self.length = 0

    def add(self, place: int, part: Any) -> None:
        self.parts += [np.full(place - self.length, _ABSENT, np.uint32), part]
        self.length = place + len(part)

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Forest:
        roots = np.concatenate([np.empty(0, np.uint32), *self.parts])
        roots = np.concatenate([roots, np.full(length - len(roots), _ABSENT, np.uint32)])
        absent = roots == _ABSENT
        if absent.any():
            roots[absent] = dag.parse([_MISSING_TREE])[0][0]
        return Forest.from_roots(dag, roots)


class _SparseColumn(_Column):
    noun = "sparse vector"

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.present: list[int] = []
        self.rows = array("q")
        self.features = array("q")
        self.values = array("d")

    def add(self, place: int, part: Any) -> None:
        names = self.names
        self.present.append(place)
        self.rows.extend([place] * len(part))
        self.features.extend([names.setdefault(name, len(names)) for name, _ in part])
        self.values.extend([value for _, value in part])

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        if all(name.isascii() and name.isdigit() and int(name) > 0 for name in self.names):
            return self._matrix(length, n_features)
        # Features with names: the numbers of columns would depend on the file.
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
            width = max(1, width)  # for what says so
        nothing = np.full(len(missing), np.nan)
        rows = np.concatenate([np.array(self.rows, np.int64), missing])
        features = numbers[np.array(self.features, np.int64)]
        features = np.concatenate([features, np.zeros(len(missing), np.int64)])
        values = np.concatenate([np.array(self.values, np.float64), nothing])
        matrix = csr_matrix((values, (rows, features)), shape=(length, n_features or width))
        matrix.sort_indices()
        return matrix


class _DenseColumn(_Column):
    noun = "dense vector"

    def __init__(self) -> None:
        self.rows: dict[int, list[float]] = {}
        self.width = -1

    def add(self, place: int, part: Any) -> None:
        self.rows[place] = part

    def misfit(self, part: Any) -> str | None:
        if self.width == -1:
            self.width = len(part)
        if self.width == len(part):
            return None
        return f"a dense vector has {len(part)} numbers, and the first has {self.width}"

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        matrix = np.full((length, self.width), np.nan)
        for place, values in self.rows.items():
            matrix[place] = values
        return matrix


class _TextColumn(_Column):
    noun = "text"

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}

    def add(self, place: int, part: Any) -> None:
        self.texts[place] = part

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        return np.array([self.texts.get(place) for place in range(length)], object)


class _NumberColumn(_Column):
    noun = "number"

    def __init__(self) -> None:
        self.numbers: dict[int, float] = {}

    def add(self, place: int, part: Any) -> None:
        self.numbers[place] = part

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        whole = len(self.numbers) == length
        if whole and all(isinstance(number, int) for number in self.numbers.values()):
            return np.array([self.numbers[place] for place in range(length)], np.int64)
        return np.array([self.numbers.get(place, np.nan) for place in range(length)], np.float64)


_COLUMN_KINDS: dict[str, type[_Column]] = {
    "tree": _TreeColumn,
    "sparse": _SparseColumn,
    "dense": _DenseColumn,
    "text": _TextColumn,
    "number": _NumberColumn,
}


def _label_column(labels: Sequence[tuple[str, ...]]) -> Any:
    """Return numbers if all are, else texts; tuples of texts where an example has not just one."""
    if any(len(names) != 1 for names in labels):
        column = np.empty(len(labels), object)
        column[:] = labels
        return column
    texts = [text for (text,) in labels]
    if texts and all(_INTEGER.fullmatch(text) for text in texts):
        numbers = [int(text) for text in texts] if max(map(len, texts)) < 20 else []
        fits = numbers and all(-(2**63) <= number < 2**63 for number in numbers)
        return np.array(numbers, np.int64) if fits else np.array(texts, object)
    try:
        floats = np.array([float(text) for text in texts], np.float64)
    except ValueError:
        return np.array(texts, object)
    return floats if texts and np.isfinite(floats).all() else np.array(texts, object)
