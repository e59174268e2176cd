"""``treekernels convert IN OUT``."""

from __future__ import annotations

from typing import Any

import click

from treekernels.cli.shared.options import data_argument, data_options, quiet_option

__all__ = ["command"]

_FORMATS = ["brackets", "tsv", "csv", "penn", "svmlight-tk", "kelp", "jsonl"]


@click.command("convert", short_help="Write trees in another format.")
@data_argument(name="IN", ends_with="OUT")
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
@data_options
@quiet_option
def command(
    data: tuple[str, ...],
    target: str,
    to: str | None,
    columns: str | None,
    drop: tuple[str, ...],
    quiet: bool,
    **reading: Any,
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

    The names of the files say which formats they have. Labels and vectors are written as well, if
    the format of OUT has a place for them.
    """
    from pathlib import Path

    from treekernels.cli.shared.convert_columns import chosen_columns
    from treekernels.cli.shared.data import read_data
    from treekernels.cli.shared.problem import Problem
    from treekernels.common.numbers_in_words import count_noun
    from treekernels.common.screen import Screen
    from treekernels.io.formats import format_of
    from treekernels.io.writers import write

    screen = Screen(quiet=quiet)
    if len(data) > 1 and Path(target).exists():
        raise Problem(
            f"{target} is there already: the last name is that of the file to write, so give "
            "another, or remove it first"
        )
    to = to or format_of(target)
    found = read_data(data, screen, **reading)
    table, left_out = chosen_columns(found, to, columns, drop, choose_trees=bool(reading["trees"]))
    options = {}
    if to in ("svmlight-tk", "kelp"):
        if found.label is None or found.label not in table:
            raise Problem(f"{found.path} has no labels, and a file in format {to} needs them")
        options["label"] = found.label
    write(target, table, to, **options)
    if to == "svmlight-tk" and table[found.label].dtype.kind == "O":
        screen.note("Labels are texts, and SVM-LIGHT-TK itself takes numbers only.")
    if left_out:
        screen.note(f"Left out what a file in format {to} cannot have: {', '.join(left_out)}.")
    screen.note(f"Wrote {count_noun(len(table), 'example')} to {target} ({to}).")
