"""Which columns `treekernels convert` writes."""

from __future__ import annotations

from collections.abc import Sequence

from treekernels.cli.shared.data import Data
from treekernels.cli.shared.problem import Problem
from treekernels.data.columns import looks_like_trees
from treekernels.data.table import Table
from treekernels.io.reading.origins import ORIGINS
from treekernels.io.writing.column_kinds import kind_of

__all__ = ["chosen_columns"]


def chosen_columns(
    data: Data, to: str, columns: str | None, drop: Sequence[str], *, choose_trees: bool
) -> tuple[Table, list[str]]:
    """Return the columns to be written, and the names of those that the format cannot have."""
    table = data.table
    kinds = {name: kind_of(column) for name, column in table.items()}
    kept = list(table.columns)
    if columns is not None:
        kept = [data.column(name.strip()) for name in columns.split(",")]
        if len(set(kept)) != len(kept):
            raise Problem(f"--columns names a column twice: {columns}")
    elif choose_trees:
        # Trees that were not chosen are texts by now.
        kept = [name for name in kept if name in data.trees or not looks_like_trees(table[name])]
    dropped = {data.column(name) for name in drop}
    kept = [name for name in kept if name not in dropped]
    if not any(kinds[name] == "tree" for name in kept):
        raise Problem(f"no column of trees is left to write; {data.path} has {', '.join(table)}")
    left_out = []
    if to == "svmlight-tk":
        for name in kept:
            if kinds[name] in ("other", "dict") and name not in (*_PLACED, *ORIGINS, data.label):
                raise Problem(
                    f"{data.path}: the column {name!r} holds neither trees nor vectors of numbers, "
                    f"and SVM-LIGHT-TK has no place for it: --drop {name} leaves it out"
                )
    if columns is None:
        left_out = [name for name in kept if not _has_place(name, kinds[name], to, data.label)]
    return Table({name: table[name] for name in kept if name not in left_out}), left_out


_PLACED = ("qid", "sid", "cost")


def _has_place(name: str, kind: str, to: str, label: str | None) -> bool:
    if to in ("brackets", "penn"):
        return kind == "tree"
    if to == "svmlight-tk":
        return kind != "other" or name not in ORIGINS or name == label
    return True
