"""Examples with labels, trees, vectors and texts under names, as in SVM-LIGHT-TK and KeLP files.

One that lacks a part which others have gets an empty tree, a vector of zeros or an empty text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.empty import EMPTY
from treekernels.errors import ParseError
from treekernels.forest import Forest, Roots
from treekernels.readers.problems import Problems
from treekernels.readers.texts import BATCH, parse_texts
from treekernels.table import Table

__all__ = ["Example", "Examples", "Place", "sparse_entries"]

Place: TypeAlias = tuple[str, int]
"""A text, and how many characters stand before it on its line."""

_ITEM = re.compile(r"\S+")
_EMPTY_TREE = f"({EMPTY})"
_INTEGER = re.compile(r"[+-]?\d{1,18}")


@dataclass
class Example:
    """One line of a file."""

    line: int
    labels: tuple[str, ...]
    trees: dict[str, Place] = field(default_factory=dict)
    sparse: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    dense: dict[str, list[float]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def sparse_entries(place: Place, line: int, source: str) -> list[tuple[str, float]]:
    """Read ``name:value name:value ...``; a colon may be part of a name."""
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


class Examples:
    """Collects examples, and gives a table with a column for each name."""

    def __init__(self, source: str, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._dag = _native.Dag()
        self._waiting: list[Example] = []
        self._labels: list[tuple[str, ...]] = []
        self._columns: dict[str, _Column] = {}

    def add(self, example: Example) -> None:
        """Add one."""
        self._waiting.append(example)
        if len(self._waiting) == BATCH:
            self._flush()

    def table(self, n_features: int | None = None) -> Table:
        """Give all: the column "label" first, then the others in order of first use."""
        self._flush()
        columns = {
            name: column.finished(len(self._labels), n_features)
            for name, column in self._columns.items()
        }
        return Table({"label": _labels(self._labels), **columns})

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        names = dict.fromkeys(name for example in waiting for name in example.trees)
        good = np.ones(len(waiting), bool)
        parsed: dict[str, Roots] = {}
        for name in names:
            places = [example.trees.get(name, (_EMPTY_TREE, 0)) for example in waiting]

            def locate(index: int, before: int, places: list[Place] = places) -> tuple[int, int]:
                return waiting[index].line, places[index][1] + before + 1

            texts = [text if text.strip() else _EMPTY_TREE for text, _ in places]
            roots, fine = parse_texts(self._dag, texts, locate, self._source, self._problems)
            parsed[name] = roots
            good &= fine
        kept = [example for example, fine in zip(waiting, good, strict=True) if fine]
        before = len(self._labels)
        self._labels.extend(example.labels for example in kept)
        for name, roots in parsed.items():
            self._column(name, _Trees, kept).add_roots(self._dag, before, roots[good])
        for place, example in enumerate(kept, start=before):
            for name, entries in example.sparse.items():
                self._column(name, _Sparse, kept).add(place, entries)
            for name, values in example.dense.items():
                self._column(name, _Dense, kept).add(place, values, example.line, self._source)
            for name, text in example.texts.items():
                self._column(name, _Texts, kept).add(place, text)

    def _column(self, name: str, kind: Any, kept: list[Example]) -> Any:
        column = self._columns.setdefault(name, kind())
        if not isinstance(column, kind):
            raise ParseError(
                f"{name!r} holds a {column.what} in one example and a {kind.what} in another",
                source=self._source,
                line=kept[0].line,
            )
        return column


class _Column:
    what: str

    def finished(self, length: int, n_features: int | None) -> Any:
        """Give the whole column."""
        raise NotImplementedError


class _Trees(_Column):
    what = "tree"

    def __init__(self) -> None:
        self.parts: list[Roots] = []
        self.length = 0
        self.dag = _native.Dag()

    def _fill(self, length: int) -> None:
        if length > self.length:
            empty = self.dag.parse([_EMPTY_TREE])[0][0]
            self.parts.append(np.full(length - self.length, empty, np.uint32))
            self.length = length

    def add_roots(self, dag: _native.Dag, place: int, roots: Roots) -> None:
        self.dag = dag
        self._fill(place)
        self.parts.append(roots)
        self.length += len(roots)

    def finished(self, length: int, n_features: int | None) -> Forest:
        self._fill(length)
        return Forest._of(self.dag, np.concatenate([np.empty(0, np.uint32), *self.parts]))


class _Sparse(_Column):
    what = "sparse vector"

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.rows = array("q")
        self.features = array("q")
        self.values = array("d")

    def add(self, place: int, entries: list[tuple[str, float]]) -> None:
        names = self.names
        self.rows.extend([place] * len(entries))
        self.features.extend([names.setdefault(name, len(names)) for name, _ in entries])
        self.values.extend([value for _, value in entries])

    def finished(self, length: int, n_features: int | None) -> Any:
        if all(name.isascii() and name.isdigit() and int(name) > 0 for name in self.names):
            return self._matrix(length, n_features)
        # Features with names: the numbers of columns would depend on the file.
        vectors: list[dict[str, float]] = [{} for _ in range(length)]
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
            raise ValueError(f"there is a feature {width}, and n_features is {n_features}")
        rows = np.frombuffer(self.rows, np.int64)
        features = numbers[np.frombuffer(self.features, np.int64)]
        values = np.array(self.values, np.float64)
        matrix = csr_matrix((values, (rows, features)), shape=(length, n_features or width))
        matrix.sort_indices()
        return matrix


class _Dense(_Column):
    what = "dense vector"

    def __init__(self) -> None:
        self.rows: dict[int, list[float]] = {}
        self.width = -1

    def add(self, place: int, values: list[float], line: int, source: str) -> None:
        if self.width not in (-1, len(values)):
            reason = f"a dense vector has {len(values)} numbers, and the first has {self.width}"
            raise ParseError(reason, source=source, line=line)
        self.width = len(values)
        self.rows[place] = values

    def finished(self, length: int, n_features: int | None) -> Any:
        matrix = np.zeros((length, self.width))
        for place, values in self.rows.items():
            matrix[place] = values
        return matrix


class _Texts(_Column):
    what = "text"

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}

    def add(self, place: int, text: str) -> None:
        self.texts[place] = text

    def finished(self, length: int, n_features: int | None) -> Any:
        return np.array([self.texts.get(place, "") for place in range(length)], object)


def _labels(labels: Sequence[tuple[str, ...]]) -> Any:
    """Give numbers if all are, else texts; tuples of texts where an example has not just one."""
    if any(len(each) != 1 for each in labels):
        column = np.empty(len(labels), object)
        column[:] = labels
        return column
    texts = [text for (text,) in labels]
    if texts and all(_INTEGER.fullmatch(text) for text in texts):
        return np.array([int(text) for text in texts], np.int64)
    try:
        numbers = np.array([float(text) for text in texts], np.float64)
    except ValueError:
        return np.array(texts, object)
    return numbers if np.isfinite(numbers).all() and texts else np.array(texts, object)
