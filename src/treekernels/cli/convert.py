"""``treekernels convert IN OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen
from treekernels.common.text import count_noun
from treekernels.io.formats import FORMATS, format_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.cli.shared.data import Data
    from treekernels.data.table import Table

_FORMATS = [name for name, entry in FORMATS.items() if entry.writer is not None]
_PLACED = ("qid", "sid", "cost")  # in SVM-LIGHT-TK


@click.command("convert", short_help="Write trees in another format.")
@options.data_argument(name="IN", ends_with="OUT")
@click.argument("target", metavar="OUT")
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice(_FORMATS),
    help=f"Format of OUT, if its name does not reveal it: {', '.join(_FORMATS)}.",
)
@click.option(
    "--columns",
    metavar="COLUMNS",
    help="Columns to write, in this order, by name or number and separated by commas. "
    "[default: all that the format has a place for]",
)
@click.option(
    "--drop",
    metavar="COLUMN",
    multiple=True,
    help="Column to leave out, by name or number; may be repeated.",
)
@options.reading
@options.quiet
def command(
    data: tuple[str, ...],
    target: str,
    to: str | None,
    columns: str | None,
    drop: tuple[str, ...],
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Write the trees in the files IN to the file OUT, in another format.

    \b
    Examples:
      treekernels convert questions.tsv questions.svmlight
      treekernels convert questions.tsv coarse.tsv --label 1 --drop 2
      treekernels convert corpus.conllu trees.txt --option shape=LCT
      treekernels convert module.py functions.txt.gz --option each=function
      treekernels convert pages/ pages.tsv --label folder
      treekernels convert wsj_0001.mrg trees.txt

    The extensions of the files say which formats they have. Labels and vectors are also written, if
    the format of OUT has a place for them.
    """
    from treekernels.cli.shared.reading import read_data
    from treekernels.io.writing.write import write

    screen = Screen(quiet=quiet)
    if len(data) > 1 and Path(target).exists():
        raise Problem(
            f"{target} is there already: the last name is that of the file to write, so give "
            "another, or remove it first"
        )
    to = to or format_of(target)
    examples = read_data(data, screen, **reading)
    table, left_out = _columns_to_write(examples, to, columns, drop, bool(reading["trees"]))
    labels = {}
    if to in ("svmlight-tk", "kelp"):
        if examples.label is None or examples.label not in table:
            raise Problem(f"{examples.path} has no labels, and a file in format {to} needs them")
        labels["label"] = examples.label
    write(target, table, to, **labels)
    if to == "svmlight-tk" and table[labels["label"]].dtype.kind == "O":
        screen.note("Labels are texts, and SVM-LIGHT-TK itself takes numbers only.")
    if left_out:
        screen.note(f"Left out what a file in format {to} cannot have: {', '.join(left_out)}.")
    screen.note(f"Wrote {count_noun(len(table), 'example')} to {target} ({to}).")


def _columns_to_write(
    data: Data, to: str, columns: str | None, drop: tuple[str, ...], trees_chosen: bool
) -> tuple[Table, list[str]]:
    """Return the columns to be written, and the names of those that the format cannot have."""
    from treekernels.data.columns import looks_like_trees
    from treekernels.data.table import Table
    from treekernels.io.reading.input.origins import ORIGINS
    from treekernels.io.writing.column_kinds import kind_of

    table = data.table
    kinds = {name: kind_of(column) for name, column in table.items()}
    kept = list(table.columns)
    if columns is not None:
        kept = [data.column(name.strip()) for name in columns.split(",")]
        if len(set(kept)) != len(kept):
            raise Problem(f"--columns names a column twice: {columns}")
    elif trees_chosen:
        # Trees that were not chosen are texts by now.
        kept = [name for name in kept if name in data.trees or not looks_like_trees(table[name])]
    dropped = {data.column(name) for name in drop}
    kept = [name for name in kept if name not in dropped]
    if not any(kinds[name] == "tree" for name in kept):
        raise Problem(f"no column of trees is left to write; {data.path} has {', '.join(table)}")
    if to == "svmlight-tk":
        for name in kept:
            if kinds[name] in ("other", "dict") and name not in (*_PLACED, *ORIGINS, data.label):
                raise Problem(
                    f"{data.path}: the column {name!r} holds neither trees nor vectors of numbers, "
                    f"and SVM-LIGHT-TK has no place for it: --drop {name} leaves it out"
                )
    left_out: list[str] = []
    if columns is None and to in ("brackets", "penn"):
        left_out = [name for name in kept if kinds[name] != "tree"]
    elif columns is None and to == "svmlight-tk":
        origins = [name for name in kept if name in ORIGINS and name != data.label]
        left_out = [name for name in origins if kinds[name] == "other"]
    return Table({name: table[name] for name in kept if name not in left_out}), left_out
