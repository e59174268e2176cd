"""Files with one JSON object per line: the columns are its fields, and trees are in brackets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.data.tree import brackets_of
from treekernels.errors import DataError
from treekernels.io.writing.column_kinds import kind_of


def json_lines(table: Table) -> Iterator[str]:
    """Yield the examples; what is missing is left out."""
    columns = {name: _values(name, column) for name, column in table.items()}
    for row in zip(*columns.values(), strict=True):
        fields = zip(columns, row, strict=True)
        example = {name: value for name, value in fields if not is_nothing(value)}
        yield json.dumps(example, ensure_ascii=False)


def _values(name: str, column: Any) -> Iterator[Any]:
    kind = kind_of(column)
    if kind == "tree":
        missing = column.is_missing
        for root, is_missing in zip(column.roots.tolist(), missing, strict=True):
            yield None if is_missing else brackets_of(column.dag, root)
    elif kind == "dense":
        yield from (None if np.isnan(row).all() else row.tolist() for row in column)
    elif kind in ("dict", "other"):
        yield from (value.item() if isinstance(value, np.generic) else value for value in column)
    else:
        raise DataError(
            f"the column {name!r} holds sparse vectors, and a jsonl file cannot: leave it out"
        )
