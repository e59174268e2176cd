"""Options that several commands share, as decorators: ``@options.jobs``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import click

from treekernels.io import formats

__all__ = [
    "Reading",
    "cluster",
    "data_argument",
    "file_format",
    "jobs",
    "json",
    "kernel",
    "kernel_of_columns",
    "learning",
    "quiet",
    "reader",
    "reading",
    "skip_bad",
]


class Reading(TypedDict, total=False):
    """What the options of a command say about reading; a command may have only some of them."""

    format_: str | None
    label: str | None
    trees: tuple[str, ...]
    reader_options: tuple[str, ...]
    skip_bad: bool


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# The defaults of the learners, which take long to import; a test compares them.
PENALTY = 10.0
EPOCHS = 5
FORMATS = [name for name in formats.FORMATS if name != "anchored-pairs"]  # which has two trees


def _together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _checked_jobs(ctx: click.Context, parameter: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 threads do nothing; 1 is one thread, and -1 one for each core")
    return value


file_format = click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    type=click.Choice(FORMATS),
    help="Format of the data, for files whose format neither their names nor their first lines "
    f"reveal: {', '.join(FORMATS)}.",
)
skip_bad = click.option(
    "--skip-bad", is_flag=True, help="Leave out lines that cannot be read, and list them."
)
reader = click.option(
    "-o",
    "--option",
    "reader_options",
    metavar="NAME=VALUE",
    multiple=True,
    help="Option for the reader of the format, such as each=function for Python or shape=LCT for "
    "CoNLL-U; may be repeated.",
)


def data_argument(
    *, required: bool = True, name: str = "DATA", ends_with: str | None = None
) -> Callable[[Decorated], Decorated]:
    """Return the argument for one or more files, folders or patterns.

    `ends_with` is what a command calls the file to write, if its name comes last: then a single
    name is one too few.
    """

    def complain(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
        if ends_with is not None and not value:
            raise click.UsageError(
                f"two names are needed: {name}, which is read, and {ends_with}, which is written",
                ctx,
            )
        return value

    metavar = f"{name}..." if required else f"[{name}]..."
    required = required and ends_with is None
    return click.argument("data", nargs=-1, required=required, metavar=metavar, callback=complain)


tree = click.option(
    "--tree",
    "trees",
    metavar="COLUMN",
    multiple=True,
    help="Column that holds the trees, by name or number; may be repeated. [default: every column "
    "that holds trees]",
)
label = click.option(
    "--label",
    metavar="COLUMN",
    help="Column that holds the labels, by name or number; or 'folder' or 'file', to take the "
    "names of folders or files as labels. [default: the first column without trees]",
)
reading = _together(label, tree, file_format, reader, skip_bad)


def kernel(default: str) -> Callable[[Decorated], Decorated]:
    """Return the option for a kernel, which the command chooses if there is none."""
    return click.option(
        "--kernel",
        "-k",
        metavar="EXPRESSION",
        help="Kernel that compares the examples, such as 'ptk', 'sst(decay=0.3)' or "
        "'0.6*sst(on=tree) + poly(3)'. Kernels for trees are st, sst, ptk, elastic and subpath; "
        "those for vectors are linear, poly and rbf; norm(...) normalises any other. "
        f"[default: {default}]",
    )


kernel_of_columns = kernel("sst, plus linear if there are vectors")
learning = _together(
    kernel_of_columns,
    click.option(
        "--learner",
        type=click.Choice(["svm", "perceptron", "pa", "ranker"]),
        default="svm",
        show_default=True,
        help="Learner to use: a support vector machine, an averaged perceptron, a "
        "passive-aggressive learner, or a ranker, for examples that have numbers as labels and "
        "their queries in a column qid.",
    ),
    click.option(
        "--C",
        "C",
        metavar="NUMBER",
        type=click.FloatRange(min=0, min_open=True),
        help="How much a single example may count, for the learners svm, pa and ranker. The larger "
        "it is, the more closely the model follows the training examples. "
        f"[default: {PENALTY:g} for svm, 1 for pa and ranker]",
    ),
    click.option(
        "--class-weight",
        "class_weights",
        metavar="WEIGHTS",
        multiple=True,
        help="Weight of the examples of a class, as LABEL=NUMBER, which may be repeated; or "
        "'balanced', to let all classes weigh the same however many examples they have. "
        "[default: all examples weigh the same]",
    ),
    click.option(
        "--epochs",
        metavar="NUMBER",
        type=click.IntRange(min=1),
        help="How many times to go through the examples, for the learners perceptron and pa. "
        f"[default: {EPOCHS}; on a cluster {EPOCHS} for each part of the data, up to {4 * EPOCHS}]",
    ),
    click.option(
        "--seed",
        metavar="NUMBER",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        show_default=True,
        help="Seed of the random numbers, which decide the order of the examples and the folds.",
    ),
    click.option(
        "--checkpoint",
        metavar="FILE",
        help="File in which the state of learning is saved now and then. If learning is "
        "interrupted, the same command goes on from there; at the end the file is removed.",
    ),
)
jobs = click.option(
    "--jobs",
    "-j",
    metavar="NUMBER",
    type=int,
    default=-1,
    show_default=True,
    callback=_checked_jobs,
    help="Number of threads to compute with; -1 means one for each core.",
)
json = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, for scripts."
)
quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print the result alone, without notes and progress bars."
)
cluster = _together(
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do the work.",
    ),
    click.option(
        "--workers",
        metavar="NUMBER",
        type=click.IntRange(min=1),
        help="Number of processes on this machine that do the work, as a Dask cluster of their "
        "own.",
    ),
)
