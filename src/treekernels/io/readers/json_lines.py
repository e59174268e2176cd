"""Files with one JSON document per line: each is a tree, or an example with its tree in a field.

Where the first document is an object with a text in brackets, as ``{"label": "x", "tree":
"(A b)"}``, fields are the columns of a table. Else each document is a tree, without the field that
holds its label if that is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, compress, islice
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.data.empty_tree import MISSING
from treekernels.data.forest import Forest, Roots
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.readers.json import add_document, add_value
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.bracket_batches import BATCH, parse_texts
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.origins import ORIGINS, Origins
from treekernels.io.reading.tree_builder import Builder

__all__ = ["read_json_lines"]

_Documents = Iterator[tuple[int, dict[str, Any]]]

_BRACKETS_AND_STRINGS = re.compile(r'[][{}]|"(?:[^"\\]|\\.)*"')


def read_json_lines(
    path: PathLike,
    *,
    values: bool = True,
    label: str | int | None = None,
    trees: Sequence[str] | None = None,
    problems: Problems | None = None,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read a table of examples, or a forest in which each document is a tree.

    Parameters
    ----------
    values : bool
        If the documents are trees, whether their texts, numbers, true, false and null are leaves.
    label : str, optional
        The field that holds the labels.
    trees : sequence of str, optional
        The fields that hold trees in brackets. If you do not say it, these are the fields that do
        so in the first document.
    """
    problems = problems or Problems()
    rest = ((number, line) for number, line in lines_of(path, problems) if line.strip())
    first = next(rest, None)
    if first is None:
        return Forest()
    lines = chain([first], rest)
    if trees is None:
        trees = _fields_of_trees(first[1])
    if trees:
        return _Fields(str(path), list(trees), problems).read(
            _objects(lines, path, problems), origins
        )
    if label is None or label in ORIGINS:
        return _read_documents(lines, values, str(path), problems, origins)
    documents = _objects(lines, path, problems)
    return _read_labelled(documents, values, str(label), str(path), problems, origins)


def _read_documents(
    lines: Iterator[tuple[int, str]],
    values: bool,
    source: str,
    problems: Problems,
    origins: Origins | None,
) -> Forest:
    builder = Builder()
    for number, line in lines:
        try:
            add_document(builder, line, values, source, number)
        except ParseError as error:
            builder.abandon()
            problems.report(error)
            continue
        if origins is not None:
            origins.add(line=number)
    return builder.forest()


def _read_labelled(
    documents: _Documents,
    values: bool,
    label: str,
    source: str,
    problems: Problems,
    origins: Origins | None,
) -> Table:
    builder = Builder()
    labels = []
    for number, document in documents:
        if label not in document:
            reason = f"there is no field {label!r} for the label"
            problems.report(ParseError(reason, source=source, line=number))
            continue
        rest = {name: value for name, value in document.items() if name != label}
        add_value(builder, rest, values)
        labels.append(document[label])
        if origins is not None:
            origins.add(line=number)
    return Table({label: labels, "tree": builder.forest()})


class _Fields:
    """The fields of examples as columns."""

    def __init__(self, source: str, trees: list[str], problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.dag = _native.Dag()
        self.roots: dict[str, list[Roots]] = {name: [np.empty(0, np.uint32)] for name in trees}
        self.values: dict[str, list[Any]] = {}
        self.order: list[str] = []
        self.length = 0

    def read(self, documents: _Documents, origins: Origins | None) -> Table:
        while batch := list(islice(documents, BATCH)):
            good = self._parse_trees(batch)
            for number, document in compress(batch, good):
                self._add(document)
                if origins is not None:
                    origins.add(line=number)
        columns: dict[str, Any] = {name: _with_gaps(v) for name, v in self.values.items()}
        for name, parts in self.roots.items():
            columns[name] = Forest.from_roots(self.dag, np.concatenate(parts))
        names = [name for name in self.order if name in columns]
        return Table({name: columns[name] for name in [*names, *(set(columns) - set(names))]})

    def _parse_trees(self, batch: list[tuple[int, dict[str, Any]]]) -> Any:
        good = np.ones(len(batch), bool)
        roots_by_name = {}
        for name in self.roots:
            texts: list[str] = []
            for index, (number, document) in enumerate(batch):
                text = document.get(name)
                if text is not None and not isinstance(text, str):
                    reason = f"the field {name!r} is not a tree in brackets"
                    self.problems.report(ParseError(reason, source=self.source, line=number))
                    good[index] = False
                texts.append(text if isinstance(text, str) else f"({MISSING})")
            locate = partial(_locate, [number for number, _ in batch])
            roots_by_name[name], is_good = parse_texts(
                self.dag, texts, locate, self.source, self.problems
            )
            good &= is_good
        for name, roots in roots_by_name.items():
            self.roots[name].append(roots[good])
        return good

    def _add(self, document: dict[str, Any]) -> None:
        for name, value in document.items():
            if name not in self.roots:
                column = self.values.setdefault(name, [])
                column.extend([None] * (self.length - len(column)))
                column.append(value)
            if name not in self.order:
                self.order.append(name)
        self.length += 1
        for column in self.values.values():
            column.extend([None] * (self.length - len(column)))


def _with_gaps(values: list[Any]) -> Any:
    """Return numbers some of which are missing as floats."""
    kinds = {type(value) for value in values}
    if type(None) in kinds and kinds <= {int, float, type(None)} and len(kinds) > 1:
        return np.array([np.nan if value is None else float(value) for value in values])
    return values


def _locate(numbers: list[int], index: int, before: int) -> tuple[int, int | None]:
    return numbers[index], None


def _fields_of_trees(line: str) -> list[str]:
    try:
        _check_levels(line)
        document = json.loads(line)
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    return [
        name
        for name, value in document.items()
        if isinstance(value, str)
        and value.lstrip().startswith("(")
        and value.rstrip().endswith(")")
    ]


def _check_levels(line: str) -> None:
    """Raise a RecursionError for a document that is too deep to be left to `json`."""
    most = get_limits().library_depth
    if line.count("[") + line.count("{") <= most:
        return
    depth = 0
    for part in _BRACKETS_AND_STRINGS.findall(line):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(part, 0)
        if depth > most:
            raise RecursionError


def _objects(lines: Iterator[tuple[int, str]], path: PathLike, problems: Problems) -> _Documents:
    for number, line in lines:
        reason, column = "this is not an object, and has no fields", None
        try:
            _check_levels(line)
            document = json.loads(line)
            if isinstance(document, dict):
                yield number, document
                continue
        except json.JSONDecodeError as error:
            reason, column = f"this is not JSON: {error.msg}", error.colno
        except RecursionError:
            reason = "this is nested too deeply to be taken apart into fields"
        problems.report(ParseError(reason, source=str(path), line=number, column=column))
