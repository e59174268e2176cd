"""Files with one bracketed tree per line."""

from __future__ import annotations

from collections.abc import Iterator

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.data.tree import brackets_of
from treekernels.errors import DataError


def bracket_lines(table: Table) -> Iterator[str]:
    """Return the lines of the only column of trees."""
    forests = [column for column in table.values() if isinstance(column, Forest)]
    if len(forests) != 1:
        raise DataError(
            f"there are {len(forests)} columns of trees, and a file of brackets has one: give that "
            "alone, or write another format"
        )
    (forest,) = forests
    return (brackets_of(forest.dag, root) for root in forest.roots.tolist())


def penn_lines(table: Table) -> Iterator[str]:
    """Return the same lines in an outer bracket each, as in the files of the Penn Treebank."""
    return (f"( {line})" for line in bracket_lines(table))
