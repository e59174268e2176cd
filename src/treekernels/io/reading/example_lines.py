"""Examples with labels, trees, vectors and texts under names, as in SVM-LIGHT-TK and KeLP files.

One that lacks a part which others have gets a tree or vector that is missing, or None: see
`treekernels.data.empty_tree` and `treekernels.data.vectors`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.empty_tree import EMPTY, MISSING
from treekernels.data.forest import Roots
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.bracket_batches import BATCH, parse_texts
from treekernels.io.reading.example_columns import COLUMN_KINDS, Column, TreeColumn, label_column
from treekernels.io.reading.origins import Origins

__all__ = ["EscapedText", "Example", "ExampleCollector", "ExamplePart", "Place", "sparse_entries"]

Place: TypeAlias = tuple[str, int]
"""A text, and how many characters stand before it on its line."""

ExamplePart: TypeAlias = tuple[str, Any]
"""A "tree" with its `Place`, "sparse" with entries, "dense" with numbers, a "number", a "text"."""

_ITEM = re.compile(r"\S+")
_EMPTY_TREE = f"({EMPTY})"
_MISSING_TREE = f"({MISSING})"
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
        self._columns: dict[str, Column] = {}

    def add(self, example: Example) -> None:
        """Add an example, or raise a `ParseError` if its parts do not fit those before."""
        for name, (kind, part) in example.parts.items():
            column = self._columns.get(name)
            if column is None:
                column = self._columns[name] = COLUMN_KINDS[kind]()
            reason = column.misfit(part)
            if not isinstance(column, COLUMN_KINDS[kind]):
                reason = f"{name!r} is a {COLUMN_KINDS[kind].noun} here, and a {column.noun} before"
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
        return Table({"label": label_column(self._labels), **columns})

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        before = len(self._labels)
        trees = [name for name, column in self._columns.items() if isinstance(column, TreeColumn)]
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
