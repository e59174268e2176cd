"""``treekernels explore MODEL [DATA]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_files
from treekernels.common.screen import Screen

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.cli.shared.data import Data
    from treekernels.explorer.session.corpus import Corpus
    from treekernels.explorer.session.jobs import Job
    from treekernels.explorer.session.model import ExploredModel
    from treekernels.explorer.session.notations import Parser


@click.command("explore", short_help="Look at a model and its data in the browser.")
@click.argument("model")
@options.data_argument(required=False)
@click.option(
    "--no-browser", is_flag=True, help="Print the address of the page without opening it."
)
@click.option(
    "--port",
    metavar="NUMBER",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Port to listen on. [default: any that is free]",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. With any other than the default, other machines can open the "
    "page if they know the token in its address.",
)
@options.reading
@options.quiet
def command(
    model: str,
    data: tuple[str, ...],
    no_browser: bool,
    port: int,
    host: str,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Open a page in the browser in which you can look at MODEL and DATA.

    \b
    Examples:
      treekernels explore model.tkm
      treekernels explore model.tkm test.tsv
      treekernels explore model.tkm test.tsv --no-browser --port 8700
      treekernels explore model.tkm --parser spacy:en_core_web_sm

    Write a tree, and see what the model says about it and why. Look through the fragments of the
    model, compare trees, find the nearest examples, open the mistakes of the model, and look at a
    map of the data. With --parser, or if the model remembers its parser, you can write sentences
    instead of trees. The page works without a network, and nothing is written. Stop it with the
    button on the page or with Ctrl-C.
    """
    from treekernels.cli.shared.reading import as_remembered
    from treekernels.explorer.explorer import start
    from treekernels.explorer.session.model import ExploredModel
    from treekernels.io.sentences.names import parser_name
    from treekernels.persistence import load

    screen = Screen(quiet=quiet)
    if reading["parser"] is not None:
        parser_name(reading["parser"])
    explored = ExploredModel(load(model))
    reading = as_remembered(explored.model, data, reading, screen)
    reading, parser = _with_parser(reading)
    explorer = start(
        explored,
        _corpus_reader(explored, data, screen, reading) if data else None,
        parser,
        browser=not no_browser,
        host=host,
        port=port,
        name=" ".join(data),
    )
    click.echo(explorer.address)
    screen.note("Open this address in your browser. Stop with the button on the page or Ctrl-C.")
    explorer.wait()


def _corpus_reader(
    model: ExploredModel, data: tuple[str, ...], screen: Screen, reading: options.Reading
) -> Callable[[Job], Corpus]:
    """Return a function that reads the data in the background; missing files are noticed now."""
    from treekernels.cli.shared.reading import read_data

    if "-" in data:
        raise Problem("the explorer reads files, and not standard input")
    check_files(data)

    def read(job: Job) -> Corpus:
        try:
            return _corpus(model, read_data(data, screen, origin=True, **reading), screen)
        except Exception as error:
            screen.note(f"Error: {error}")
            raise

    return read


def _corpus(model: ExploredModel, data: Data, screen: Screen) -> Corpus:
    from treekernels.cli.shared.columns import examples_for, fitted_width
    from treekernels.data.pairs import Pairs
    from treekernels.explorer.session.corpus import Corpus

    labels = None if data.label is None else data.table[data.label]
    if model.is_pairs:
        if len(data.trees) != 2:
            raise Problem(
                f"{data.path} has {len(data.trees)} columns of trees, and a sentence pair has two"
            )
        X: Any = Pairs(*(data.table[name] for name in data.trees))
        if model.columns != ["text", "hypothesis"]:
            X = examples_for(model.model.kernel_, data)
    elif model.kernel is None:
        X = data.table[data.trees[0]]
    else:
        X = examples_for(model.kernel, data)
        if hasattr(model.model, "feature_counts"):
            X = fitted_width(X, model.model.feature_counts(), screen)
    return Corpus(X, labels, data.places(), data.path)


def _with_parser(reading: options.Reading) -> tuple[options.Reading, Parser | None]:
    """Return the parser of sentences, if there is one, and how to read data that may need it."""
    from treekernels.cli.shared.reading import reader_options_of
    from treekernels.cli.shared.texts import Parsing
    from treekernels.explorer.session.notations import sentence_parser

    given = reader_options_of(reading["reader_options"])
    parsing = Parsing.asked_for(
        reading["parser"], reading["texts"], reading["cache"], given, reading.get("remembered")
    )
    if parsing is None:
        return reading, None
    note = {"name": parsing.parser, "columns": parsing.columns, "options": parsing.options}
    # The data may be trees all the same.
    reading = {**reading, "parser": None, "remembered": note}
    return reading, sentence_parser(parsing.parser, **parsing.options)
