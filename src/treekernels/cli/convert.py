"""``treekernels convert IN OUT``."""

from __future__ import annotations

from typing import Any

import click

from treekernels.cli.options import data_options, quiet_option

__all__ = ["command"]


@click.command("convert", short_help="Write trees in another format.")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--to",
    metavar="FORMAT",
    type=click.Choice(["brackets", "tsv", "penn", "svmlight-tk", "kelp"]),
    help="Of OUT, where its name does not say: brackets, tsv, penn, svmlight-tk, kelp.",
)
@data_options
@quiet_option
def command(source: str, target: str, to: str | None, quiet: bool, **reading: Any) -> None:
    """Write the trees in the file IN to the file OUT, in another format.

    \b
    Examples:
      treekernels convert questions.tsv questions.svmlight
      treekernels convert corpus.conllu trees.txt --option shape=LCT
      treekernels convert module.py functions.txt.gz --option each=function
      treekernels convert wsj_0001.mrg trees.txt

    Formats are told by the names of the files. Labels and vectors go along where OUT can have
    them.
    """
    from treekernels.cli.data import read_data
    from treekernels.cli.problem import Problem
    from treekernels.common.screen import Screen
    from treekernels.common.wording import count_noun
    from treekernels.data.table import Table
    from treekernels.io.formats import format_of
    from treekernels.io.writers import write

    screen = Screen(quiet=quiet)
    to = to or format_of(target)
    found = read_data(source, screen, **reading)
    table = found.table
    if reading["trees"]:
        kept = [name for name in table if name in found.trees or name not in _forests(table)]
        table = Table({name: table[name] for name in kept})
    options = {}
    if to in ("svmlight-tk", "kelp"):
        if found.label is None:
            raise Problem(f"{source} has no labels, and a file in format {to} needs them")
        options["label"] = found.label
    write(target, table, to, **options)
    left_out = [name for name in table if name not in _forests(table)]
    if left_out and to in ("brackets", "penn"):
        screen.note(f"Left out what a file of trees cannot have: {', '.join(left_out)}.")
    screen.note(f"Wrote {count_noun(len(table), 'example')} to {target} ({to}).")


def _forests(table: Any) -> list[str]:
    return [name for name, column in table.items() if hasattr(column, "to_brackets")]
