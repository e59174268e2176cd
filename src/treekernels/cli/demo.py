"""``treekernels demo``."""

from __future__ import annotations

import click

from treekernels.cli.options import jobs_option

__all__ = ["command"]


@click.command("demo", short_help="Learn on functions of Python itself.")
@click.option("--save", metavar="FILE", help="Also write the functions to a file, label and tree.")
@click.option("--report", metavar="FILE", help="Also write a page of tables and pictures, in HTML.")
@jobs_option
def command(save: str | None, report: str | None, jobs: int) -> None:
    """Learn which package a function of Python's standard library comes from.

    \b
    Examples:
      treekernels demo
      treekernels demo --report report.html
      treekernels demo --save functions.tsv

    It takes less than a minute of computing, and needs nothing but Python: its own source files are
    the trees.
    """
    from treekernels.demo import main

    main(jobs=jobs, save=save, report=report)
