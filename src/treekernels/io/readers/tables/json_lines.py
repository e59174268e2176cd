"""Files with one JSON document per line: each is a tree, or an example with its tree in a field.

If the first document is an object with a text in brackets, as ``{"label": "x", "tree": "(A b)"}``,
its fields are the columns of a table. Otherwise each document is a tree, without the field of its
label if that is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np

from treekernels.common.limits import get_limits
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.readers.documents.json import parse_json
from treekernels.io.reading.code.detail import Names, check_detail
from treekernels.io.reading.code.program_columns import fields_of_programs, read_programs
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import ORIGINS, Origins
from treekernels.io.reading.tables.bracket_columns import BracketColumns, batches
from treekernels.io.reading.trees.documents import DocumentStyle, Keys, Values
from treekernels.io.reading.trees.tree_builder import Builder, add_nodes

_Documents = Iterator[tuple[int, dict[str, Any]]]

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
    rest = ((number, line) for number, line in lines_of(path, problems) if line.strip())
    first = next(rest, None)
    if first is None:
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
        trees = _fields_of_trees(first[1])
    if trees or fields_alone:
        documents = _objects(lines, path, problems)
        return _read_fields(documents, list(trees), str(path), problems, origins)
    if label is None or label in ORIGINS:
        return _read_documents(lines, style, str(path), problems, origins)
    documents = _objects(lines, path, problems)
    return _read_labelled(documents, style, str(label), str(path), problems, origins)


def _read_documents(
    lines: Iterator[tuple[int, str]],
    style: DocumentStyle,
    source: str,
    problems: Problems,
    origins: Origins | None,
) -> Forest:
    builder = Builder()
    for number, line in lines:
        try:
            document = parse_json(line, source, number)
        except ParseError as error:
            problems.report(error)
            continue
        add_nodes(builder, document, style.expand, limited=False)
        if origins is not None:
            origins.add(line=number)
    return builder.forest("documents")


def _read_labelled(
    documents: _Documents,
    style: DocumentStyle,
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
        add_nodes(builder, rest, style.expand)
        labels.append(document[label])
        if origins is not None:
            origins.add(line=number)
    return Table({label: labels, "tree": builder.forest("documents")})


def _read_fields(
    documents: _Documents,
    trees: list[str],
    source: str,
    problems: Problems,
    origins: Origins | None,
) -> Table:
    forests = BracketColumns(source, problems, origins)
    values: dict[str, list[Any]] = {}  # of all fields but trees, whose lists stay empty
    length = 0
    for batch in batches(documents):
        fitting = [row for row in batch if _has_texts(*row, trees, source, problems)]
        texts = {name: [document.get(name) for _, document in fitting] for name in trees}
        good = forests.add([number for number, _ in fitting], texts, lambda *_: (0, None))
        examples = [document for _, document in compress(fitting, good)]
        for name in dict.fromkeys(chain(values, *examples)):
            column = values.setdefault(name, [None] * (0 if name in trees else length))
            if name not in trees:
                column += [example.get(name) for example in examples]
        length += len(examples)
    names = [*values, *(name for name in trees if name not in values)]
    return Table(
        {
            name: forests.forest(name) if name in trees else _with_gaps(values[name])
            for name in names
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


def _with_gaps(values: list[Any]) -> Any:
    """Return numbers some of which are missing as floats."""
    kinds = {type(value) for value in values}
    if type(None) in kinds and kinds <= {int, float, type(None)} and len(kinds) > 1:
        return np.array([np.nan if value is None else float(value) for value in values])
    return values


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
