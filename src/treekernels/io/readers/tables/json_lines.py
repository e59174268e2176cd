"""Files with one JSON document per line: each is a tree, or an example with its tree in a field.

If the first document is an object with a text in brackets, as ``{"label": "x", "tree": "(A b)"}``,
its fields are the columns of a table. Otherwise each document is a tree, without the field of its
label if that is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.readers.documents.json import parse_json
from treekernels.io.reading.code.detail import Names, check_detail
from treekernels.io.reading.code.program_columns import fields_of_programs, read_programs
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in, lines_of
from treekernels.io.reading.input.origins import ORIGINS, Origins
from treekernels.io.reading.tables.blocks import read_block
from treekernels.io.reading.tables.bracket_columns import BracketColumns
from treekernels.io.reading.tables.value_columns import ValueColumns
from treekernels.io.reading.trees.documents import DocumentStyle, Keys, Object, Values
from treekernels.io.reading.trees.tree_builder import Builder, add_nodes

_Documents = Iterator[tuple[int, dict[str, Any]]]

_NO_OBJECT = "this is not an object, and has no fields"
_MOST_LINES = 1000  # that are looked at for trees
_BRACKETS_AND_STRINGS = re.compile(r'[][{}]|"(?:[^"\\]|\\.)*"')


def read_json_lines(
    path: PathLike,
    *,
    values: Values = "all",
    keys: Keys = "all",
    label: str | int | None = None,
    trees: Sequence[str] | None = None,
    language: str | None = None,
    names: Names = "all",
    literals: bool = True,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read a table of examples, or a forest in which each document is a tree.

    Parameters
    ----------
    values, keys
        If the documents are trees, what of them becomes nodes, as in `from_json_string`.
    label : str, optional
        The field that holds the labels.
    trees : sequence of str, optional
        The fields that hold trees in brackets. If you do not say it, these are the fields that do
        so in the first document. With an empty list, all fields are columns, and none holds trees.
    language : str, optional
        The programming language of fields that hold programs: those named as `trees`, or else those
        that have texts of several lines in the first document. Mistakes in them are passed by.
    names, literals
        What of the programs becomes leaves, as in `from_code`.
    """
    style = DocumentStyle.checked(values, keys)
    detail = check_detail(names, literals)
    beginning = lines_of(path, Problems(skip=True) if language is None else problems)
    rest = ((number, line) for number, line in beginning if line.strip())
    first = next(rest, None)
    if first is None:
        for _ in lines_of(path, problems):  # which may be wrong
            pass
        return Forest()
    lines = chain([first], rest)
    if language is not None:
        programs = fields_of_programs(first[1]) if trees is None else list(trees)
        if not programs:
            raise ParseError("no field holds a program", source=str(path), line=first[0])
        return read_programs(
            _objects(lines, path, problems),
            programs,
            language,
            str(path),
            problems,
            origins,
            names=detail.names,
            literals=detail.literals,
        )
    fields_alone = trees is not None and not len(trees)
    if trees is None:
        trees = _fields_of_trees(line for _, line in lines)
    if trees or fields_alone:
        return _read_fields(path, list(trees), problems, origins)
    field = None if label is None or label in ORIGINS else str(label)
    return _read_documents(path, style, field, problems, origins)


def _read_documents(
    path: PathLike,
    style: DocumentStyle,
    label: str | None,
    problems: Problems,
    origins: Origins | None,
) -> Forest | Table:
    """Read a tree from each line; with a field for the label, all but this field is in the tree."""
    dag = _native.Dag()
    roots: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)]
    labels: list[Any] = []

    def add(made: NDArray[np.uint32], lines: NDArray[Any], of_trees: list[Any]) -> None:
        roots.append(made)
        labels.extend(of_trees)
        if origins is not None:
            origins.extend("line", lines.tolist())

    def read_good(begin: int, number: int) -> tuple[int, int]:
        made, numbers, texts, (lines, end, count) = _native.read_json_lines(
            dag, block, begin, *style.numbers, label, get_limits().label_bytes
        )
        places = lines.astype(np.int64) + number
        values, good = _decoded(texts, numbers, places, str(path), problems)
        add(made[good] if label is not None else made, places[good] if label else places, values)
        return end, count

    def read_lines(number: int, raw: bytes) -> None:
        for at, line in lines_in(raw, number, path, problems):
            if not line.strip():
                continue
            try:
                document = _without(parse_json(line, str(path), at), label, str(path), at)
                value = None if label is None else json.loads(line)[label]
            except ParseError as error:
                problems.report(error)
                continue
            except (ValueError, RecursionError) as error:
                problems.report(ParseError(_reason(error), source=str(path), line=at))
                continue
            builder = Builder()
            add_nodes(builder, document, style.expand, limited=False)
            forest = builder.forest()
            imported = dag.import_nodes(forest.dag, forest.roots)
            add(imported, np.array([at]), [] if label is None else [value])

    for first, block in blocks_of(path):
        read_block(first, block, read_good, read_lines)
    forest = Forest.from_roots(dag, np.concatenate(roots), source="documents")
    return forest if label is None else Table({label: labels, "tree": forest})


def _without(document: Any, label: str | None, source: str, line: int) -> Any:
    """Return a document without the field of its label."""
    if label is None:
        return document
    if not isinstance(document, Object):
        raise ParseError(_NO_OBJECT, source=source, line=line)
    rest = Object(item for item in document if item[0] != label)
    if len(rest) == len(document):
        raise ParseError(f"there is no field {label!r} for the label", source=source, line=line)
    return rest


def _decoded(
    texts: list[str],
    numbers: NDArray[np.uint32],
    lines: NDArray[np.int64],
    source: str,
    problems: Problems,
) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return values by the numbers of their texts, and which can be read; others are reported."""
    known: list[Any] = []
    bad: dict[int, str] = {}
    for place, text in enumerate(texts):
        try:
            _check_levels(text)
            known.append(json.loads(text))
        except (ValueError, RecursionError) as error:
            known.append(None)
            bad[place] = _reason(error)
    good = ~np.isin(numbers, list(bad)) if bad else np.ones(len(numbers), bool)
    for place in np.flatnonzero(~good).tolist():
        reason = bad[int(numbers[place])]
        problems.report(ParseError(reason, source=source, line=int(lines[place])))
    # Each row gets an object or array of its own.
    return [
        json.loads(texts[at]) if isinstance(known[at], dict | list) else known[at]
        for at in numbers[good].tolist()
    ], good


def _read_fields(
    path: PathLike, trees: list[str], problems: Problems, origins: Origins | None
) -> Table:
    source = str(path)
    forests = BracketColumns(source, problems, origins)
    columns = ValueColumns()

    def read_good(begin: int, number: int) -> tuple[int, int]:
        fields, (lines, end, count) = _native.read_json_fields(
            forests.dag, block, begin, trees, get_limits().label_bytes
        )
        places = lines.astype(np.int64) + number
        good = np.ones(len(lines), bool)
        decoded: dict[str, tuple[NDArray[np.int64], list[Any]]] = {}
        for name, holds_trees, rows, numbers, texts in fields:
            if not holds_trees and len(rows):
                values, readable = _decoded(texts, numbers, places[rows], source, problems)
                good[rows[~readable]] = False
                decoded[name] = rows[readable].astype(np.int64), values
        row_of = np.cumsum(good) - 1 + len(forests)
        roots = {name: forests.missing(len(lines)) for name in trees}
        for name, holds_trees, rows, numbers, _ in fields:
            if holds_trees:
                roots[name][rows] = numbers
                columns.begin(name)
            elif name in decoded:
                places_in_block, values = decoded[name]
                kept = good[places_in_block]
                columns.add(name, row_of[places_in_block[kept]], list(compress(values, kept)))
        good_roots = {name: column[good] for name, column in roots.items()}
        forests.add_roots(good_roots, places[good])
        return end, count

    def read_lines(number: int, raw: bytes) -> None:
        documents = _objects(lines_in(raw, number, path, problems), path, problems)
        fitting = [row for row in documents if _has_texts(*row, trees, source, problems)]
        texts = {name: [document.get(name) for _, document in fitting] for name in trees}
        before = len(forests)
        good = forests.add([at for at, _ in fitting], texts, lambda *_: (0, None))
        for row, (_, document) in enumerate(compress(fitting, good), start=before):
            for name, value in document.items():
                if name in trees:
                    columns.begin(name)
                else:
                    columns.add(name, np.array([row]), [value])

    for first, block in blocks_of(path):
        read_block(first, block, read_good, read_lines)
    for name in trees:
        columns.begin(name)
    return Table(
        {
            name: forests.forest(name) if name in trees else columns.column(name, len(forests))
            for name in columns.names
        }
    )


def _has_texts(
    number: int, document: dict[str, Any], trees: list[str], source: str, problems: Problems
) -> bool:
    """Return whether the trees of a document are texts, if it has them; report one that is not."""
    for name in trees:
        if not isinstance(document.get(name), (str, type(None))):
            reason = f"the field {name!r} is not a tree in brackets"
            problems.report(ParseError(reason, source=source, line=number))
            return False
    return True


def _fields_of_trees(lines: Iterable[str]) -> list[str]:
    """Return the fields of the first document that hold trees; what is null there tells later."""
    trees: list[str] = []
    open_: set[str] | None = None
    for line in islice(lines, _MOST_LINES):
        try:
            _check_levels(line)
            # A bracket that is written so is no tree: the writer says that this is a text.
            document = json.loads(line.replace("\\u0028", "\\ue000"))
        except (ValueError, RecursionError):
            document = None
        fields = document.items() if isinstance(document, dict) else ()
        if open_ is None:
            open_ = {name for name, _ in fields}
        trees += [name for name, value in fields if name in open_ and _looks_like_tree(value)]
        open_ &= {name for name, value in fields if value is None}
        if not open_:
            break
    return trees


def _looks_like_tree(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return value.lstrip().startswith("(") and value.rstrip().endswith(")")


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
        if not line.strip():
            continue
        reason, column = _NO_OBJECT, None
        try:
            _check_levels(line)
            document = json.loads(line)
            if isinstance(document, dict):
                yield number, document
                continue
        except json.JSONDecodeError as error:
            reason, column = f"this is not JSON: {error.msg}", error.colno
        except (ValueError, RecursionError) as error:
            reason = _reason(error)
        problems.report(ParseError(reason, source=str(path), line=number, column=column))


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "this is nested too deeply to be taken apart into fields"
    return f"this cannot be read: {error}"  # a number of too many digits
