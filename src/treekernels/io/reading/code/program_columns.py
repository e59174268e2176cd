"""Fields of documents that hold the source code of programs, as columns of trees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.reading.code.detail import Names
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.origins import Origins

__all__ = ["fields_of_programs", "read_programs"]


def fields_of_programs(line: str) -> list[str]:
    """Return the fields of a document that have texts of several lines."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return []
    fields = document.items() if isinstance(document, dict) else ()
    return [name for name, value in fields if isinstance(value, str) and "\n" in value.strip()]


def read_programs(
    documents: Iterable[tuple[int, dict[str, Any]]],
    fields: Sequence[str],
    language: str,
    source: str,
    problems: Problems,
    origins: Origins | None,
    *,
    names: Names,
    literals: bool,
) -> Table:
    """Return a table in which the programs are trees, and all other fields are columns."""
    trees: dict[str, list[Tree]] = {name: [] for name in fields}
    values: dict[str, list[Any]] = {}
    count = 0
    for number, document in documents:
        try:
            made = [_tree(document.get(name), name, language, names, literals) for name in fields]
        except ParseError as error:
            problems.report(ParseError(error.reason, source=source, line=number))
            continue
        for name, tree in zip(fields, made, strict=True):
            trees[name].append(tree)
        for name in document.keys() - trees.keys() - values.keys():
            values[name] = [None] * count
        for name, column in values.items():
            column.append(document.get(name))
        count += 1
        if origins is not None:
            origins.add(line=number)
    forests = {name: Forest(column, source="code") for name, column in trees.items()}
    return Table({**{name: values[name] for name in sorted(values)}, **forests})


def _tree(text: Any, name: str, language: str, names: Names, literals: bool) -> Tree:
    if not isinstance(text, str):
        raise ParseError(f"the field {name!r} is not the text of a program", line=1)
    # Of old programs some have mistakes, and some a NUL at their end.
    text = text.replace("\0", " ")
    if language == "python":
        from treekernels.io.readers.code.python import from_python_source

        return from_python_source(text, names=names, literals=literals)
    from treekernels.io.readers.code.treesitter import from_code

    return from_code(text, language, errors=True, names=names, literals=literals)
