"""``treekernels parse IN OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.common.screen import Screen
from treekernels.common.text import count_noun

if TYPE_CHECKING:
    from typing_extensions import Unpack

_FORMATS = ("tsv", "csv", "jsonl")


@click.command("parse", short_help="Turn sentences into trees.")
@options.data_argument(name="IN", ends_with="OUT")
@click.argument("target", metavar="OUT")
@options.choice(
    "--each",
    ["text", "sentence"],
    "What a row of OUT is: a text, with a node TEXT above its sentences if there are several; or a "
    "sentence, with the number of its text in the column document.",
    default="text",
)
@options.label
@options.file_format
@options.reader
@options.skip_bad
@options.parsing
@options.quiet
def command(
    data: tuple[str, ...],
    target: str,
    each: str,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Parse the texts in the files IN, and write their trees to the file OUT.

    \b
    Examples:
      treekernels parse reviews.csv reviews.tsv --parser spacy:en_core_web_sm --label stars
      treekernels parse texts.txt trees.tsv --parser stanza:de -o shape=LCT
      treekernels parse texts.txt trees.jsonl --parser benepar:benepar_en3 --each sentence
      treekernels parse mails/ mails.tsv --parser stanza:en --label folder -o each=file

    IN has one text on each line, or has a column of texts beside others: CSV, TSV, JSON lines or
    Parquet. With -o each=file, a file of plain text is one text. OUT has the columns of IN and the
    column tree, so that treekernels fit and evaluate read it. The page "From sentences to trees"
    in the documentation helps you choose the parser and the shape.
    """
    from treekernels.cli.shared.reading import read_data
    from treekernels.io.formats import format_of
    from treekernels.io.sentences.names import EXAMPLES
    from treekernels.io.writing.write import write

    screen = Screen(quiet=quiet)
    if reading["parser"] is None:
        raise Problem(f"name a parser with --parser: {EXAMPLES}, for instance")
    if format_of(target) not in _FORMATS:
        raise Problem(
            f"{target} would not have room for labels and texts: give it a name that ends in .tsv, "
            ".csv or .jsonl"
        )
    check_folder(target)
    if len(data) > 1 and Path(target).exists():
        raise Problem(
            f"{target} is there already: the last name is that of the file to write, so give "
            "another, or remove it first"
        )
    kept: Literal["texts", "sentences"] = "sentences" if each == "sentence" else "texts"
    examples = read_data(data, screen, to_keep=kept, **reading)
    write(target, examples.table)
    screen.note(f"Wrote {count_noun(len(examples), 'tree')} to {target}.")
