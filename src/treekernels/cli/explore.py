"""``treekernels explore MODEL [DATA]``."""

from __future__ import annotations

from typing import Any

import click

from treekernels.cli.shared.options import data_argument, data_options, quiet_option

__all__ = ["command"]


@click.command("explore", short_help="Look at a model and its data in the browser.")
@click.argument("model")
@data_argument(required=False)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@click.option(
    "--spacy",
    metavar="MODEL",
    help="Model of spaCy that parses sentences, such as en_core_web_sm, so that you can write text "
    "instead of trees. The sentences become dependency trees.",
)
@click.option(
    "--benepar",
    metavar="MODEL",
    help="Model of benepar, such as benepar_en3, which makes constituency trees of the sentences "
    "that spaCy finds.",
)
@click.option(
    "--port",
    metavar="NUMBER",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Port to listen at. [default: any that is free]",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at. Another one than the default lets other machines in, if they know "
    "the token in the address.",
)
@data_options
@quiet_option
def command(
    model: str,
    data: tuple[str, ...],
    no_browser: bool,
    spacy: str | None,
    benepar: str | None,
    port: int,
    host: str,
    quiet: bool,
    **reading: Any,
) -> None:
    """Open a page in the browser in which you can look at MODEL and DATA.

    \b
    Examples:
      treekernels explore model.tkm
      treekernels explore model.tkm test.tsv
      treekernels explore model.tkm test.tsv --no-browser --port 8700
      treekernels explore model.tkm --spacy en_core_web_sm -o shape=GRCT

    Write a tree, and see what the model says of it and why. Look through the fragments of the
    model, compare trees, find the nearest examples, open the mistakes of the model, and look at a
    map of the data. The page works without a network, and nothing is written. Stop it with the
    button on the page or with Ctrl-C.
    """
    from treekernels.cli.shared.exploring import corpus_reader, parser_for
    from treekernels.cli.shared.remembered_reading import as_remembered
    from treekernels.common.screen import Screen
    from treekernels.explorer.explored_model import ExploredModel
    from treekernels.explorer.explorer import start
    from treekernels.persistence import load

    screen = Screen(quiet=quiet)
    parser = parser_for(spacy, benepar, reading["reader_options"], with_data=bool(data))
    explored = ExploredModel(load(model))
    if data:
        reading = as_remembered(explored.model, data, reading, screen)
    explorer = start(
        explored,
        corpus_reader(explored, data, screen, reading) if data else None,
        parser,
        browser=not no_browser,
        host=host,
        port=port,
        name=" ".join(data),
    )
    click.echo(explorer.address)
    screen.note("Open this address in your browser. Stop with the button on the page or Ctrl-C.")
    explorer.wait()
