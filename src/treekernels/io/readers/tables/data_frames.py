"""Data frames, Arrow tables, Hugging Face datasets and Parquet files with columns of trees."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from treekernels.common.optional import require
from treekernels.data.columns import column_names, column_of, looks_like_trees
from treekernels.data.forest import Forest, as_forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.errors import DataError, ParameterError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, StandardInput
from treekernels.io.reading.tables.columns import column_at

__all__ = ["from_table", "read_parquet"]


def read_parquet(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
    *,
    problems: Problems,
) -> Table:
    """Read a Parquet file as a table; `columns` says which columns, if you do not want them all."""
    parquet = require("pyarrow.parquet", "arrow", "reading Parquet files")
    names = None if columns is None else list(columns)
    file = io.BytesIO(path.content) if isinstance(path, StandardInput) else path
    try:
        table = parquet.read_table(file, columns=names)
        table.validate(full=True)  # also that texts are UTF-8
    except FileNotFoundError:
        raise
    except (require("pyarrow", "arrow", "Parquet").ArrowException, OSError, ValueError) as error:
        words = str(error).partition("\n")[0]
        reason = f"this cannot be read as Parquet ({words})"
        raise ParseError(reason, source=str(path), line=1) from None
    if trees is not None:
        trees = [table.column_names[column_at(name, table.column_names, path)] for name in trees]
    return from_table(table, trees)


def from_table(table: Any, trees: Sequence[str] | None = None) -> Table:
    """Make a `Table` of anything that has columns, in which columns of trees become forests.

    Parameters
    ----------
    table : data frame, Arrow table, Hugging Face dataset, or mapping
        The data, such as a data frame of pandas or Polars, or a table of PyArrow.
    trees : sequence of str, optional
        Which columns hold trees, as texts in brackets, nested lists or NLTK trees. If you do not
        say it, these are the forests or, if there are none, the columns of texts whose first entry
        starts with a bracket.

    Examples
    --------
    >>> import pandas, treekernels as tk
    >>> frame = pandas.DataFrame({"label": [1, 0], "parse": ["(S (N a))", "(S (N b))"]})
    >>> tk.readers.from_table(frame)
    <Table: 2 rows; label: int64, parse: Forest>
    """
    if isinstance(table, Table) and trees is None:
        return table
    names = column_names(table)
    if names is None:
        raise DataError(f"a table with columns was expected, not {type(table).__name__}")
    if isinstance(trees, str):
        raise ParameterError(f"names of columns come in a list: write [{trees!r}]")
    missing = [name for name in trees or () if name not in names]
    if missing:
        listed = ", ".join(map(str, names))
        raise DataError(f"there is no column {missing[0]!r}; there are {listed}")
    columns = {}
    raw_columns = {name: _column_values(table, name) for name in names}
    if trees is None:
        trees = [name for name, column in raw_columns.items() if isinstance(column, Forest)]
        trees = trees or [name for name, column in raw_columns.items() if looks_like_trees(column)]
    for name, column in raw_columns.items():
        is_trees = name in trees or isinstance(column, Forest)
        columns[str(name)] = _forest_of_column(name, column) if is_trees else column
    return Table(columns)


def _column_values(table: Any, name: Any) -> Any:
    column = column_of(table, name)
    if isinstance(column, Forest) or hasattr(column, "tocsr"):
        return column
    return column.to_numpy() if hasattr(column, "to_numpy") else list(column)


def _forest_of_column(name: str, column: Any) -> Forest:
    if isinstance(column, Forest):
        return column
    items = list(column)
    for number, item in enumerate(items, start=1):
        if is_nothing(item):
            raise ParseError(f"row {number} of the column {name!r} has no tree", line=number)
    try:
        return as_forest(items)
    except ParseError as error:
        reason = f"in the column {name!r}: {error.reason}"
        raise ParseError(reason, line=error.line, column=error.column) from None
