"""``treekernels demo``."""

from __future__ import annotations

import click

from treekernels.cli.shared import options


@click.command("demo", short_help="Learn from the functions of Python itself.")
@options.file("--save", "File to write the functions to, with a label and a tree on each line.")
@options.report
@click.option(
    "--explore",
    metavar="FOLDER",
    help="Folder to write the model to, and the functions that it has not learned from, for "
    "`treekernels explore`.",
)
@options.jobs
def command(save: str | None, report: str | None, explore: str | None, jobs: int) -> None:
    """Learn which package a function of Python's standard library comes from.

    \b
    Examples:
      treekernels demo
      treekernels demo --report report.html
      treekernels demo --save functions.tsv
      treekernels demo --explore demo

    The demo takes about a minute and needs nothing but Python, whose own source files are the
    trees.
    """
    from treekernels.demo import main

    main(jobs=jobs, save=save, report=report, explore=explore)
