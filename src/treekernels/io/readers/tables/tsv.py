"""Files with columns separated by tabs, one example per line, with or without a header.

Empty lines are passed over. Columns whose first entry starts with a bracket hold trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.columns import RowTable


def read_tsv(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str | int] | None = None,
    *,
    label: str | int | None = None,
    header: bool | None = None,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read all columns as a table or, if there is only one column of trees, a forest.

    Parameters
    ----------
    columns : sequence of str, optional
        Names for the columns. If you do not give any, they come from the header. If there is none,
        the first column without trees is called "label", those with trees are called "tree" (or
        "tree1", "tree2" and so on), and the others "column3" and the like.
    trees : sequence of str or int, optional
        The columns of trees, by name or by number from 1, if the first line does not show them.
        With an empty list, none holds trees, whatever its entries look like.
    label : str or int, optional
        The column that holds the labels.
    header : bool, optional
        Whether the first line has the names of the columns. If you do not say it, it is taken for
        a header if there is no tree in it but one in the second line.
    """
    beginning = Problems(problems.skip)  # what is skipped here is reported below
    with closing(lines_of(path, beginning)) as lines:
        rows = ((number, line.split("\t")) for number, line in lines if line.strip(" "))
        first = list(islice(rows, 2))
    table = RowTable(first, str(path), columns, trees, label, header, problems, origins)
    for block in blocks_of(path):
        table.add_block(*block)
    return table.result()
