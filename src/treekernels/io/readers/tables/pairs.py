"""Files of sentence pairs: columns separated by tabs, two of them trees with placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.readers.tables.tsv import read_tsv
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins


def read_pairs(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
    *,
    problems: Problems,
    origins: Origins | None = None,
) -> Pairs | Table:
    """Read pairs: the text is the first column of trees, the hypothesis the second.

    With names for the columns, the result is a table of the column "pair" and those without trees.
    """
    table = read_tsv(path, columns, trees, header=False, problems=problems, origins=origins)
    if not len(table) and columns is None:
        return Pairs()
    if isinstance(table, Forest):
        table = Table({"tree": table})
    forests = [name for name, column in table.items() if isinstance(column, Forest)]
    if len(forests) != 2:
        raise DataError(
            f"{path} has {len(forests)} columns of trees; pairs need two, a text and a hypothesis"
        )
    pairs = Pairs(table[forests[0]], table[forests[1]])
    if columns is None:
        return pairs
    others = {name: column for name, column in table.items() if name not in forests}
    return Table({"pair": pairs, **others})
