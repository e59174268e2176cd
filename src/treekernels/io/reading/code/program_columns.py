"""Fields of documents that hold the source code of programs, as columns of trees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.data.forest import Forest
from treekernels.data.table import Table
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
    add, dag = _program_trees(language, names, literals)
    roots: dict[str, list[int]] = {name: [] for name in fields}
    values: dict[str, list[Any]] = {}
    count = 0
    for number, document in documents:
        try:
            made = [add(_text(document, name)) for name in fields]
        except ParseError as error:
            problems.report(ParseError(error.reason, source=source, line=number))
            continue
        for name, root in zip(fields, made, strict=True):
            roots[name].append(root)
        for name in document.keys() - roots.keys() - values.keys():
            values[name] = [None] * count
        for name, column in values.items():
            column.append(document.get(name))
        count += 1
        if origins is not None:
            origins.add(line=number)
    forests = {
        name: Forest.from_roots(dag, np.array(column, np.uint32), source="code")
        for name, column in roots.items()
    }
    return Table({**{name: values[name] for name in sorted(values)}, **forests})


def _text(document: dict[str, Any], name: str) -> str:
    """Return the text of a program; of old programs some have a NUL at their end."""
    text = document.get(name)
    if not isinstance(text, str):
        raise ParseError(f"the field {name!r} is not the text of a program", line=1)
    return text.replace("\0", " ")


def _program_trees(
    language: str, names: Names, literals: bool
) -> tuple[Callable[[str], int], _native.Dag]:
    """Return what makes a tree of a program, and the DAG of all these trees."""
    if language == "python":
        from treekernels.io.readers.code.python import python_trees

        return python_trees(names, literals)
    from treekernels.io.readers.code.treesitter import code_trees

    return code_trees(language, names, literals)
