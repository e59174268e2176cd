"""Files of sentence pairs: two columns of trees with placeholders, and perhaps others, by tabs."""

from __future__ import annotations

from collections.abc import Sequence

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.readers.tsv import read_tsv
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.origins import Origins

__all__ = ["read_pairs"]


def read_pairs(
    path: PathLike,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
    *,
    problems: Problems | None = None,
    origins: Origins | None = None,
) -> Pairs | Table:
    """Read pairs: the text is the first column of trees, the hypothesis the second.

    With names for the columns, the result is a table: "pair", and the columns that are no trees.
    """
    first = next((line for _, line in lines_of(path) if line.strip(" ")), None)
    if first is None:
        return Pairs()
    names = columns
    if names is None:
        names = [str(place) for place in range(len(first.split("\t")))]
    table = read_tsv(path, names, trees, header=False, problems=problems, origins=origins)
    assert isinstance(table, Table)
    forests = [name for name in names if isinstance(table[name], Forest)]
    if len(forests) != 2:
        raise DataError(
            f"{path} has {len(forests)} columns of trees; pairs need two, a text and a hypothesis"
        )
    pairs = Pairs(table[forests[0]], table[forests[1]])
    if columns is None:
        return pairs
    others = {name: table[name] for name in names if name not in forests}
    return Table({"pair": pairs, **others})
