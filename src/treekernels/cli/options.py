"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from treekernels.io import formats

__all__ = [
    "data_argument",
    "data_options",
    "jobs_option",
    "json_option",
    "kernel_option",
    "learner_options",
    "quiet_option",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

FORMATS = [name for name in formats.FORMATS if name != "anchored-pairs"]  # those of one tree


def _together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _checked_jobs(ctx: click.Context, parameter: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 threads do nothing; 1 is one, and -1 all cores")
    return value


format_option = click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    type=click.Choice(FORMATS),
    help="Format of the data, where neither the names of files nor their first lines tell: "
    f"{', '.join(FORMATS)}.",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Leave out lines that cannot be read, and list them."
)
reader_option = click.option(
    "-o",
    "--option",
    "reader_options",
    metavar="NAME=VALUE",
    multiple=True,
    help="For the reader, such as each=function for Python or shape=LCT for CoNLL-U.",
)


def data_argument(*, required: bool = True, name: str = "DATA") -> Callable[[Decorated], Decorated]:
    """Return the argument for one or more files, folders or patterns."""
    shown = f"{name}..." if required else f"[{name}]..."
    return click.argument("data", nargs=-1, required=required, metavar=shown)


tree_option = click.option(
    "--tree",
    "trees",
    metavar="COLUMN",
    multiple=True,
    help="Column that holds the trees, by name or number; may be repeated. [default: all that hold "
    "trees]",
)
label_option = click.option(
    "--label",
    metavar="COLUMN",
    help="Column that holds the labels, by name or number, or 'folder' or 'file' to take the names "
    "of folders or files as labels. [default: the first column without trees]",
)
data_options = _together(label_option, tree_option, format_option, reader_option, skip_bad_option)
kernel_option = click.option(
    "--kernel",
    "-k",
    metavar="EXPRESSION",
    help="Such as 'ptk', 'sst(decay=0.3)' or '0.6*sst(on=tree) + poly(3)'. Of st, sst, ptk, "
    "elastic, subpath (trees), linear, poly, rbf (vectors) and norm(...). [default: sst, with "
    "linear for vectors]",
)
learner_options = _together(
    kernel_option,
    click.option(
        "--learner",
        type=click.Choice(["svm", "perceptron", "pa"]),
        default="svm",
        show_default=True,
        help="Support vector machine, averaged perceptron, or passive-aggressive.",
    ),
    click.option(
        "--C",
        "C",
        metavar="NUMBER",
        type=click.FloatRange(min=0, min_open=True),
        help="How much one example may count, for svm and pa. [default: 10 and 1]",
    ),
    click.option(
        "--epochs",
        metavar="NUMBER",
        type=click.IntRange(min=1),
        help="Times through the examples, for perceptron and pa. [default: 5]",
    ),
    click.option(
        "--seed",
        metavar="NUMBER",
        type=int,
        default=0,
        show_default=True,
        help="For what is random.",
    ),
)
jobs_option = click.option(
    "--jobs",
    "-j",
    metavar="NUMBER",
    type=int,
    default=-1,
    show_default=True,
    callback=_checked_jobs,
    help="Threads; -1 for all cores.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No notes and no progress bars.")
