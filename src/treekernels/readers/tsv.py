"""Files with columns separated by tabs, one example per line, no header.

Empty lines are passed over. Columns whose first entry starts with a bracket hold trees.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from treekernels import _native
from treekernels.errors import ParseError
from treekernels.forest import Forest, Roots, parse_into
from treekernels.readers.text import lines_of
from treekernels.table import Table

__all__ = ["read_tsv"]

_BATCH = 65536


def read_tsv(
    path: str | os.PathLike[str],
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
) -> Forest | Table:
    """Read the only column of trees as a forest or, with names, all columns as a table.

    `trees` names the columns of trees where they cannot be told from the first line.
    """
    _check_names(columns, trees)
    source = str(path)
    dag = _native.Dag()
    parsed: dict[int, list[Roots]] = {}
    others: dict[int, list[str]] = {}
    width = 0
    lines = ((number, line) for number, line in lines_of(path) if line.strip(" "))
    while batch := list(islice(lines, _BATCH)):
        rows = [line.split("\t") for _, line in batch]
        numbers = [number for number, _ in batch]
        if not width:
            width = len(rows[0])
            if columns is not None and len(columns) != width:
                reason = f"this line has {_columns(width)}, but {len(columns)} were named"
                raise ParseError(reason, source=source, line=numbers[0])
            for place, entry in enumerate(rows[0]):
                if trees is not None and columns is not None:
                    is_tree = columns[place] in trees
                else:
                    is_tree = entry.lstrip().startswith("(")
                if is_tree:
                    parsed[place] = []
                else:
                    others[place] = []
        for number, row in zip(numbers, rows, strict=True):
            if len(row) != width:
                reason = f"this line has {_columns(len(row))}, and the first has {width}"
                raise ParseError(reason, source=source, line=number)
        for place, texts in others.items():
            texts.extend(row[place] for row in rows)
        for place, parts in parsed.items():
            texts = [row[place] for row in rows]
            locate = partial(_locate, numbers, rows, place)
            parts.append(parse_into(dag, texts, source=source, locate=locate))
    forests = {place: Forest._of(dag, np.concatenate(parts)) for place, parts in parsed.items()}
    if columns is not None:
        if not width:
            return Table({name: np.empty(0, object) for name in columns})
        everything = {**forests, **{p: np.array(t, dtype=object) for p, t in others.items()}}
        return Table({name: everything[place] for place, name in enumerate(columns)})
    if not width:
        return Forest()
    if len(forests) != 1:
        raise ValueError(
            f"{source} has {len(forests)} columns of trees among {width}: name all columns with "
            "columns=[...] to get a table"
        )
    return next(iter(forests.values()))


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _check_names(columns: Sequence[str] | None, trees: Sequence[str] | None) -> None:
    for names in (columns, trees):
        if isinstance(names, str):
            raise TypeError(f"names of columns come in a list: write [{names!r}]")
    if columns is not None and len(set(columns)) != len(columns):
        raise ValueError(f"the names of columns must differ, and these do not: {list(columns)}")
    if trees is not None:
        missing = [name for name in trees if columns is None or name not in columns]
        if missing:
            raise ValueError(f"the column of trees {missing[0]!r} is not among columns=...")


def _locate(numbers: list[int], rows: list[list[str]], place: int, index: int) -> tuple[int, int]:
    return numbers[index], sum(map(len, rows[index][:place])) + place
