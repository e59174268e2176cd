"""The columns of examples while a file is read: one class for each kind of part."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.data.empty_tree import MISSING
from treekernels.data.forest import Forest, Roots
from treekernels.errors import ParameterError

__all__ = ["COLUMN_KINDS", "Column", "TreeColumn", "label_column"]

_MISSING_TREE = f"({MISSING})"
_ABSENT = np.uint32(0xFFFFFFFF)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


class Column:
    """What is common to all of them."""

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


class TreeColumn(Column):
    """A column of trees."""

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


class SparseColumn(Column):
    """A column of sparse vectors."""

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


class DenseColumn(Column):
    """A column of dense vectors."""

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


class TextColumn(Column):
    """A column of texts."""

    noun = "text"

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}

    def add(self, place: int, part: Any) -> None:
        self.texts[place] = part

    def to_column(self, length: int, n_features: int | None, dag: _native.Dag) -> Any:
        return np.array([self.texts.get(place) for place in range(length)], object)


class NumberColumn(Column):
    """A column of numbers."""

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


COLUMN_KINDS: dict[str, type[Column]] = {
    "tree": TreeColumn,
    "sparse": SparseColumn,
    "dense": DenseColumn,
    "text": TextColumn,
    "number": NumberColumn,
}


def label_column(labels: Sequence[tuple[str, ...]]) -> Any:
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
